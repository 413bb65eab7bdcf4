//! `workspan run -- PROGRAM`: profiles an existing program, of C or C++ or built with
//! instrumentation before.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches as _};
use tempfile::TempDir;

use super::cargo_options::positional;
use super::measuring::OwnOptions;
use super::short_help::shortened;
use crate::exit_code::{EXIT_CODES, Failure, OrExit as _, SETUP, USAGE};
use crate::kept;
use crate::measure::Measure;
use crate::native::{self, Later, SUPPORTED, Start, Wishes};
use crate::process;
use crate::runner::{self, Expected, Launch, Reporting};
use crate::symbols::Places;

const EXAMPLES: &str = "\
Examples:
  gcc -O2 -g -fopenmp sums.c -o sums
  workspan run -- ./sums 1000        OpenMP, built as ever; -g names its lines
  workspan run --threads 4 -- ./sums 1000
  workspan run --assume-cores 32 -- ./sums 1000
                                     32 threads, whatever this machine has, each timed by itself
  g++ -O2 -g $(workspan cxxflags) sort.cpp -ltbb -o sort
  workspan run -- ./sort             oneTBB, or calls of workspan.h
  gcc -O2 -g $(workspan cflags --functions) main.c -o main
  workspan run --functions exact -- ./main
                                     each call of a function
  clang -fopencilk -fcilktool=cilkscale fib.c -o fib
  workspan run -- ./fib 30           OpenCilk
  workspan run -- target/workspan/release/wordcount
                                     a rayon program that `cargo workspan run` has built before";

/// Heading in `--help` of the options for programs of C and C++.
pub(super) const NATIVE_HEADING: &str = "Programs of C and C++";

/// The options for programs of C and C++.
#[derive(Debug, Args)]
pub(super) struct NativeOptions {
    /// LLVM's OpenMP runtime to run an OpenMP program with: the file, its folder, or `libomp` for
    /// the newest of this machine [default: the program's own runtime, since another has other
    /// chunks and locks, or a newer one of the same name; where workspan cannot follow a program of
    /// gcc on its own, LLVM's stands in, or with `libgomp` the program is refused]
    #[arg(long, value_name = "FILE")]
    pub(super) libomp: Option<PathBuf>,
    /// Say what the program uses where its file does not tell, since it loads it while it runs: a plug-in, a module of
    /// Python
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(super) runtime: Option<Later>,
}

/// The command's description.
pub(super) fn command() -> Command {
    const SHORT: &str = "  workspan run -- ./sums 1000\n  g++ -O2 -g $(workspan cxxflags) sort.cpp -ltbb -o sort; workspan run -- ./sort";
    let command = OwnOptions::augment_args(Command::new("run"));
    let command = NativeOptions::augment_args(command.next_help_heading(NATIVE_HEADING))
        .about(
            "Run a program of C, C++ or Rust that is built already, and report its work and span",
        )
        .long_about(format!(
            "Run a program that is built already, and report its work and span.\n\n{SUPPORTED}."
        ))
        .after_long_help(format!("{EXAMPLES}\n\n{EXIT_CODES}"))
        .mut_args(|argument| match argument.get_id().as_str() {
            "assume_cores" => argument.help(
                "Cores that rayon is told the machine has [default: 64, or the machine's if it has more]; of an OpenMP \
                 program, threads that run, on however few cores [default: as many as cores]",
            ),
            "threads" => argument.help(
                "Threads that really run: in pools of default size [default: rayon's own], or of OpenMP \
                 [default: OMP_NUM_THREADS, or as many as cores]",
            ),
            _ => argument,
        })
        .arg(program_argument());
    shortened(command, SHORT)
}

/// Declares the arguments that are the program and its own arguments.
pub(super) fn program_argument() -> Arg {
    positional("program", "PROGRAM", "The program and its arguments")
        .num_args(1..)
        .required(true)
        .trailing_var_arg(true)
}

/// The program and its arguments, as the user gave them.
pub(super) fn program_words(matches: &ArgMatches) -> Vec<OsString> {
    let words = matches.get_many::<OsString>("program");
    words.into_iter().flatten().cloned().collect()
}

/// Runs the program and reports.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let own = OwnOptions::from_arg_matches(matches).or_exit(USAGE)?;
    let native = NativeOptions::from_arg_matches(matches).or_exit(USAGE)?;
    let existing = Existing::new(matches, &own, false)?;
    let wishes = Wishes {
        libomp: native.libomp,
        threads: own.threads(),
        assumed_cores: own.assumed_cores(),
        keeps_clock: own.has_clock(),
        later: native.runtime,
    };
    let start = native::prepare(&existing.command, &wishes)?;
    let mut measures = own.measures()?;
    for measure in &mut measures {
        adapt(measure, &wishes, &start);
    }
    let first = existing.launch(start, measures.remove(0))?;
    runner::launch(first, &measures)
}

/// A program that exists already, to be profiled.
pub(super) struct Existing {
    /// The program and its arguments.
    pub(super) command: Vec<OsString>,
    runs: u32,
    is_quiet: bool,
    raw_folder: TempDir,
    reporting: Reporting,
}

impl Existing {
    /// The program that the user gave. `is_quiet`: whether to discard its standard output.
    pub(super) fn new(
        matches: &ArgMatches,
        own: &OwnOptions,
        is_quiet: bool,
    ) -> Result<Self, Failure> {
        let command = program_words(matches);
        Ok(Self {
            runs: own.runs(),
            is_quiet,
            raw_folder: process::temporary_folder().or_exit(SETUP)?,
            reporting: Reporting {
                outputs: own.outputs(),
                home: kept::folder_for(Path::new(&command[0])),
                metric: None,
                places: Places {
                    folder: env::current_dir().or_exit(SETUP)?,
                    workspace: None,
                },
                expected: Expected::Instrumented,
                is_left: false,
            },
            command,
        })
    }

    /// How to run it for `measure`.
    pub(super) fn launch(&self, start: Start, measure: Measure) -> Result<Launch, Failure> {
        Ok(Launch {
            command: self.command.clone(),
            emulation: measure.emulation().or_exit(SETUP)?,
            through: Vec::new(),
            inherited_wrapper: None,
            start,
            measure,
            runs: self.runs,
            raw_folder: self.raw_folder.path().to_owned(),
            is_quiet: self.is_quiet,
            reporting: Some(self.reporting.clone()),
        })
    }
}

/// Adapts `measure` to a program of C or C++: it assumes cores only if the user chose a number,
/// because such a program divides its work by its real threads.
pub(super) fn adapt(measure: &mut Measure, wishes: &Wishes, start: &Start) {
    let Start::With(preload) = start else {
        return;
    };
    measure.assumed_cores = wishes.assumed_cores.unwrap_or(0);
    measure.threads = wishes.threads.or(wishes.assumed_cores).unwrap_or(0);
    if let Some(clock) = preload.clock {
        measure.clock = Some(clock.to_owned());
    }
}
