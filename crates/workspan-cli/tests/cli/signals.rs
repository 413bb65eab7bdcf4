//! Programs that are interrupted.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::project::{Project, Ran, read_json};

fn spinning(name: &str) -> Project {
    let project = Project::new(name);
    project
        .main(&format!(
            "{name}::fib(10); println!(\"ready\"); loop {{ std::hint::black_box({name}::fib(10)); }}"
        ))
        .lock();
    project
}

/// Starts the program in a process group of its own, as a shell does, and waits for its first line.
fn start(project: &Project) -> Child {
    let mut command = project.workspan(&["run", "--json", "out.json"]);
    let mut child = command
        .process_group(0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert_eq!(line, "ready\n");
    child
}

fn end(child: Child) -> Ran {
    Ran::from(child.wait_with_output().unwrap())
}

#[test]
fn control_c_leaves_a_profile_up_to_there() {
    let project = spinning("signal_interrupt");
    let child = start(&project);
    kill_process_group(Pid::from_child(&child), Signal::INT).unwrap();
    end(child).exits(130).says("Parallelism profile");
    assert!(read_json(&project.folder.join("out.json"))["totals"]["spawns"].as_u64() >= Some(88));
}

#[test]
fn a_signal_to_the_command_alone_reaches_the_program() {
    let project = spinning("signal_terminate");
    let child = start(&project);
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    end(child).exits(143).says("Parallelism profile");
}

#[test]
fn a_program_that_handles_the_signal_itself_goes_on() {
    let project = Project::new("signal_handled");
    project
        .append("Cargo.toml", "signal-hook = \"0.4\"\n")
        .main(
            "let mut signals = signal_hook::iterator::Signals::new([2]).unwrap();\n\
             println!(\"ready\");\n\
             signal_handled::fib(10);\n\
             signals.forever().next();\n\
             std::process::exit(9);",
        )
        .lock();
    let child = start(&project);
    kill_process_group(Pid::from_child(&child), Signal::INT).unwrap();
    end(child).exits(9).says("Parallelism profile");
}
