//! `workspan inflate`: compares the work of a program in parallel with its work on one worker.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::{ArgMatches, Args, Command, FromArgMatches as _};

use super::cargo::Cargo;
use super::cargo_options;
use super::measuring::OwnOptions;
use super::program::{Existing, NATIVE_HEADING, NativeOptions, adapt, program_argument};
use crate::exit_code::{Failure, OrExit as _, SETUP, USAGE};
use crate::inflate::{self, Executions, Results, Settings};
use crate::machine;
use crate::native::{self, Wishes};
use crate::session::{Kind, Session};

const ABOUT: &str =
    "Compare the work of a program in parallel with its work by one worker, site by site";

const LONG_ABOUT: &str = "\
Runs a program by one worker and by several, again and again, and shows where the same work takes longer in parallel: work \
inflation. Both make the same tasks, so what a task takes longer is due to what else runs: cores that take lines of their caches from \
one another (false sharing), memory that does not feed all of them, memory of another socket, or a cache that is too small for \
what all tasks use at once.

Each round is one run of each, in random order. The inflation of a site is the median of the rounds' ratios, with an interval from \
order statistics that holds for all sites at once; a site is called inflated if all of its interval lies above --least. More \
sites, or smaller effects, take more rounds: the report says how many.

Shown are the work of each site's own code, all that runs in a region that the program names, and the critical path of the parallel \
runs, looked up in those by one worker: site by site, and strand by strand where their task dags agree. First stands what costs the \
most of the expected time.

Let nothing else run meanwhile. Time in which a thread is ready but off the processor does not count, but while one thread waits for \
a processor, the other one is not hindered. What the program prints on standard output is not shown.";

const CARGO_EXAMPLES: &str = "\
Examples

  Where does the same work take longer on all cores?
    cargo workspan inflate -- shared

  Fewer rounds, to look at a large effect; on 4 threads:
    cargo workspan inflate --runs 6 --threads 4 --bin sort -- numbers.txt

  The report again, and for programs:
    workspan report target/workspan/sort.inflation.json --json -

";

const PROGRAM_EXAMPLES: &str = "\
Examples

  A rayon program that `cargo workspan run` has built before:
    workspan inflate -- target/workspan/release/sort numbers.txt

  A program of C or C++ that uses OpenMP:
    workspan inflate --threads 4 -- ./sums 1000

";

const EXIT_CODES: &str = "\
Exit codes: 0, or that of the first run that failed (128 + the signal's number when a signal ended it), or
  2    the command line is wrong
  3    a run could not be prepared, or there is nothing to compare
  4    a profile or a report could not be read or written
  101  the build failed
  126  the program cannot be executed
  127  the program does not exist";

#[derive(Debug, Args)]
struct Options {
    #[command(flatten, next_help_heading = "Measuring")]
    measuring: Measuring,
    #[command(flatten, next_help_heading = "Results")]
    kept: Kept,
}

#[derive(Debug, Args)]
struct Measuring {
    /// What to compare, each in runs of its own: time, or any that `run --metric` takes, such as time,cache-misses. Counters name
    /// the cause; `workspan counters` tells which this machine has
    #[arg(long, value_name = "LIST", default_value = "time")]
    metric: String,
    /// Rounds of one run by one worker and one in parallel, after one run to warm up. 10 are enough to be sure of 25 sites
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    runs: u32,
    /// Threads of the parallel runs [default: as many as cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=65_535))]
    threads: Option<u32>,
    /// Cores that rayon is told the machine has, in both executions [default: 64, or the machine's if it has more]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_535))]
    assume_cores: Option<u32>,
    /// Inflation of no more than this is not worth telling
    #[arg(long, value_name = "RATIO", default_value = "1.1", value_parser = parse_least)]
    least: f64,
    /// Fold finished subtrees of less work in the task dags that are compared; 0: keep every strand, and read the clock at every
    /// boundary [default: 10us; of a metric that counts, as of `run`]
    #[arg(long, value_name = "AMOUNT", conflicts_with = "no_record")]
    grain: Option<String>,
    /// Record no task dags: the critical path is looked up site by site alone
    #[arg(long)]
    no_record: bool,
    /// What the order of the runs is shuffled by
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

#[derive(Debug, Args)]
struct Kept {
    #[command(flatten)]
    results: Results,
    /// Keep the runs in a file, for `workspan report` [default: PROGRAM.inflation.json, where profiles of the program are kept]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

fn parse_least(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(least) if (1.0..=1_000.0).contains(&least) => Ok(least),
        _ => Err("a ratio from 1 on is expected, such as 1.1 for a tenth more".to_owned()),
    }
}

/// The description of `cargo workspan inflate`.
pub(super) fn cargo_command() -> Command {
    Options::augment_args(Command::new("inflate"))
        .about(ABOUT)
        .long_about(LONG_ABOUT)
        .after_long_help(format!("{CARGO_EXAMPLES}{EXIT_CODES}"))
        .args(cargo_options::declarations(Kind::Run))
}

/// The description of `workspan inflate`.
pub(super) fn program_command() -> Command {
    let command = Options::augment_args(Command::new("inflate"));
    NativeOptions::augment_args(command.next_help_heading(NATIVE_HEADING))
        .about(ABOUT)
        .long_about(LONG_ABOUT)
        .after_long_help(format!("{PROGRAM_EXAMPLES}{EXIT_CODES}"))
        .arg(program_argument())
}

impl Options {
    /// The settings of the comparison.
    ///
    /// # Errors
    /// If there is only one processor, and the user did not ask for more threads.
    fn settings(&self) -> Result<Settings, Failure> {
        let threads = self.measuring.threads.unwrap_or_else(machine::cores);
        if threads < 2 {
            return Err(Failure::new(
                SETUP,
                anyhow!(
                    "this process has one processor: nothing runs beside anything else, so there is nothing to compare. \
                     `--threads 2` runs two threads in turns, which shows what that costs alone"
                ),
            ));
        }
        Ok(Settings {
            rounds: self.measuring.runs,
            threads,
            least: self.measuring.least,
            seed: self.measuring.seed,
            file: self
                .kept
                .output
                .as_deref()
                .map(std::path::absolute)
                .transpose()
                .or_exit(USAGE)?,
            results: self.kept.results.clone(),
        })
    }

    /// The options of the runs of each metric, except for their threads.
    fn own(&self) -> Result<OwnOptions, Failure> {
        let Measuring {
            metric,
            assume_cores,
            grain,
            no_record,
            ..
        } = &self.measuring;
        // The report shows no functions, so none are sampled.
        let mut options = vec![format!("--metric={metric}"), "--sample-hz=0".to_owned()];
        options.extend(assume_cores.map(|cores| format!("--assume-cores={cores}")));
        options.extend(grain.as_ref().map(|grain| format!("--grain={grain}")));
        options.extend(no_record.then(|| "--no-record".to_owned()));
        OwnOptions::parse(options).or_exit(USAGE)
    }
}

/// Runs `workspan inflate -- PROGRAM`.
pub(super) fn main_of_program(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    let native = NativeOptions::from_arg_matches(matches).or_exit(USAGE)?;
    let settings = options.settings()?;
    let own = options.own()?;
    let measures = own.measures()?;
    let existing = Existing::new(matches, &own, true)?;
    let executions = Executions::for_measures(&settings, &measures, |mut measure| {
        let wishes = Wishes {
            threads: Some(measure.threads),
            libomp: native.libomp.clone(),
            later: native.runtime,
            ..Wishes::default()
        };
        let start = native::prepare(&existing.command, &wishes)?;
        adapt(&mut measure, &wishes, &start);
        existing.launch(start, measure)
    })?;
    inflate::measure(&settings, &executions)
}

/// Runs `cargo workspan inflate`: becomes cargo, which builds with the engine and starts the runner
/// to make the runs. Returns only if that fails.
pub(super) fn main_of_cargo(
    matches: &ArgMatches,
    toolchain: Option<&str>,
) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    let settings = options.settings()?;
    let cargo = Cargo::new(Kind::Run, matches, toolchain)?;
    let session = Session {
        inflate: Some(settings),
        ..cargo.session(&options.own()?)?
    };
    cargo.become_build(&session)
}
