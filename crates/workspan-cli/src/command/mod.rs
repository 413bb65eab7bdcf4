//! The commands that a person types.

mod advise;
mod annotate;
mod bandwidth;
mod burden;
mod calibrate;
mod cargo;
mod cargo_options;
mod check;
mod cilk2c;
mod code;
mod compare;
mod completions;
mod cores;
mod counters;
mod dag;
mod dag_of;
mod explain;
mod export;
mod flags;
mod grain;
mod inflate;
mod links;
mod long_work;
mod man;
mod measuring;
mod merge;
mod metric;
mod predict;
mod profiled_run;
mod program;
mod record_limit;
mod report;
mod scale;
mod sources;
mod sweep_options;
mod timed;
mod user_config;
mod what_if;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{ArgMatches, Command};

use crate::exit_code::{Failure, USAGE};
use crate::screen;
use crate::session::Kind;
pub(crate) use advise::default_goal;
#[cfg(fuzzing)]
pub(crate) use check::parse_configuration;
use flags::Flags;
pub(crate) use sources::{Origin, Source, Sources, outside};

const EXIT_CODES: &str = "\
Exit codes: the program's own (128 + the signal's number when a signal ended it), or
  2    the command line is wrong
  3    the build could not be prepared (an unwritable target directory, no cargo), the machine's costs
       could not be measured, a counter (--metric) or the emulator (--emulate) is not available, or the
       program cannot be profiled; of `check`: a threshold is exceeded
  4    a profile or a report could not be read or written
  101  the build failed
  126  the program cannot be executed
  127  the program does not exist";

/// Runs the command line `arguments`, the first of which is the command's own name.
pub(crate) fn main(arguments: &[OsString]) -> Result<ExitCode, Failure> {
    let (name, mut arguments) = match arguments.split_first() {
        Some((name, rest)) => (Path::new(name).file_stem().unwrap_or_default(), rest),
        None => (OsStr::new(""), arguments),
    };
    if name != "cargo-workspan" {
        return plain(arguments);
    }
    if arguments.first().is_some_and(|first| first == "workspan") {
        arguments = &arguments[1..];
    }
    let toolchain = arguments
        .first()
        .and_then(|first| first.to_str()?.strip_prefix('+'));
    if toolchain.is_some() {
        arguments = &arguments[1..];
    }
    below_cargo(arguments, toolchain)
}

/// `cargo workspan …`: programs that cargo builds.
fn below_cargo(arguments: &[OsString], toolchain: Option<&str>) -> Result<ExitCode, Failure> {
    let Some(matches) = parse(
        command_below_cargo().subcommand(timed::command()),
        arguments,
    )?
    else {
        return Ok(ExitCode::SUCCESS);
    };
    match matches.subcommand() {
        Some(("run", matches)) => cargo::main(Kind::Run, matches, toolchain),
        Some(("test", matches)) => cargo::main(Kind::Test, matches, toolchain),
        Some(("bench", matches)) => cargo::main(Kind::Bench, matches, toolchain),
        Some(("scale", matches)) => scale::main_of_cargo(matches, toolchain),
        Some(("inflate", matches)) => inflate::main_of_cargo(matches, toolchain),
        Some(("report", matches)) => report::main(matches),
        Some(("annotate", matches)) => annotate::main(matches),
        Some(("compare", matches)) => compare::main(matches),
        Some(("check", matches)) => check::main(matches),
        Some(("merge", matches)) => merge::main(matches),
        Some(("whatif", matches)) => what_if::main(matches),
        Some(("advise", matches)) => advise::main(matches),
        Some(("predict", matches)) => predict::main(matches),
        Some(("dag", matches)) => dag::main(matches),
        Some(("export", matches)) => export::main(matches),
        Some(("explain", matches)) => explain::main(matches),
        Some(("calibrate", matches)) => calibrate::main(matches),
        Some(("counters", matches)) => counters::main(matches),
        Some(("completions", matches)) => completions::main(matches, command_below_cargo()),
        Some(("man", matches)) => man::main(matches, command_below_cargo()),
        Some(("timed", matches)) => timed::main(matches),
        other => unreachable!("clap knows the commands: {other:?}"),
    }
}

/// The description of `cargo workspan`, without what only workspan itself starts.
fn command_below_cargo() -> Command {
    base("cargo-workspan", "cargo workspan")
        .about(
            "Profile the work and the span of a rayon program: says why it does not scale, \
             and where",
        )
        .subcommands([
            cargo::command(Kind::Run),
            cargo::command(Kind::Test),
            cargo::command(Kind::Bench),
            scale::cargo_command(),
            inflate::cargo_command(),
        ])
        .subcommands(shared_commands())
}

/// `workspan …`: programs and profiles that exist.
fn plain(arguments: &[OsString]) -> Result<ExitCode, Failure> {
    let Some(matches) = parse(plain_command().subcommand(timed::command()), arguments)? else {
        return Ok(ExitCode::SUCCESS);
    };
    match matches.subcommand() {
        Some(("run", matches)) => program::main(matches),
        Some(("cflags", matches)) => flags::main(Flags::C, matches),
        Some(("cxxflags", matches)) => flags::main(Flags::Cxx, matches),
        Some(("libs", matches)) => flags::main(Flags::Libraries, matches),
        Some(("scale", matches)) => scale::main_of_program(matches),
        Some(("inflate", matches)) => inflate::main_of_program(matches),
        Some(("bandwidth", matches)) => bandwidth::main(matches),
        Some(("cilk2c", matches)) => cilk2c::main(matches),
        Some(("report", matches)) => report::main(matches),
        Some(("annotate", matches)) => annotate::main(matches),
        Some(("compare", matches)) => compare::main(matches),
        Some(("check", matches)) => check::main(matches),
        Some(("merge", matches)) => merge::main(matches),
        Some(("whatif", matches)) => what_if::main(matches),
        Some(("advise", matches)) => advise::main(matches),
        Some(("predict", matches)) => predict::main(matches),
        Some(("dag", matches)) => dag::main(matches),
        Some(("export", matches)) => export::main(matches),
        Some(("explain", matches)) => explain::main(matches),
        Some(("calibrate", matches)) => calibrate::main(matches),
        Some(("counters", matches)) => counters::main(matches),
        Some(("completions", matches)) => completions::main(matches, plain_command()),
        Some(("man", matches)) => man::main(matches, plain_command()),
        Some(("timed", matches)) => timed::main(matches),
        other => unreachable!("clap knows the commands: {other:?}"),
    }
}

/// The description of `workspan`, without what only workspan itself starts.
fn plain_command() -> Command {
    base("workspan", "workspan")
        .about("Profile the work and the span of a program, or show a stored profile")
        .before_help(
            "A rayon program is built and profiled from its sources by: cargo workspan run",
        )
        .subcommands([
            program::command(),
            flags::command(Flags::C),
            flags::command(Flags::Cxx),
            flags::command(Flags::Libraries),
            scale::program_command(),
            inflate::program_command(),
            bandwidth::command(),
            cilk2c::command(),
        ])
        .subcommands(shared_commands())
}

/// The commands that both have.
fn shared_commands() -> [Command; 15] {
    [
        report::command(),
        annotate::command(),
        compare::command(),
        check::command(),
        merge::command(),
        what_if::command(),
        advise::command(),
        predict::command(),
        dag::command(),
        export::command(),
        explain::command(),
        calibrate::command(),
        counters::command(),
        completions::command(),
        man::command(),
    ]
}

fn base(name: &'static str, shown: &'static str) -> Command {
    Command::new(name)
        .bin_name(shown)
        .version(env!("CARGO_PKG_VERSION"))
        .no_binary_name(true)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_long_help(EXIT_CODES)
}

/// Parses the arguments. None if they asked for help or for the version, which is printed.
fn parse(command: Command, arguments: &[OsString]) -> Result<Option<ArgMatches>, Failure> {
    command.try_get_matches_from(arguments).map_or_else(
        |error| {
            // The text went to the stream that it is meant for; a closed one has no reader.
            let _ = error.print();
            match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Ok(None),
                _ => Err(Failure::told(USAGE)),
            }
        },
        |matches| {
            if let Some((_, of_command)) = matches.subcommand() {
                screen::apply(of_command);
            }
            Ok(Some(matches))
        },
    )
}
