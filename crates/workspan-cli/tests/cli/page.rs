//! The page for a browser; `ci/browser` looks into it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use tempfile::TempDir;

use crate::project::{Project, workspan};
use crate::stored::stored;

#[test]
fn each_run_keeps_its_page_and_names_it_last() {
    let project = Project::new("page_kept");
    project.main("page_kept::fib(10);").lock();
    let ran = project.run(&["run", "--html", "here.html"]);
    let last = ran.succeeds().stderr.lines().last().unwrap();
    assert!(last.ends_with("workspan/page_kept/report.html"), "{last}");
    let kept = project.kept("page_kept").with_extension("");
    let page = fs::read_to_string(kept.join("report.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>"));
    assert!(page.contains("mark: join"), "the source is in the page");
    assert_eq!(project.read("here.html"), page);
    let path = project.kept("page_kept");
    let path = path.to_str().unwrap();
    let again = workspan(
        &project.folder,
        &["report", path, "--no-source", "--html", "-"],
    );
    let again = &again.succeeds().stdout;
    assert!(again.starts_with("<!DOCTYPE html>"));
    assert!(!again.contains("mark: join"));
}

/// What `workspan report plain.wsp --open` with these options prints, and the file that it has the desktop open.
fn opened(folder: &TempDir, options: &[&str]) -> (String, String) {
    let opener = folder.path().join("xdg-open");
    fs::write(
        &opener,
        "#!/bin/sh\nprintf %s \"$1\" >\"$0.part\"\nmv \"$0.part\" \"$0.opened\"\n",
    )
    .unwrap();
    fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", folder.path().display());
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_workspan"));
    command
        .args(["report", "plain.wsp", "--open"])
        .args(options)
        .current_dir(folder.path())
        .env("PATH", path);
    let ran = command.output().unwrap();
    assert!(ran.status.success());
    let told = folder.path().join("xdg-open.opened");
    let wait = || std::thread::sleep(std::time::Duration::from_millis(50));
    // The command does not wait for the desktop.
    let file = (0..200).find_map(|_| fs::read_to_string(&told).inspect_err(|_| wait()).ok());
    (
        String::from_utf8(ran.stdout).unwrap(),
        file.expect("the page was opened"),
    )
}

#[test]
fn a_page_is_opened_as_the_desktop_does() {
    for (options, file) in [
        (&[][..], "plain/report.html"),
        (&["--html", "-"], "plain/report.html"),
        (&["--html", "here.html"], "here.html"),
    ] {
        let folder = stored();
        let (printed, opened) = opened(&folder, options);
        let opened = folder.path().join(opened);
        assert_eq!(opened, folder.path().join(file), "{options:?}");
        let page = fs::read_to_string(opened).unwrap();
        assert!(page.starts_with("<!DOCTYPE html>"));
        let is_printed = options.contains(&"-");
        assert_eq!(printed == page, is_printed, "{options:?}");
    }
}

#[test]
fn a_page_that_cannot_be_written_is_told() {
    let folder = stored();
    // A file stands where the page's folder would be.
    fs::write(folder.path().join("plain"), "").unwrap();
    workspan(folder.path(), &["report", "plain.wsp", "--open"])
        .exits(4)
        .says("cannot write the page: plain: ");
    let project = Project::new("page_nowhere");
    project.main("page_nowhere::fib(10);").lock();
    let kept = project.kept("page_nowhere").with_extension("");
    fs::create_dir_all(kept.parent().unwrap()).unwrap();
    // It stays from one time of the test to the next.
    fs::write(&kept, "").unwrap();
    // The run itself went well, and so did its profile.
    project
        .run(&["run"])
        .succeeds()
        .says("Parallelism profile")
        .says("profile kept in")
        .says("there is no page in ")
        .does_not_say("report for a browser in");
}

#[test]
fn a_sweep_that_cannot_be_read_is_left_out_with_a_warning() {
    let folder = stored();
    fs::write(folder.path().join("plain.sweep.json"), "{}").unwrap();
    workspan(
        folder.path(),
        &["report", "plain.wsp", "--html", "plain.html"],
    )
    .succeeds()
    .says("left out: plain.sweep.json");
    assert!(folder.path().join("plain.html").is_file());
}

#[test]
fn a_page_shows_what_has_changed_since_an_earlier_profile() {
    let folder = tempfile::tempdir().unwrap();
    let mut profile = workspan_model::example::quicksort();
    let file = |name: &str| folder.path().join(name);
    workspan_format::wsp::write(&file("old.wsp"), &profile, None).unwrap();
    // The joins' own work was 1,038.6 ms.
    profile.tree[1].on_work.local_work = workspan_model::Work::from_nanos(538_600_000);
    workspan_format::wsp::write(&file("new.wsp"), &profile, None).unwrap();
    let page = |against: &str| {
        let arguments = ["report", "new.wsp", "--against", against, "--html", "-"];
        workspan(folder.path(), &arguments)
    };
    let compared = page("old.wsp");
    let compared = &compared.succeeds().stdout;
    assert!(compared.contains(r#""against":{"file":"old.wsp""#));
    assert!(
        compared.contains(r#""time":[-500000000,0,0,0.0]"#),
        "{compared}"
    );
    let alone = page("nothing.wsp");
    alone
        .succeeds()
        .says("the page shows no differences")
        .says("nothing.wsp");
    assert!(alone.stdout.contains(r#""against":null"#));
}
