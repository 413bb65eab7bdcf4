//! `workspan bandwidth -- PROGRAM`: measures whether copies of a program that run at the same time
//! slow one another down.

use std::path::Path;
use std::process::ExitCode;

use clap::{ArgMatches, Args, Command, FromArgMatches as _};

use super::cores::Cores;
use super::program::{program_argument, program_words};
use super::scale::EXIT_CODES;
use super::sweep_options::SweepOptions;
use crate::exit_code::{Failure, OrExit as _, USAGE};
use crate::kept;
use crate::machine;
use crate::sweep::{self, Measured};

const EXAMPLES: &str = "\
Examples

  Is this program limited by memory?
    workspan bandwidth -- target/release/heat 4000

  On a large machine, with fewer runs of each:
    workspan bandwidth --copies 1,2,4,8,16,32 --runs 3 -- ./stencil

";

#[derive(Debug, Args)]
struct Options {
    /// How many copies run at once, such as `1..8` or `1,2,4` [default: 1 to the number of processors; on more than 16 the
    /// powers of two]
    #[arg(long, value_name = "LIST")]
    copies: Option<Cores>,
    /// Environment variable that tells the program to use one thread, in place of RAYON_NUM_THREADS or OMP_NUM_THREADS;
    /// `{threads}` in the arguments is replaced by 1
    #[arg(long, value_name = "VARIABLE")]
    set_threads: Option<String>,
    #[command(flatten)]
    sweep: SweepOptions,
}

/// The command's description.
pub(super) fn command() -> Command {
    Options::augment_args(Command::new("bandwidth"))
        .about("Find out whether memory limits a program: copies of it at once against one alone")
        .long_about(
            "Runs copies of a program at the same time, each on one thread and one core of its own, and compares their time with \
             that of one copy alone (Cilkview §5).\n\n\
             Copies share nothing but the machine: its memory, caches and power. So where they slow one another down, a \
             parallel run of the program does so too, however well its tasks are cut. Where they do not, and the program \
             still scales worse than `workspan scale` predicts, its threads get in one another's way: by false sharing, locks \
             or atomic operations.",
        )
        .after_long_help(format!("{EXAMPLES}{EXIT_CODES}"))
        .arg(program_argument())
}

/// Measures and reports.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    let copies = options
        .copies
        .unwrap_or_else(|| Cores::up_to(machine::cores()));
    let (copies, _) = copies.with_one();
    let program = program_words(matches);
    let mut settings = options
        .sweep
        .settings(Measured::Copies(copies.numbers().to_vec()));
    settings.threads_variable = options.set_threads;
    settings.home = kept::folder_for(Path::new(&program[0]));
    sweep::measure(&settings, Vec::new(), program, None)
}
