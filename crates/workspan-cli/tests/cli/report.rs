//! `workspan report`.

use std::fs;
use std::path::PathBuf;

use crate::project::{Project, workspan};

#[test]
fn a_stored_profile_is_printed_again() {
    let project = Project::new("report_again");
    project.main("report_again::fib(10);").lock();
    let report = project.folder.join("report.txt");
    project
        .run(&[
            "run",
            "--report",
            report.to_str().unwrap(),
            "-o",
            "kept.wsp",
            "--json",
            "run.json",
            "--columns",
            "location,local-work",
        ])
        .succeeds()
        .does_not_say("Parallelism profile");
    let ran = project.run(&[
        "report",
        "kept.wsp",
        "--json",
        "again.json",
        "--csv",
        "again.csv",
        "--columns",
        "location,local-work",
    ]);
    assert_eq!(ran.succeeds().stdout, fs::read_to_string(report).unwrap());
    assert_eq!(project.read("again.json"), project.read("run.json"));
    assert!(project.read("again.csv").contains("join"));
    let ran = workspan(&project.folder, &["report", "kept.wsp", "--json", "-"]);
    assert_eq!(ran.succeeds().stdout, project.read("run.json"));
}

/// Files of the quicksort that the documentation shows, of this version and of the one before.
fn stored(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let mut profile = workspan_model::example::quicksort();
    if name == "old.wsp" {
        profile.tree.iter_mut().for_each(|node| node.path.clear());
    }
    let path = folder.path().join(name);
    workspan_format::wsp::write(&path, &profile, None).unwrap();
    (folder, path)
}

#[test]
fn the_table_of_sites_is_as_asked_for() {
    let (folder, _file) = stored("q.wsp");
    let report = |options: &[&str]| {
        let arguments = [&["report", "q.wsp"], options].concat();
        let ran = workspan(folder.path(), &arguments);
        let text = ran.succeeds().stdout.clone();
        let (_, table) = text.split_once("sites, by ").unwrap();
        table.split_once("\n\n").unwrap().0.to_owned()
    };
    let usual = report(&[]);
    assert!(usual.contains("share of the span\n") && usual.contains("78.2%"));
    let by_work = report(&["--sort", "work", "--limit", "1"]);
    assert!(by_work.contains("root") && !by_work.contains("quicksort.rs"));
    assert!(by_work.contains("and 1 more; --limit all"), "{by_work}");
    assert_eq!(report(&["--limit", "all"]), usual);
    let filtered = report(&["--filter", "QUICKSORT.RS", "--columns", "location,stolen"]);
    assert!(filtered.contains("31:9     214"), "{filtered}");
    let on_span = report(&["--on", "span", "--measure", "local"]);
    assert!(
        on_span.contains("37   103 ms  76.6 ms    1.34"),
        "{on_span}"
    );
}

#[test]
fn the_call_tree_and_paths_take_the_reports_place() {
    let (folder, _file) = stored("q.wsp");
    let report = |options: &[&str]| {
        let arguments = [&["report", "q.wsp"], options].concat();
        workspan(folder.path(), &arguments)
    };
    let tree = report(&["--tree", "--threshold", "80%"]);
    let tree = &tree.succeeds().stdout;
    assert!(
        tree.contains("less than 80.0%") && tree.contains("\n    join "),
        "{tree}"
    );
    assert!(!tree.contains("Parallelism profile"), "{tree}");
    for words in [
        "quicksort.rs:31",
        "examples/quicksort.rs:31:9",
        "quicksort",
        "join at quicksort",
    ] {
        let path = report(&["--path-of", words]);
        let path = &path.succeeds().stdout;
        assert!(
            path.contains("Of the join at examples/quicksort.rs:31:9"),
            "{path}"
        );
    }
    report(&["--path-of", "sort.rs:31"])
        .exits(2)
        .says("no site is called or stands at `sort.rs:31`")
        .says("join at examples/quicksort.rs:31:9");
    report(&["--sort", "wrok"])
        .exits(2)
        .says("parallelism, share, overhead");
    report(&["--tree", "--sort", "work"])
        .exits(2)
        .says("--tree");
    report(&["--tree", "--threshold", "much"])
        .exits(2)
        .says("such as 1%");
    report(&["--limit", "most"]).exits(2).says("or `all`");
    report(&["--threshold", "1"]).exits(2).says("--tree");
}

#[test]
fn profiles_of_older_workspans_say_what_they_do_not_tell() {
    let (folder, _file) = stored("old.wsp");
    let report = |options: &[&str]| {
        let arguments = [&["report", "old.wsp"], options].concat();
        workspan(folder.path(), &arguments)
            .succeeds()
            .stdout
            .clone()
    };
    assert!(report(&["--path-of", "root"]).contains("this profile does not tell"));
    let local = report(&["--columns", "location,local-span"]);
    assert!(local.contains("31:9          –"), "{local}");
}

#[test]
fn files_that_are_no_profiles_are_refused() {
    let project = Project::new("report_refuses");
    project.main("report_refuses::fib(10);").lock();
    project.run(&["run", "-o", "kept.wsp"]).succeeds();
    let bytes = fs::read(project.folder.join("kept.wsp")).unwrap();
    let refused = |name: &str, bytes: &[u8], reason: &str| {
        fs::write(project.folder.join(name), bytes).unwrap();
        workspan(&project.folder, &["report", name])
            .exits(4)
            .says(name)
            .says(reason);
    };
    refused("truncated.wsp", &bytes[..bytes.len() / 2], "truncated");
    refused("foreign.wsp", b"PK\x03\x04 an archive", "not a");
    refused("empty.wsp", b"", "");
    let mut newer = bytes.clone();
    newer[8] = 200;
    refused("newer.wsp", &newer, "newer");
    workspan(&project.folder, &["report", "missing.wsp"])
        .exits(4)
        .says("missing.wsp");
}
