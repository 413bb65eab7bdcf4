//! `workspan-rustc REAL_RUSTC ARGUMENTS`: what cargo starts in rustc's place.

mod instrument;
mod invocation;
mod sleds;
mod substitute;

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, anyhow};

use crate::embedded::INSTRUMENTATION;
use crate::exit_code::{Failure, NOT_FOUND, OrExit as _, SETUP};
use crate::session::Session;
use invocation::{Argument, Invocation};

/// Compiles one crate, or answers one question of cargo's.
pub(crate) fn main(arguments: &[OsString]) -> Result<ExitCode, Failure> {
    let session = Session::from_environment().or_exit(SETUP)?;
    let (compiler, arguments) = arguments
        .split_first()
        .ok_or_else(|| anyhow!("workspan-rustc was started without a compiler to call"))
        .or_exit(SETUP)?;
    let compiler = Compiler {
        wrapper: session.wrapper.clone(),
        program: compiler.into(),
    };
    if arguments == [OsStr::new("-vV")] {
        return version(&compiler);
    }
    let Some(invocation) = Invocation::parse(arguments) else {
        return Err(compiler.replace_process(arguments));
    };
    let package = env::var("CARGO_PKG_NAME").ok();
    if invocation.is_rayon_core()
        && let Some(package) = package.as_deref()
    {
        match substitute::rayon_core_version(package) {
            Some(version) if version.can_be_instrumented() => {
                return substitute::compile(&compiler, &session, &invocation, &version);
            }
            Some(version) => version.warn_about_age(),
            None => substitute::warn_about_copy(package),
        }
    }
    let (flags, unlock) = instrument::flags(&invocation, package.as_deref(), || {
        sleds::support(&compiler.real(&invocation), &session.home)
    });
    let mut command = compiler.command();
    unlock.apply(&mut command);
    command.args(flags);
    Err(compiler.become_process(command))
}

/// Prints rustc's verbose version with a line of our own: cargo compares the text, so that a new
/// workspan rebuilds what an older one had built.
fn version(compiler: &Compiler) -> Result<ExitCode, Failure> {
    let output = compiler
        .command()
        .arg("-vV")
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| compiler.cannot_start())
        .or_exit(NOT_FOUND)?;
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(&output.stdout)
        .and_then(|()| writeln!(stdout, "workspan: {}", INSTRUMENTATION.hash))
        .or_exit(SETUP)?;
    Ok(exit_code(output.status))
}

fn exit_code(status: std::process::ExitStatus) -> ExitCode {
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    ExitCode::from(code.unwrap_or(crate::exit_code::BUILD))
}

/// The compiler that cargo named, behind the user's own wrapper.
#[derive(Debug)]
struct Compiler {
    wrapper: Option<PathBuf>,
    program: PathBuf,
}

impl Compiler {
    fn command(&self) -> Command {
        match &self.wrapper {
            Some(wrapper) => {
                let mut command = Command::new(wrapper);
                command.arg(&self.program);
                command
            }
            None => Command::new(&self.program),
        }
    }

    /// The compiler itself: where cargo's setting puts another wrapper before it, its first argument.
    fn real(&self, invocation: &Invocation) -> PathBuf {
        match invocation.arguments.first() {
            Some(Argument::Input(compiler)) => compiler.into(),
            _ => self.program.clone(),
        }
    }

    /// Becomes the compiler. Returns only when that failed.
    fn replace_process<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Failure {
        let mut command = self.command();
        command.args(arguments);
        self.become_process(command)
    }

    fn become_process(&self, mut command: Command) -> Failure {
        let error = command.exec();
        Failure::new(
            NOT_FOUND,
            anyhow::Error::new(error).context(self.cannot_start()),
        )
    }

    fn cannot_start(&self) -> String {
        let first: &Path = self.wrapper.as_deref().unwrap_or(&self.program);
        format!("cannot start `{}`", first.display())
    }
}
