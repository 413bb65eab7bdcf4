//! Sweeps that end early and are resumed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::project::{Ran, command_apart, kept_apart, read_json};
use crate::scale::{counted, lines, shell};

/// A sweep whose fourth run waits.
fn sweep(folder: &Path, options: &str) -> Command {
    let script = "echo run >> runs; if [ $(wc -l < runs) = 4 ]; then touch waits; sleep 60; fi";
    let line = format!("scale --threads 1,2 --runs 3 {options} -- sh -c");
    let mut command = command_apart(folder, &line);
    command.arg(script);
    command
}

/// Starts the sweep, and returns when it waits.
fn start(folder: &Path) -> Child {
    let mut child = sweep(folder, "").stderr(Stdio::piped()).spawn().unwrap();
    wait_for(&folder.join("waits"), &mut child);
    child
}

/// Waits until a running command makes a file.
pub(crate) fn wait_for(file: &Path, child: &mut Child) {
    while !file.exists() {
        if let Some(status) = child.try_wait().unwrap() {
            panic!("{} is not there: {status}", file.display());
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// Runs the sweep with `--resume`.
fn resume(folder: &Path) -> Ran {
    Ran::new(&mut sweep(folder, "--resume"))
}

pub(crate) fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

fn kept(folder: &TempDir) -> PathBuf {
    kept_apart(folder.path(), "sh.sweep.json")
}

fn runs_in(folder: &TempDir) -> usize {
    read_json(&kept(folder))["runs"].as_array().unwrap().len()
}

#[test]
fn an_interrupted_sweep_is_continued() {
    let folder = tempfile::tempdir().unwrap();
    let child = start(folder.path());
    send("-INT", &child);
    Ran::from(child.wait_with_output().unwrap())
        .exits(130)
        .says("after 3 runs")
        .says("--resume continues");
    assert_eq!(runs_in(&folder), 3);

    resume(folder.path())
        .succeeds()
        .says("3 runs are in ")
        .says("/sh.sweep.json already");
    let sweep = read_json(&kept(&folder));
    assert_eq!(counted(&sweep, "plain"), [1, 1, 1, 2, 2, 2]);
    // Everything has been measured, so nothing runs again.
    let before = lines(folder.path().join("runs")).len();
    resume(folder.path()).succeeds();
    assert_eq!(lines(folder.path().join("runs")).len(), before);
}

/// A program that ignores the request to end is killed even though a launcher started it.
#[test]
fn an_interrupted_sweep_leaves_nothing_that_its_launcher_started() {
    let folder = tempfile::tempdir().unwrap();
    let script = "trap '' TERM; echo $$ > pid; mv pid waits; while :; do sleep 0.1; done";
    let mut child = command_apart(folder.path(), "scale --threads 1 --launcher env -- sh -c")
        .arg(script)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&folder.path().join("waits"), &mut child);
    let pid = lines(folder.path().join("waits"))[0].clone();
    send("-INT", &child);
    Ran::from(child.wait_with_output().unwrap())
        .exits(130)
        .says("before the first run had ended");
    let command_line = Path::new("/proc").join(&pid).join("cmdline");
    // A process that has ended but was not reaped has an empty command line.
    let left = fs::read(command_line).unwrap_or_default();
    // `output` hides the message about a process that has already ended.
    let _ = Command::new("kill").args(["-KILL", &pid]).output();
    assert!(left.is_empty(), "{}", String::from_utf8_lossy(&left));
}

/// A killed sweep leaves its earlier runs, and no partial file.
#[test]
fn a_killed_sweep_is_continued() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = start(folder.path());
    send("-KILL", &child);
    child.wait().unwrap();
    assert_eq!(runs_in(&folder), 3);
    resume(folder.path())
        .succeeds()
        .says("/sh.sweep.json already");
    let sweep = read_json(&kept(&folder));
    assert_eq!(counted(&sweep, "plain"), [1, 1, 1, 2, 2, 2]);
}

#[test]
fn the_sweep_of_another_program_is_not_continued() {
    let folder = tempfile::tempdir().unwrap();
    let options = "--threads 1 --runs 1 --resume";
    shell(folder.path(), options, "true")
        .succeeds()
        .says("/sh.sweep.json yet");
    shell(folder.path(), options, "false")
        .exits(4)
        .says("holds another sweep")
        .says("the command was `sh -c true");
    let other = format!("{options}=other.json");
    shell(folder.path(), &other, "true").succeeds();
    assert!(folder.path().join("other.json").exists());
    fs::write(kept(&folder), "no sweep").unwrap();
    shell(folder.path(), options, "true")
        .exits(4)
        .says("no sweep's file");
    fs::write(kept(&folder), r#"{"version": 9}"#).unwrap();
    shell(folder.path(), options, "true")
        .exits(4)
        .says("of version 9, and this workspan knows version 1");
}
