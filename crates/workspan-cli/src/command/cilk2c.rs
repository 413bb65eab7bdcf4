//! `workspan cilk2c`: starts `workspan-cilk2c`, a crate and an executable of its own.

use std::env;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{self, ExitCode};

use anyhow::anyhow;
use clap::{Arg, ArgMatches, Command, value_parser};

use crate::exit_code::{Failure, SETUP};

const EXECUTABLE: &str = "workspan-cilk2c";
const ARGUMENTS: &str = "arguments";

/// The command's description. The executable knows its options.
pub(super) fn command() -> Command {
    Command::new("cilk2c")
        .about("Write a Cilk source as C or C++ whose serial run tells its work and its span")
        .long_about(
            "Write a Cilk source as C or C++ whose serial run tells its work and its span\n\n\
             `workspan cilk2c fib.c -o fib.serial.c` writes a file, without `-o` standard output; `--language` says whether \
             as `c` or `c++`. `--help` explains more, if workspan-cilk2c is installed.",
        )
        .disable_help_flag(true)
        .arg(
            Arg::new(ARGUMENTS)
                .value_name("ARGUMENT")
                .help("The source and the options, for workspan-cilk2c")
                .num_args(0..)
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .value_parser(value_parser!(OsString)),
        )
}

/// Becomes the executable installed next to this one, or found in PATH.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let beside = env::current_exe().map(|own| own.with_file_name(EXECUTABLE));
    let beside = beside.ok().filter(|file| file.is_file());
    let executable = beside.as_deref().unwrap_or(Path::new(EXECUTABLE));
    let arguments = matches.get_many::<OsString>(ARGUMENTS).unwrap_or_default();
    let error = process::Command::new(executable).args(arguments).exec();
    let error = match error.kind() {
        ErrorKind::NotFound if beside.is_none() => anyhow!(
            "{EXECUTABLE} is installed neither next to workspan nor in PATH; docs/cilk.md says how to install it"
        ),
        _ => anyhow!("cannot start {}: {error}", executable.display()),
    };
    Err(Failure::new(SETUP, error))
}
