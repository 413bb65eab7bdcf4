//! The options of our own that every profiling command has.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::{Args, Command, FromArgMatches as _, ValueEnum};

use super::burden::Burden;
use super::grain::Grain;
use super::metric::{self, Metric};
use super::record_limit::RecordLimit;
use crate::baselines::Name;
use crate::emulation::{self, Emulation};
use crate::exit_code::{Failure, OrExit as _, SETUP, USAGE};
use crate::machine;
use crate::outputs::{Exports, Outputs, Sink};
use crate::page::PageOptions;
use crate::report_options::ReportOptions;
use crate::screen::ScreenOptions;
use crate::session::Measure;

/// Cores that a program is cut for unless the machine has more.
const DEFAULT_ASSUMED_CORES: u32 = 64;

/// Code shorter than this is left out of the functions to measure.
const DEFAULT_FUNCTION_BYTES: u32 = 128;

/// Options of our own.
#[derive(Debug, Args)]
pub(super) struct OwnOptions {
    #[command(flatten, next_help_heading = "Measuring")]
    measuring: Measuring,
    #[command(flatten, next_help_heading = "Results")]
    results: Results,
}

#[derive(Debug, Args)]
struct Measuring {
    /// Cores that rayon is told the machine has, so that it cuts parallel iterators for them
    /// [default: 64, or the machine's if it has more]
    #[arg(long, value_name = "N|real", value_parser = parse_cores)]
    assume_cores: Option<Cores>,
    /// Threads that really run, in pools of default size [default: rayon's own]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_535))]
    threads: Option<u32>,
    /// Cost of moving a task to another core: a time (6.25us), a count (20000cycles), or what this machine needs
    /// [default: 15000cycles, Cilkview's figure]. Of a metric that counts it is a number [default: 15000 instructions
    /// or cycles; 0 of others]
    #[arg(long, value_name = "COST|measured")]
    burden: Option<Burden>,
    /// What to measure of strands: `time`, or what the kernel counts, by perf's names (`instructions`, `cycles`,
    /// `page-faults`, `cache-misses`, `L1-dcache-load-misses`, raw `r20d1`; `workspan counters` lists them). With several,
    /// the program runs once for each; the report is of the first [default: time; with --emulate instructions]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    metric: Vec<String>,
    /// Clock to read for the time [default: tsc where it is reliable]
    #[arg(long, value_enum)]
    clock: Option<Clock>,
    /// Count instructions in place of time, by running the program under QEMU (package qemu-user) on one worker: the same
    /// figures in each run of a deterministic program, on any machine; several times slower
    #[arg(long, conflicts_with = "clock")]
    emulate: bool,
    /// With `--emulate`, let the program's clock nearly stand still, so that what it prints of times, and the instructions that
    /// this takes, are the same in each run
    #[arg(long, requires = "emulate")]
    still_clock: bool,
    /// Read the clock at every boundary: slower where tasks are tiny, but no span is left open
    /// [default: subtrees of tiny tasks are timed as a whole, and their time shared evenly]
    #[arg(long)]
    exact: bool,
    /// Record the task dag beside the profile, for `workspan dag`, `whatif`, `advise` and `predict` (the default, but with
    /// `--functions exact`: the record of each call would take longer than the call)
    #[arg(long, overrides_with = "no_record")]
    record: bool,
    /// Record no task dag
    #[arg(long)]
    no_record: bool,
    /// Fold finished subtrees of less work in the record; 0: keep every strand, and read the clock at every boundary, as
    /// with --exact
    /// [default: 10us; of a metric that counts 10000 instructions or cycles, or 1]
    #[arg(long, value_name = "TIME", conflicts_with = "no_record")]
    grain: Option<Grain>,
    /// End the record where it would get larger: the profile is whole, but of the dag there is the beginning
    #[arg(
        long,
        value_name = "SIZE",
        default_value_t,
        conflicts_with = "no_record"
    )]
    record_limit: RecordLimit,
    /// Look so often in a second of each thread's processor time which functions run; 0: never
    #[arg(long, value_name = "N", default_value_t = 1_000,
          value_parser = clap::value_parser!(u32).range(0..=10_000))]
    sample_hz: u32,
    /// How to find the functions that make up the work and the span: from samples, or from the clock at each call and
    /// return; programs of C and C++ are compiled for that with `$(workspan cflags --functions)` [default: sampled]
    #[arg(long, value_enum, value_name = "HOW")]
    functions: Option<Functions>,
    /// With `--functions exact`, leave out functions whose code is shorter: what a call of them takes is less than what
    /// measuring it does. Their time stays their callers'
    #[arg(long, value_name = "N", default_value_t = DEFAULT_FUNCTION_BYTES)]
    function_bytes: u32,
    /// Run the program so often, and report median, least and most of every figure
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true,
          value_parser = clap::value_parser!(u32).range(1..=1_000))]
    runs: u32,
}

#[derive(Debug, Args)]
struct Results {
    /// Write the report to a file instead of standard error (`-` = standard output)
    #[arg(long, value_name = "FILE", value_parser = Sink::parser(), conflicts_with = "no_report")]
    report: Option<Sink>,
    /// Print no report
    #[arg(long)]
    no_report: bool,
    #[command(flatten)]
    screen: ScreenOptions,
    #[command(flatten)]
    shown: ReportOptions,
    #[command(flatten)]
    exports: Exports,
    #[command(flatten)]
    page: PageOptions,
    /// Write the profile to a file, for `workspan report`. In the names of files that a run writes, %e stands for the
    /// program's name, %p for the process id of the workspan that runs it, %h for the host, %% for %
    #[arg(short, long, value_name = "FILE.wsp", value_parser = Sink::parser())]
    output: Option<Sink>,
    /// Keep the profile as a baseline under this name, for `workspan compare` and `check`: in .workspan/baselines
    #[arg(long, value_name = "NAME", value_parser = Name::destination)]
    save_baseline: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug)]
enum Cores {
    Real,
    Assumed(u32),
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Functions {
    /// From samples: at almost no cost
    Sampled,
    /// Each call and return: slower the smaller the functions, but nothing is left to chance
    Exact,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Clock {
    /// The processor's time stamp counter
    Tsc,
    /// The operating system's monotonic clock
    Monotonic,
    /// The processor time of each thread: slower to read, but right where more threads run than there are cores
    Thread,
}

fn parse_cores(text: &str) -> Result<Cores, String> {
    match (text, text.parse()) {
        ("real", _) => Ok(Cores::Real),
        (_, Ok(cores @ 1..=65_535)) => Ok(Cores::Assumed(cores)),
        _ => Err("a number from 1 to 65535, or `real`, is expected".to_owned()),
    }
}

impl OwnOptions {
    /// Those of a user who gives none.
    pub(super) fn usual() -> Self {
        Self::given([]).expect("each has a default")
    }

    /// Those of a user who gives these.
    pub(super) fn given(options: impl IntoIterator<Item = String>) -> Result<Self, clap::Error> {
        let command = Self::augment_args(Command::new("run").no_binary_name(true));
        Self::from_arg_matches(&command.try_get_matches_from(options)?)
    }

    /// How the user wants to measure what comes first.
    ///
    /// # Errors
    /// When the metric, or the burden, is to be measured and cannot be.
    pub(super) fn measure(&self) -> Result<Measure, Failure> {
        self.measure_of(self.metrics()?[0])
    }

    /// The same of every further metric.
    ///
    /// # Errors
    /// Those of [`OwnOptions::measure`].
    pub(super) fn other_measures(&self) -> Result<Vec<Measure>, Failure> {
        let others = self.metrics()?.into_iter().skip(1);
        others.map(|metric| self.measure_of(metric)).collect()
    }

    /// What to measure, one after another: one at least.
    fn metrics(&self) -> Result<Vec<&str>, Failure> {
        metric::names(&self.measuring.metric, self.measuring.emulate)
    }

    /// Whether all of that can be measured, and is asked for in what it is measured in.
    ///
    /// # Errors
    /// Those of [`OwnOptions::measure`].
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.measure()?;
        self.other_measures()?;
        Ok(())
    }

    fn measure_of(&self, metric: &str) -> Result<Measure, Failure> {
        let Measuring {
            assume_cores,
            threads,
            burden,
            metric: _,
            clock,
            emulate,
            still_clock,
            exact,
            record,
            no_record,
            grain,
            record_limit,
            sample_hz,
            functions,
            function_bytes,
            runs: _,
        } = &self.measuring;
        let metric = Metric(metric);
        match emulate {
            true => metric.check_emulated()?,
            false => metric.check()?,
        }
        if !metric.is_of_a_clock() && clock.is_some() {
            let error = anyhow!("--clock is of the time, and --metric {metric} is counted");
            return Err(Failure::new(USAGE, error));
        }
        let (burden, burden_source) = burden.unwrap_or_default().resolve(metric)?;
        let function_bytes = match functions {
            Some(Functions::Exact) => Some(*function_bytes),
            Some(Functions::Sampled) | None => None,
        };
        if *emulate && function_bytes.is_some() {
            let refusal = anyhow!(
                "--functions exact tells the engine of every call, and --emulate cannot keep that apart from the program's own \
                 instructions: leave one of the two out"
            );
            return Err(Failure::new(USAGE, refusal));
        }
        Ok(Measure {
            assumed_cores: match assume_cores {
                Some(Cores::Real) => 0,
                Some(Cores::Assumed(cores)) => *cores,
                None => machine::cores().max(DEFAULT_ASSUMED_CORES),
            },
            threads: threads.unwrap_or(u32::from(*emulate)),
            burden: burden.to_string(),
            burden_source,
            metric: metric.to_string(),
            clock: if *emulate {
                Some(emulation::CLOCK.to_owned())
            } else {
                clock.and_then(|clock| Some(clock.to_possible_value()?.get_name().to_owned()))
            },
            emulate: *emulate,
            still_clock: *still_clock,
            exact: *exact,
            record_grain: (*record || !no_record && function_bytes.is_none())
                .then(|| Grain::resolve(*grain, metric))
                .transpose()?,
            record_bytes: record_limit.bytes(),
            // Samples would mostly find the engine, and tell no more; and they are taken by time.
            sample_rate: if function_bytes.is_some() || *emulate {
                0
            } else {
                *sample_hz
            },
            function_bytes,
        })
    }

    /// Threads that the user asks for.
    pub(super) fn threads(&self) -> Option<u32> {
        self.measuring.threads
    }

    /// Cores that the user assumes.
    pub(super) fn assumed_cores(&self) -> Option<u32> {
        match self.measuring.assume_cores {
            Some(Cores::Assumed(cores)) => Some(cores),
            Some(Cores::Real) | None => None,
        }
    }

    /// Whether the user chose a clock.
    pub(super) fn has_clock(&self) -> bool {
        self.measuring.clock.is_some() || self.measuring.emulate
    }

    /// The emulator, if the program is to run under one.
    ///
    /// # Errors
    /// When there is none that can count.
    pub(super) fn emulation(&self) -> Result<Option<Emulation>, Failure> {
        let emulate = self.measuring.emulate;
        emulate
            .then(|| Emulation::find(self.measuring.still_clock))
            .transpose()
            .or_exit(SETUP)
    }

    /// How often the user wants the program to be run.
    pub(super) fn runs(&self) -> u32 {
        self.measuring.runs
    }

    /// Where the user wants the results.
    pub(super) fn outputs(&self) -> Outputs {
        let results = &self.results;
        let report = results.report.clone().unwrap_or(Sink::Stderr);
        Outputs {
            report: (!results.no_report).then_some(report),
            screen: results.screen,
            shown: results.shown.clone(),
            page: results.page.clone(),
            path_of: None,
            profile: results.output.clone(),
            baseline: results.save_baseline.clone().map(Sink::File),
            exports: results.exports.clone(),
        }
    }
}
