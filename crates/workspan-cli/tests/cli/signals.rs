//! Programs that are interrupted.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::project::{Project, Ran};

/// Starts a command in a process group of its own, as a shell does, and waits until its program
/// prints that it is ready.
pub(crate) fn started_in_group(command: &mut Command) -> Child {
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

/// A single test, so that the program is built once.
#[test]
fn an_interrupted_run_leaves_a_profile() {
    let project = Project::new("signals");
    project
        .append("Cargo.toml", "signal-hook = \"0.4\"\n")
        .main(
            "if std::env::args().any(|argument| argument == \"handle\") {\n\
                 let mut caught = signal_hook::iterator::Signals::new([2]).unwrap();\n\
                 println!(\"ready\");\n\
                 signals::fib(10);\n\
                 caught.forever().next();\n\
                 std::process::exit(9);\n\
             }\n\
             signals::fib(10);\n\
             println!(\"ready\");\n\
             loop { std::hint::black_box(signals::fib(10)); }",
        )
        .lock();
    let start = |rest: &str| {
        let mut command = project.command(&format!("run --json out.json {rest}"));
        started_in_group(&mut command)
    };
    control_c_leaves_a_profile_of_the_run_so_far(&project, start(""));
    a_signal_to_the_command_alone_reaches_the_program(start(""));
    a_program_that_handles_the_signal_itself_goes_on(start("-- handle"));
}

fn control_c_leaves_a_profile_of_the_run_so_far(project: &Project, child: Child) {
    kill_process_group(Pid::from_child(&child), Signal::INT).unwrap();
    end(child).exits(130).says("\nTry: ");
    assert!(project.json("out.json")["totals"]["spawns"].as_u64() >= Some(88));
}

fn a_signal_to_the_command_alone_reaches_the_program(child: Child) {
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    end(child).exits(143).says("\nTry: ");
}

fn a_program_that_handles_the_signal_itself_goes_on(child: Child) {
    kill_process_group(Pid::from_child(&child), Signal::INT).unwrap();
    end(child).exits(9).says("\nTry: ");
}
