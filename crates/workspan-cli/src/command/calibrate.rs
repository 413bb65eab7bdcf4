//! `workspan calibrate`: measures what rayon's operations cost on this machine.

use std::process::ExitCode;

use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use workspan_report as report;

use crate::exit_code::{EXIT_CODES, Failure, OrExit as _, PROFILE, USAGE};
use crate::machine_costs;
use crate::screen::ScreenOptions;
use crate::sink::Sink;

#[derive(Debug, Args)]
struct Options {
    /// Write the costs as JSON, in place of the table (`-`, or nothing = standard output)
    #[arg(long, value_name = "FILE", value_parser = Sink::parser(), num_args = 0..=1, default_missing_value = "-")]
    json: Option<Sink>,
    #[command(flatten)]
    screen: ScreenOptions,
}

/// The command's description.
pub(super) fn command() -> Command {
    Options::augment_args(Command::new("calibrate"))
        .about("Measure what moving a task costs on this machine, for `--burden measured`")
        .long_about(
            "Measures, with rayon itself, what it costs on this machine to steal a task and to hand it back, to wake \
             a worker that sleeps, and what a join, a spawned task and a scope cost by themselves. It takes some \
             seconds; other programs that keep the cores busy make it take longer or fail.\n\n\
             The costs are kept in the cache folder (XDG_CACHE_HOME, or else ~/.cache), for this processor, number of \
             cores and kernel. `--burden measured` takes a steal and the way back as the cost of moving a task, in \
             place of Cilkview's 15,000 cycles.",
        )
        .after_long_help(EXIT_CODES)
}

/// Measures the costs, keeps them and prints them.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    let known = machine_costs::measured()?;
    match options.json {
        Some(sink) => sink.write(&known.to_json().or_exit(PROFILE)?),
        None => {
            let screen = options.screen.screen(&Sink::Stdout);
            Sink::Stdout.show(|table| report::machine_costs(&known.costs, screen, table))
        }
    }
    .or_exit(PROFILE)?;
    Ok(ExitCode::SUCCESS)
}
