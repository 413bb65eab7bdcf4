//! `workspan scale`: runs a program with different numbers of threads, and compares its speedup
//! with what a profile predicts.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches as _};

use super::cargo::{self, Cargo};
use super::cargo_options;
use super::cores::Cores;
use super::measuring::OwnOptions;
use super::profiled_run::{ANNOUNCEMENT, ProfiledRun, note_no_profile, with_threads};
use super::program::{program_argument, program_words};
use super::sweep_options::SweepOptions;
use crate::exit_code::{BUILD, Failure, OrExit as _, SETUP, USAGE};
use crate::kept;
use crate::machine;
use crate::message;
use crate::outputs::Outputs;
use crate::session::{Kind, Session};
use crate::sink::Sink;
use crate::sweep::{self, FactoredRuns, Launcher, Measured, ProfileBefore, Settings, Slurm};

const ABOUT: &str = "Measure how a program scales, and compare it with what its tasks allow";

const LONG_ABOUT: &str = "\
Runs a program with one thread, with two, and so on, and shows its speedup beside the bounds and the prediction that follow from \
its tasks. Where the measured speedup is below the lower bound, something other than the tasks limits it: memory bandwidth, false \
sharing, or threads that wait for one another.

What is timed is the program as it is, without instrumentation, from its start to its end: give it enough to do, a second or more, \
and let nothing else run meanwhile; what other programs took is watched, and said. Runs with different numbers of threads take turns in a random order, after one each to warm \
up. There are up to --runs of each, fewer once the median is known to --precision. Every run is kept in a file right away: when \
the sweep is interrupted, the same command with --resume continues it.

The threads may use as many processors as there are threads (--pin): one of each core before the second ones.

The program prints nowhere; when it fails, the end of what it printed is shown, that number of threads is given up, and the \
others go on.";

const CARGO_EXAMPLES: &str = "\
Examples

  The speedup of this package's program on 1 to all cores, as a table and as a picture:
    cargo workspan scale --svg speedup.svg -- ARGS

  On some numbers of threads only, 5 runs each:
    cargo workspan scale --threads 1,2,4 --runs 5 --example wordcount

  A program that takes its number of threads as an argument, or from another variable:
    cargo workspan scale -- --jobs {threads}
    cargo workspan scale --set-threads MY_THREADS

  Where the speedup goes, against a sequential program:
    cargo workspan scale --factored --elision --baseline 'target/release/serial 1000'

";

const PROGRAM_EXAMPLES: &str = "\
Examples

  A program that exists, on 1 to all cores:
    workspan scale -- target/release/wordcount 2000000

  One that uses OpenMP, with its bounds and prediction, of a run that is profiled first:
    workspan scale -- ./sums 1000

  Any other one, which takes its number of threads as an argument:
    workspan scale --threads 1..8 -- ./sort --threads={threads} numbers.txt

  With the bounds and the prediction of a profile that was made before, here of another build of a rayon program:
    workspan scale --profiled target/workspan/wordcount.wsp -- target/release/wordcount 2000000

  Through a batch system, where this folder is there, too:
    workspan scale --threads 1,2,4,8 --launcher 'srun -n1 -c {threads}' -- ./sort --threads={threads} numbers.txt

";

pub(super) const EXIT_CODES: &str = "\
Exit codes: 0, or that of the first run that failed (128 + the signal's number when a signal ended it), or
  2    the command line is wrong
  3    a run could not be prepared
  4    a file could not be read or written, or holds another sweep
  5    runs printed different things (--check-output)
  101  the build failed
  126  the program cannot be executed
  127  the program does not exist";

#[derive(Debug, Args)]
struct Options {
    /// Numbers of threads, such as `1..8` or `1,2,4,16`; both ends of a range are in it [default: 1 to the number of
    /// processors; on more than 16 the powers of two]
    #[arg(long, value_name = "LIST")]
    threads: Option<Cores>,
    /// Environment variable that tells the program its number of threads [default: RAYON_NUM_THREADS, OMP_NUM_THREADS of a
    /// program that uses OpenMP, CILK_NWORKERS of one that uses OpenCilk, and none for oneTBB and calls of workspan.h, unless
    /// `{threads}` in the arguments stands for it]
    #[arg(long, value_name = "VARIABLE")]
    set_threads: Option<String>,
    /// Take the bounds and the prediction from this profile, in place of a profiled run
    #[arg(long, value_name = "FILE.wsp")]
    profiled: Option<PathBuf>,
    /// Run as many copies of the program at once as there are threads, too, each on one thread, as `workspan bandwidth` does:
    /// whether memory is the limit is then known where causes are named
    #[arg(long, conflicts_with_all = ["launcher", "slurm"])]
    bandwidth: bool,
    /// Start each run by this command, in which `{threads}` stands for the number of threads; time in a queue does not count, and
    /// nothing is pinned
    #[arg(long, value_name = "COMMAND", help_heading = "Elsewhere")]
    launcher: Option<Launcher>,
    /// Have the batch system Slurm make all runs, one at a time, as one job array, with these options of `sbatch`, such as
    /// `--slurm='--partition=short --exclusive'`; tasks that fail are run once more. The array has all --runs, whatever the
    /// --precision
    #[arg(long, value_name = "OPTIONS", num_args = 0..=1, require_equals = true, default_missing_value = "",
          conflicts_with = "launcher", help_heading = "Elsewhere")]
    slurm: Option<Slurm>,
    #[command(flatten, next_help_heading = "Factored speedups")]
    factored: Factored,
    #[command(flatten)]
    sweep: SweepOptions,
}

#[derive(Debug, Args)]
struct Factored {
    /// Split what is lost into the costs of tasks, idle time, and work that takes longer in parallel (work inflation)
    #[arg(long)]
    factored: bool,
    #[command(flatten)]
    runs: FactoredRuns,
}

/// The description of `cargo workspan scale`.
pub(super) fn cargo_command() -> Command {
    Options::augment_args(Command::new("scale"))
        .about(ABOUT)
        .long_about(format!(
            "{LONG_ABOUT}\n\n\
             The program is built as `cargo run --release` does, in its own target directory; for the bounds and the prediction \
             a second build is profiled once, as `cargo workspan run` does."
        ))
        .after_long_help(format!("{CARGO_EXAMPLES}{EXIT_CODES}"))
        // --factored measures idle time in the profiled build.
        .arg(no_prediction().conflicts_with_all(["profiled", "factored"]))
        .args(cargo_options::declarations(Kind::Run))
}

/// The description of `workspan scale`.
pub(super) fn program_command() -> Command {
    Options::augment_args(Command::new("scale"))
        .about(ABOUT)
        .long_about(format!(
            "{LONG_ABOUT}\n\n\
             For the bounds and the prediction a program that `workspan run` can profile runs once more, before all others, and is \
             profiled: one that uses OpenMP, oneTBB, OpenCilk or workspan.h, or that `cargo workspan` has built. With --launcher and \
             --slurm nothing is profiled here."
        ))
        .after_long_help(format!("{PROGRAM_EXAMPLES}{EXIT_CODES}"))
        .arg(no_prediction().conflicts_with("profiled"))
        .arg(program_argument())
}

fn no_prediction() -> Arg {
    Arg::new("no_prediction")
        .long("no-prediction")
        .help("Profile nothing: no bounds, no prediction")
        .help_heading("Measuring")
        .action(ArgAction::SetTrue)
}

impl Options {
    /// The numbers of threads to measure.
    fn threads(&self) -> Cores {
        let threads = self.threads.clone();
        threads.unwrap_or_else(|| Cores::up_to(machine::cores()))
    }

    fn settings(&self) -> Settings {
        let (threads, is_added) = self.threads().with_one();
        if is_added {
            message::note("1 thread is measured too: speedup is over that");
        }
        let Factored { factored, runs } = &self.factored;
        let measured = Measured::Threads {
            threads: threads.numbers().to_vec(),
            factored: factored.then(|| runs.clone()),
            copies: self.bandwidth,
        };
        Settings {
            threads_variable: self.set_threads.clone(),
            profile: self.profiled.clone(),
            launcher: self.launcher.clone(),
            slurm: self.slurm.clone(),
            ..self.sweep.settings(measured)
        }
    }
}

/// Runs `workspan scale -- PROGRAM`.
pub(super) fn main_of_program(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    let program = program_words(matches);
    let mut settings = options.settings();
    settings.home = kept::folder_for(Path::new(&program[0]));
    let profile = || profile_before(&options, &program);
    let profile = (!matches.get_flag("no_prediction")).then_some(&profile as _);
    sweep::measure(&settings, Vec::new(), program.clone(), profile)
}

/// Profiles the program once. `None` if there is no profile, which has been reported.
fn profile_before(
    options: &Options,
    program: &[OsString],
) -> Result<Option<ProfileBefore>, Failure> {
    if options.launcher.is_some() || options.slurm.is_some() {
        // This machine only submits the jobs. It may have few cores, or ones that the program was
        // not built for.
        note_no_profile(
            "the runs are made elsewhere. There, `workspan run -o FILE.wsp -- PROGRAM` makes a profile, which `--profiled FILE.wsp` \
             takes here",
        );
        return Ok(None);
    }
    let run = ProfiledRun {
        program,
        threads: options.threads(),
        variable: options.set_threads.as_deref(),
        libomp: options.factored.runs.libomp.as_deref(),
    };
    run.make()
}

/// Runs `cargo workspan scale`: profiles a build with the engine, then becomes cargo, which builds
/// without the engine. Returns only if that fails.
pub(super) fn main_of_cargo(
    matches: &ArgMatches,
    toolchain: Option<&str>,
) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    let mut settings = options.settings();
    let cargo = Cargo::new(Kind::Run, matches, toolchain)?;
    let session = cargo.session(&OwnOptions::defaults())?;
    let outputs = Outputs {
        screen: session.outputs.screen,
        ..Outputs::default()
    };
    let session = Session { outputs, ..session };
    if settings.profile.is_none() && !matches.get_flag("no_prediction") {
        let profile = session.raw_profiles().join("scale.wsp");
        let session = Session {
            outputs: Outputs {
                profile: Some(Sink::File(profile.clone())),
                ..session.outputs.clone()
            },
            ..session.clone()
        };
        let threads = options.threads().largest_within(machine::cores());
        let arguments = with_threads(&cargo.program_arguments(), threads);
        let mut command = cargo.build(&session, arguments).or_exit(SETUP)?;
        command
            .envs(
                settings
                    .threads_variable
                    .iter()
                    .map(|name| (name, threads.to_string())),
            )
            .stdin(sweep::input_of_a_run().or_exit(SETUP)?)
            .stdout(Stdio::null());
        message::note(ANNOUNCEMENT);
        let status = command
            .status()
            .map_err(|error| cargo::cannot_start(&command, error))?;
        if !profile.exists() {
            // Cargo or the runner has reported why.
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            return Err(Failure::reported(
                code.filter(|&code| code != 0).unwrap_or(BUILD),
            ));
        }
        settings.profile = Some(profile);
    }
    settings.home = Some(session.home.clone());
    let session = Session {
        sweep: Some(settings),
        ..session
    };
    let command = cargo.plain_build(&session).or_exit(SETUP)?;
    Err(cargo::become_cargo(command))
}
