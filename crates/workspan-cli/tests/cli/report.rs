//! `workspan report`.

use std::fs;

use serde_json::{Value, json};
use workspan_model::example;

use crate::project::{Project, Ran, command_apart, kept_apart, workspan};
use crate::stand_in::StandIn;
use crate::stored::{stored, write};

pub(crate) fn a_stored_profile_is_printed_again(project: &Project) {
    let columns = "--columns location,local-work";
    project
        .run(&format!(
            "run --report report.txt -o kept.wsp --json run.json {columns}"
        ))
        .succeeds()
        .does_not_say("Parallelism profile");
    project
        .run(&format!(
            "report kept.wsp --json again.json --csv again.csv {columns}"
        ))
        .succeeds()
        .prints(&project.read("report.txt"));
    assert_eq!(project.read("again.json"), project.read("run.json"));
    assert!(project.read("again.csv").contains("join"));
    workspan(&project.folder, "report kept.wsp --json -")
        .succeeds()
        .prints(&project.read("run.json"));
}

#[test]
fn without_a_name_the_newest_profile_is_reported() {
    let program = StandIn::new("");
    let run = |line: &str| Ran::new(&mut command_apart(program.folder(), line));
    run("report").exits(4).says("no profile is kept here yet");
    run("run -- sh program")
        .succeeds()
        .says("profile kept in cache/workspan/profiles/sh-")
        .says("report for a browser in")
        .says("report --full, or --open");
    run("report").succeeds().shows("· sh program ·");
    fs::create_dir_all(program.folder().join("target/workspan")).unwrap();
    run("run -o target/workspan/mine.wsp -- sh program other").succeeds();
    fs::remove_dir_all(program.folder().join("cache")).unwrap();
    run("report").succeeds().shows("· sh program other ·");
}

#[test]
fn earlier_profiles_are_kept_and_listed() {
    let program = StandIn::new("");
    let run = |line: &str| Ran::new(&mut command_apart(program.folder(), line));
    run("list").exits(4).says("no profile is kept here yet");
    assert_eq!(run("list --json").json()["profiles"], json!([]));
    for argument in ["one", "two"] {
        run(&format!("run --no-report -- sh program {argument}")).succeeds();
    }
    let kept = |name: &str| kept_apart(program.folder(), name).display().to_string();
    let (newest, earlier) = (kept("sh.wsp"), kept("history/sh.1.wsp"));
    let spoilt = kept("spoilt.wsp");
    fs::write(&spoilt, "PK").unwrap();
    let listed = run("list ./sh");
    listed.succeeds().says(&spoilt);
    let lines: Vec<&str> = listed.stdout.lines().skip(2).collect();
    let [first, second] = lines[..] else {
        panic!("{listed:?}");
    };
    assert!(first.contains("sh program t") && first.ends_with(&newest));
    assert!(second.contains("sh program o") && second.ends_with(&earlier));
    let json = run("list --json ./sh").json();
    assert_eq!(json["version"], 1);
    let profiles = json["profiles"].as_array().unwrap();
    let files: Vec<&Value> = profiles.iter().map(|profile| &profile["file"]).collect();
    assert_eq!(files, [&newest, &earlier]);
    assert_eq!(profiles[0]["command"], json!(["sh", "program", "two"]));
    run(&format!("report {earlier}"))
        .succeeds()
        .shows("· sh program one ·");
    run("list other").exits(4).says("no profile of `other`");
    assert_eq!(run("list other --json").json()["profiles"], json!([]));
}

#[test]
fn options_select_the_table_of_sites() {
    let folder = stored();
    let report = |options: &str| {
        let ran = workspan(folder.path(), &format!("report plain.wsp --full {options}"));
        let (_, table) = ran.succeeds().stdout.split_once("sites, by ").unwrap();
        table.split_once("\n\n").unwrap().0.to_owned()
    };
    let usual = report("");
    assert!(usual.contains("share of the span\n") && usual.contains("78.2%"));
    let by_work = report("--sort work --limit 1");
    assert!(by_work.contains("root") && !by_work.contains("quicksort.rs"));
    assert!(by_work.contains("and 1 more; --limit all"), "{by_work}");
    assert_eq!(report("--limit all"), usual);
    let filtered = report("--filter QUICKSORT.RS --columns location,stolen");
    assert!(filtered.contains("31:9     214"), "{filtered}");
    let on_span = report("--on span --measure local");
    assert!(
        on_span.contains("37   103 ms  76.6 ms    1.34"),
        "{on_span}"
    );
}

#[test]
fn the_call_tree_and_paths_take_the_reports_place() {
    let folder = stored();
    let report = |options: &str| workspan(folder.path(), &format!("report plain.wsp {options}"));
    report("--tree --threshold 80%")
        .succeeds()
        .shows("less than 80.0%")
        .shows("\n    join ")
        .does_not_show("Parallelism profile");
    for words in [
        "quicksort.rs:31",
        "examples/quicksort.rs:31:9",
        "quicksort",
        "'join at quicksort'",
    ] {
        report(&format!("--path-of {words}"))
            .succeeds()
            .shows("Of the join at examples/quicksort.rs:31:9");
    }
    report("--path-of sort.rs:31")
        .exits(2)
        .says("no site is called or stands at `sort.rs:31`")
        .says("join at examples/quicksort.rs:31:9");
    for (options, reason) in [
        ("--sort wrok", "parallelism, share, overhead"),
        ("--tree --sort work", "--tree"),
        ("--tree --threshold much", "such as 1%"),
        ("--limit most", "or `all`"),
        ("--threshold 1", "--tree"),
    ] {
        report(options).exits(2).says(reason);
    }
}

#[test]
fn missing_figures_of_older_profiles_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let mut profile = example::quicksort();
    profile.tree.iter_mut().for_each(|node| node.path.clear());
    write(&folder, "old.wsp", &profile, None);
    let report = |options: &str| workspan(folder.path(), &format!("report old.wsp {options}"));
    report("--path-of root")
        .succeeds()
        .shows("this profile does not tell");
    report("--columns location,local-span")
        .succeeds()
        .shows("31:9          –");
}

#[test]
fn files_that_are_no_profiles_are_refused() {
    let folder = stored();
    let bytes = fs::read(folder.path().join("q.wsp")).unwrap();
    let refused = |name: &str, bytes: &[u8], reason: &str| {
        fs::write(folder.path().join(name), bytes).unwrap();
        workspan(folder.path(), &format!("report {name}"))
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
    workspan(folder.path(), "report missing.wsp")
        .exits(4)
        .says("missing.wsp");
}
