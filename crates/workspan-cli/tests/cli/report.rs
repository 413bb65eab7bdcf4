//! `workspan report`.

use std::fs;

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
    ]);
    assert_eq!(ran.succeeds().stdout, fs::read_to_string(report).unwrap());
    assert_eq!(project.read("again.json"), project.read("run.json"));
    assert!(project.read("again.csv").contains("join"));
    let ran = workspan(&project.folder, &["report", "kept.wsp", "--json", "-"]);
    assert_eq!(ran.succeeds().stdout, project.read("run.json"));
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
