//! How a program ended, and why it could not be started.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use workspan_model::Exit;

use crate::exit_code::{Failure, NOT_EXECUTABLE, NOT_FOUND, SIGNAL_BASE};

/// The failure to start a program, with its exit code.
pub(crate) fn cannot_start(program: &OsStr, error: io::Error) -> Failure {
    let (code, advice) = match error.kind() {
        io::ErrorKind::NotFound => (
            NOT_FOUND,
            "there is no such program (one in this folder is `./NAME`)",
        ),
        io::ErrorKind::PermissionDenied => (NOT_EXECUTABLE, "it may not be executed"),
        _ => (NOT_EXECUTABLE, "the system refuses to execute it"),
    };
    let error =
        anyhow::Error::new(error).context(format!("cannot run `{}`: {advice}", program.display()));
    Failure::new(code, error)
}

/// How a process ended, from the status that waiting for it returned.
pub(crate) fn exit(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => unreachable!("a process that was waited for has ended in one of two ways"),
    }
}

/// The exit code that reports how a program ended, as a shell does.
pub(crate) fn exit_code(exit: Exit) -> u8 {
    let code = match exit {
        Exit::Code(code) => code,
        Exit::Signal(signal) => SIGNAL_BASE + signal,
    };
    u8::try_from(code & 0xff).expect("masked to eight bits")
}

/// How a program ended, as the predicate of a sentence.
pub(crate) fn ended(exit: Exit) -> String {
    match exit {
        Exit::Code(code) => format!("ended with exit code {code}"),
        Exit::Signal(signal) => format!("was interrupted by signal {signal}"),
    }
}
