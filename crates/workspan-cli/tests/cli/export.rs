//! `workspan export`.

use std::fs;
use std::process::{Command, Stdio};

use tempfile::TempDir;
use workspan_model::example::quicksort;
use workspan_model::{Profile, totals};

use crate::project::{Ran, read_json, workspan};
use crate::skip::skip;
use crate::stored::stored;

fn export(folder: &TempDir, format: &str, options: &str) -> Ran {
    workspan(
        folder.path(),
        &format!("export q.wsp --format {format} {options}"),
    )
}

/// Work and span in nanoseconds.
fn figures(profile: &Profile) -> [u64; 2] {
    let totals = totals(profile);
    [totals.work.time().shown(), totals.span.value.time().shown()]
}

#[test]
fn the_quantity_is_chosen() {
    let folder = stored();
    let [work, span] = figures(&quicksort());
    let sum = |text: &str| -> u64 {
        let own = text.lines().map(|line| line.rsplit_once(' ').unwrap().1);
        own.map(|own| own.parse::<u64>().unwrap()).sum()
    };
    let by_default = export(&folder, "collapsed", "");
    assert_eq!(sum(&by_default.succeeds().stdout), work);
    let by_span = export(&folder, "collapsed", "--by span");
    assert_eq!(sum(&by_span.succeeds().stdout), span);
    let burdened = export(&folder, "collapsed", "--by burdened");
    let burdened = sum(&burdened.succeeds().stdout);
    assert!(burdened > span, "{burdened}");
}

#[test]
fn speedscope_has_one_profile_per_quantity() {
    let folder = stored();
    export(&folder, "speedscope", "--by span -o q.json")
        .succeeds()
        .prints("");
    let document = read_json(&folder.path().join("q.json"));
    assert_eq!(document["activeProfileIndex"], 1);
    let profiles = document["profiles"].as_array().unwrap();
    let names = profiles.iter().map(|profile| &profile["name"]);
    let names: Vec<&str> = names.map(|name| name.as_str().unwrap()).collect();
    assert_eq!(names, ["work", "span", "burdened span"]);
    let ends = profiles.iter().map(|profile| profile["endValue"].as_u64());
    let ends: Vec<u64> = ends.map(Option::unwrap).collect();
    assert_eq!(ends[..2], figures(&quicksort()));
}

#[test]
fn what_a_profile_does_not_contain_is_reported() {
    let folder = stored();
    export(&folder, "collapsed", "--by samples")
        .exits(4)
        .says("q.wsp has nothing to show by samples")
        .says("--sample-hz");
    let line = "export plain.wsp --format speedscope";
    workspan(folder.path(), &format!("{line} --by burdened"))
        .exits(4)
        .says("no task dag");
    workspan(folder.path(), line).succeeds();
    workspan(folder.path(), "export none.wsp --format collapsed")
        .exits(4)
        .says("none.wsp");
}

#[test]
fn formats_are_explained() {
    let folder = stored();
    workspan(folder.path(), "export q.wsp")
        .exits(2)
        .says("--format");
    export(&folder, "flamegraf", "").exits(2).says("speedscope");
    let help = workspan(folder.path(), "export --help");
    for text in ["speedscope.app", "inferno", "--by", "Exit codes"] {
        help.succeeds().shows(text);
    }
}

#[test]
fn a_terminal_gets_no_binary() {
    let folder = stored();
    let command = format!(
        "{} export q.wsp --format pprof",
        env!("CARGO_BIN_EXE_workspan")
    );
    // `script` gives the command a terminal.
    let ran = Command::new("script")
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output();
    let Ok(ran) = ran else {
        skip("script", "not installed (apt-get install bsdutils)");
        return;
    };
    let shown = String::from_utf8_lossy(&ran.stdout);
    assert!(shown.contains("name a file by --output"), "{shown}");
    assert_eq!(ran.status.code(), Some(2));
    export(&folder, "pprof", "--output q.pb.gz").succeeds();
    let file = fs::read(folder.path().join("q.pb.gz")).unwrap();
    assert_eq!(file[..2], [0x1f, 0x8b]);
}
