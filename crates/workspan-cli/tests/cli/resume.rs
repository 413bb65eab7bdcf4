//! Sweeps that end early, and go on.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::project::{Ran, interruptible, plain, read_json, workspan};
use crate::scale::{counted, lines, shell};

/// A sweep whose fourth run waits.
const ARGUMENTS: [&str; 8] = ["scale", "--threads", "1,2", "--runs", "3", "--", "sh", "-c"];
const SCRIPT: &str = "echo run >> runs; if [ $(wc -l < runs) = 4 ]; then touch waits; sleep 60; fi";

/// Begins it, and returns when it waits.
fn begun(folder: &Path) -> Child {
    let mut child = plain(interruptible(env!("CARGO_BIN_EXE_workspan")))
        .current_dir(folder)
        .args(ARGUMENTS)
        .arg(SCRIPT)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&folder.join("waits"), &mut child);
    child
}

/// Waits until a file is there that a running command makes.
pub(crate) fn wait_for(file: &Path, child: &mut Child) {
    while !file.exists() {
        if let Some(status) = child.try_wait().unwrap() {
            panic!("{} is not there: {status}", file.display());
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// The same with `--resume`.
fn resumed(folder: &Path) -> Ran {
    let arguments = [&["scale", "--resume"], &ARGUMENTS[1..], &[SCRIPT]].concat();
    workspan(folder, &arguments)
}

pub(crate) fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

fn kept(folder: &TempDir) -> PathBuf {
    folder.path().join("sh.sweep.json")
}

fn runs_in(folder: &TempDir) -> usize {
    read_json(&kept(folder))["runs"].as_array().unwrap().len()
}

#[test]
fn an_interrupted_sweep_is_continued() {
    let folder = tempfile::tempdir().unwrap();
    let child = begun(folder.path());
    send("-INT", &child);
    Ran::from(child.wait_with_output().unwrap())
        .exits(130)
        .says("after 3 runs")
        .says("--resume continues");
    assert_eq!(runs_in(&folder), 3);

    resumed(folder.path())
        .succeeds()
        .says("3 runs are in sh.sweep.json already");
    let runs = counted(&read_json(&kept(&folder)));
    assert_eq!(runs.len(), 6, "{runs:?}");
    // All is measured: nothing is run once more.
    let before = lines(folder.path().join("runs")).len();
    resumed(folder.path()).succeeds();
    assert_eq!(lines(folder.path().join("runs")).len(), before);
}

/// A program that does not end when it is asked to ends, though a launcher started it.
#[test]
fn an_interrupted_sweep_leaves_nothing_that_its_launcher_started() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = plain(interruptible(env!("CARGO_BIN_EXE_workspan")))
        .current_dir(folder.path())
        .args(["scale", "--threads", "1", "--launcher", "env", "--"])
        .args([
            "sh",
            "-c",
            "trap '' TERM; echo $$ > pid; mv pid waits; while :; do sleep 0.1; done",
        ])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&folder.path().join("waits"), &mut child);
    let pid = lines(folder.path().join("waits"))[0].clone();
    send("-INT", &child);
    Ran::from(child.wait_with_output().unwrap())
        .exits(130)
        .says("before the first run had ended");
    let is_left = Path::new("/proc").join(&pid).join("cmdline");
    // One that has ended and that nobody waited for has none.
    let left = fs::read(is_left).unwrap_or_default();
    // Its message of who has ended already is none of the test's.
    let _ = Command::new("kill").args(["-KILL", &pid]).output();
    assert!(left.is_empty(), "{}", String::from_utf8_lossy(&left));
}

/// What is killed leaves the runs before, and no half of a file.
#[test]
fn a_killed_sweep_is_continued() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = begun(folder.path());
    send("-KILL", &child);
    child.wait().unwrap();
    assert_eq!(runs_in(&folder), 3);
    resumed(folder.path())
        .succeeds()
        .says("3 runs are in sh.sweep.json already");
    assert_eq!(counted(&read_json(&kept(&folder))).len(), 6);
}

#[test]
fn the_sweep_of_another_program_is_not_continued() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--threads", "1", "--runs", "1", "--resume"];
    shell(folder.path(), &options, "true")
        .succeeds()
        .says("there is no sh.sweep.json yet");
    shell(folder.path(), &options, "false")
        .exits(4)
        .says("holds another sweep")
        .says("the command was `sh -c true");
    shell(
        folder.path(),
        &["--threads", "1", "--runs", "1", "--resume=other.json"],
        "true",
    )
    .succeeds();
    assert!(folder.path().join("other.json").exists());
    fs::write(kept(&folder), "no sweep").unwrap();
    shell(folder.path(), &options, "true")
        .exits(4)
        .says("no sweep's file");
    fs::write(kept(&folder), r#"{"version": 9}"#).unwrap();
    shell(folder.path(), &options, "true")
        .exits(4)
        .says("of version 9, and this workspan knows version 1");
}
