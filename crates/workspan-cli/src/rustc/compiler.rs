//! Starts the compiler that cargo named.

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Output, Stdio};

use anyhow::Context as _;

use super::invocation::{Argument, Invocation};
use crate::exit_code::{BUILD, Failure, NOT_FOUND, OrExit as _};

/// The compiler that cargo named, started through the user's own wrapper, if any.
#[derive(Debug)]
pub(super) struct Compiler {
    pub(super) wrapper: Option<PathBuf>,
    pub(super) program: PathBuf,
}

impl Compiler {
    pub(super) fn command(&self) -> Command {
        match &self.wrapper {
            Some(wrapper) => {
                let mut command = Command::new(wrapper);
                command.arg(&self.program);
                command
            }
            None => Command::new(&self.program),
        }
    }

    /// The compiler itself. If cargo's configuration puts another wrapper before it, `program` is
    /// that wrapper, and the compiler its first argument.
    pub(super) fn real(&self, invocation: &Invocation) -> PathBuf {
        match invocation.arguments.first() {
            Some(Argument::Input(compiler)) => compiler.into(),
            _ => self.program.clone(),
        }
    }

    /// Runs it, and returns how it ended.
    pub(super) fn run(&self, call: &Invocation) -> Result<ExitStatus, Failure> {
        self.command()
            .args(call.to_arguments())
            .status()
            .with_context(|| self.cannot_start())
            .or_exit(BUILD)
    }

    /// What it says of its version.
    pub(super) fn version(&self) -> Result<Output, Failure> {
        self.command()
            .arg("-vV")
            .stderr(Stdio::inherit())
            .output()
            .with_context(|| self.cannot_start())
            .or_exit(NOT_FOUND)
    }

    /// Becomes the process of `command`. Returns only if that fails.
    pub(super) fn become_process(&self, mut command: Command) -> Failure {
        let error = command.exec();
        Failure::new(
            NOT_FOUND,
            anyhow::Error::new(error).context(self.cannot_start()),
        )
    }

    pub(super) fn cannot_start(&self) -> String {
        let first: &Path = self.wrapper.as_deref().unwrap_or(&self.program);
        format!("cannot start `{}`", first.display())
    }
}

/// The exit code that reports how the compiler ended.
pub(super) fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    ExitCode::from(code.unwrap_or(BUILD))
}
