//! The commands that the user types.

mod advise;
mod alerts;
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
mod list;
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
mod short_help;
mod sweep_options;
mod timed;
mod user_config;
mod what_if;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{ArgMatches, Command};

use crate::exit_code::{EXIT_CODES, Failure, USAGE};
use crate::screen;
use crate::session::Kind;
#[cfg(any(fuzzing, test))]
pub(crate) use check::parse_configuration;
use flags::Flags;

/// Runs a command line. The first of its `arguments` is the name of the executable.
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

/// `cargo workspan …`: for programs that cargo builds.
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
        other => run_shared(other, command_below_cargo),
    }
}

/// Describes `cargo workspan`, without the hidden command `timed`.
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

/// `workspan …`: for existing programs and profiles.
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
        other => run_shared(other, plain_command),
    }
}

/// Runs a command that both `workspan` and `cargo workspan` have. `described` describes the one
/// that was started.
fn run_shared(
    subcommand: Option<(&str, &ArgMatches)>,
    described: fn() -> Command,
) -> Result<ExitCode, Failure> {
    match subcommand {
        Some(("completions", matches)) => completions::main(matches, described()),
        Some(("man", matches)) => man::main(matches, described(), all_commands()),
        Some(("timed", matches)) => timed::main(matches),
        Some((name, matches)) => {
            let is_meant = |command: &fn() -> Command| command().get_name() == name;
            let meant = SHARED.iter().find(|(command, _)| is_meant(command));
            let (_, main) = meant.expect("clap knows the commands");
            main(matches)
        }
        None => unreachable!("clap requires a command"),
    }
}

/// Describes `workspan`, without the hidden command `timed`.
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

/// Describes both `workspan` and `cargo workspan`.
fn all_commands() -> [Command; 2] {
    [plain_command(), command_below_cargo()]
}

/// A command that needs nothing but its arguments: its description, and what runs it.
type Shared = (
    fn() -> Command,
    fn(&ArgMatches) -> Result<ExitCode, Failure>,
);

/// The commands that both `workspan` and `cargo workspan` have, in the order of their help. Two more
/// that describe the others follow them.
static SHARED: [Shared; 14] = [
    (list::command, list::main),
    (report::command, report::main),
    (annotate::command, annotate::main),
    (compare::command, compare::main),
    (check::command, check::main),
    (merge::command, merge::main),
    (what_if::command, what_if::main),
    (advise::command, advise::main),
    (predict::command, predict::main),
    (dag::command, dag::main),
    (export::command, export::main),
    (explain::command, explain::main),
    (calibrate::command, calibrate::main),
    (counters::command, counters::main),
];

/// The descriptions of all commands that both have.
fn shared_commands() -> impl Iterator<Item = Command> {
    let shared = SHARED.iter().map(|(command, _)| command());
    shared.chain([completions::command(), man::command()])
}

fn base(name: &'static str, shown: &'static str) -> Command {
    Command::new(name)
        .bin_name(shown)
        .version(env!("CARGO_PKG_VERSION"))
        .no_binary_name(true)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(screen::quiet())
        .after_long_help(EXIT_CODES)
}

/// Parses the arguments. None if they requested help or the version, which are then printed.
fn parse(command: Command, arguments: &[OsString]) -> Result<Option<ArgMatches>, Failure> {
    command.try_get_matches_from(arguments).map_or_else(
        |error| {
            // It fails only if the stream is closed; then nobody reads the message.
            let _ = error.print();
            match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Ok(None),
                _ => Err(Failure::reported(USAGE)),
            }
        },
        |matches| {
            if let Some((_, options)) = matches.subcommand() {
                screen::apply(options);
            }
            Ok(Some(matches))
        },
    )
}
