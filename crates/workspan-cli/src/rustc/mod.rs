//! `workspan-rustc REAL_RUSTC ARGUMENTS`: cargo starts it in place of rustc.

mod compiler;
mod engine;
mod instrument;
mod invocation;
mod sleds;
mod substitute;

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::anyhow;
use workspan_engine::INSTRUMENTATION;

use crate::exit_code::{Failure, OrExit as _, SETUP};
use crate::session::Session;
use compiler::{Compiler, exit_code};
use invocation::Invocation;

/// Compiles a crate, or answers a query of cargo.
pub(crate) fn main(arguments: &[OsString]) -> Result<ExitCode, Failure> {
    let session = Session::from_environment().or_exit(SETUP)?;
    session.outputs.screen.apply();
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
    let mut command = compiler.command();
    let Some(invocation) = Invocation::parse(arguments) else {
        command.args(arguments);
        return Err(compiler.become_process(command));
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
    unlock.apply(&mut command);
    command.args(flags);
    Err(compiler.become_process(command))
}

/// Prints rustc's verbose version and an additional line. Cargo compares the text, so a new version
/// of workspan rebuilds what an older one built.
fn version(compiler: &Compiler) -> Result<ExitCode, Failure> {
    let output = compiler.version()?;
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(&output.stdout)
        .and_then(|()| {
            writeln!(
                stdout,
                "workspan: {}{}",
                INSTRUMENTATION.hash,
                env!("WORKSPAN_WRAPPER")
            )
        })
        .or_exit(SETUP)?;
    Ok(exit_code(output.status))
}
