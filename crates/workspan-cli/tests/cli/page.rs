//! The page for a browser. `ci/browser` tests its contents.

use std::fs;

use tempfile::TempDir;
use workspan_model::{Work, example};

use crate::project::{Project, Ran, command, script, workspan};
use crate::stored::{stored, write};

pub(crate) fn each_run_keeps_its_page_and_names_it_last(project: &Project) {
    let ran = project.run("run --html here.html");
    let last = ran.succeeds().stderr.lines().last().unwrap();
    assert!(last.ends_with("workspan/options/report.html"), "{last}");
    let profile = project.kept("options");
    let kept = profile.with_extension("").join("report.html");
    let page = fs::read_to_string(&kept).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>"));
    assert!(page.contains("mark: join"), "the source is in the page");
    assert_eq!(project.read("here.html"), page);
    let again = workspan(
        &project.folder,
        &format!("report {} --no-source --html -", profile.display()),
    );
    again.succeeds().does_not_show("mark: join");
    assert!(again.stdout.starts_with("<!DOCTYPE html>"));
    fs::remove_file(&kept).unwrap();
    project
        .run("run --no-report")
        .succeeds()
        .does_not_say("report for a browser in");
    assert!(!kept.exists());
}

/// The profile is kept nevertheless.
pub(crate) fn a_run_whose_page_cannot_be_written_succeeds(project: &Project) {
    // A file is where the page's folder should be.
    let folder = project.kept("options").with_extension("");
    let _ = fs::remove_dir_all(&folder);
    fs::write(&folder, "").unwrap();
    let ran = project.run("run");
    // Later runs of the test find the folder, too.
    fs::remove_file(&folder).unwrap();
    ran.succeeds()
        .says("\nTry: ")
        .says("profile kept in")
        .says("there is no page in ")
        .does_not_say("report for a browser in");
}

/// The output of `workspan report plain.wsp --open` with these options, and the file that it makes
/// the desktop open.
fn opened(folder: &TempDir, options: &str) -> (String, String) {
    script(
        &folder.path().join("xdg-open"),
        "printf %s \"$1\" >\"$0.part\"\nmv \"$0.part\" \"$0.opened\"",
    );
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", folder.path().display());
    let line = format!("report plain.wsp --open {options}");
    let ran = Ran::new(command(folder.path(), &line).env("PATH", path));
    ran.succeeds();
    let record = folder.path().join("xdg-open.opened");
    // The command does not wait for the desktop.
    while !record.exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    (ran.stdout, fs::read_to_string(record).unwrap())
}

#[test]
fn a_page_is_opened_by_the_desktop() {
    for (options, file) in [
        ("", "plain/report.html"),
        ("--html -", "plain/report.html"),
        ("--html here.html", "here.html"),
    ] {
        let folder = stored();
        let (printed, opened) = opened(&folder, options);
        let opened = folder.path().join(opened);
        assert_eq!(opened, folder.path().join(file), "{options}");
        let page = fs::read_to_string(opened).unwrap();
        assert!(page.starts_with("<!DOCTYPE html>"));
        assert_eq!(printed == page, options == "--html -", "{options}");
    }
}

#[test]
fn a_page_that_cannot_be_written_is_reported() {
    let folder = stored();
    // A file is where the page's folder should be.
    fs::write(folder.path().join("plain"), "").unwrap();
    workspan(folder.path(), "report plain.wsp --open")
        .exits(4)
        .says("cannot write the page: plain: ");
}

#[test]
fn a_sweep_that_cannot_be_read_is_left_out_with_a_warning() {
    let folder = stored();
    fs::write(folder.path().join("plain.sweep.json"), "{}").unwrap();
    workspan(folder.path(), "report plain.wsp --html plain.html")
        .succeeds()
        .says("left out: plain.sweep.json");
    assert!(folder.path().join("plain.html").is_file());
}

#[test]
fn a_page_shows_what_has_changed_since_an_earlier_profile() {
    let folder = tempfile::tempdir().unwrap();
    let mut profile = example::quicksort();
    write(&folder, "old.wsp", &profile, None);
    // The joins' own work was 1,038.6 ms.
    profile.tree[1].on_work.local_work = Work::from_nanos(538_600_000);
    write(&folder, "new.wsp", &profile, None);
    let page = |against: &str| {
        workspan(
            folder.path(),
            &format!("report new.wsp --against {against} --html -"),
        )
    };
    page("old.wsp")
        .succeeds()
        .shows(r#""against":{"file":"old.wsp""#)
        .shows(r#""time":[-500000000,0,0,0.0]"#);
    page("nothing.wsp")
        .succeeds()
        .says("the page shows no differences")
        .says("nothing.wsp")
        .shows(r#""against":null"#);
}
