//! The options of workspan itself that all profiling commands have.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::{Args, Command, FromArgMatches as _, ValueEnum};

use super::burden::Burden;
use super::grain::Grain;
use super::metric::{self, Metric};
use super::record_limit;
use crate::baselines::Name;
use crate::emulation;
use crate::exit_code::{Failure, USAGE};
use crate::machine;
use crate::measure::Measure;
use crate::outputs::{Exports, Outputs};
use crate::page::PageOptions;
use crate::report_options::ReportOptions;
use crate::screen::ScreenOptions;
use crate::sink::Sink;

/// Default number of assumed cores, unless the machine has more.
const DEFAULT_ASSUMED_CORES: u32 = 64;

/// Functions with less code than this are not measured by default.
const DEFAULT_FUNCTION_BYTES: u32 = 128;

/// The options of workspan itself, as opposed to cargo's.
#[derive(Debug, Args)]
pub(super) struct OwnOptions {
    #[command(flatten, next_help_heading = "Measuring")]
    measuring: Measuring,
    #[command(flatten, next_help_heading = "Results")]
    results: Results,
}

#[derive(Debug, Args)]
struct Measuring {
    /// Cores that rayon is told the machine has [default: 64, or the machine's if it has more]
    ///
    /// It cuts parallel iterators for them.
    #[arg(long, value_name = "N|real", value_parser = parse_cores)]
    assume_cores: Option<u32>,
    /// Time the program without a profile first, on all processors and on one
    ///
    /// Six times each, or as often as begins within two minutes: the report shows how fast it is today. Where the
    /// profiled work exceeds what one thread takes by more than a tenth, speedups are over that.
    #[arg(long)]
    baseline: bool,
    /// Threads that really run, in pools of default size [default: rayon's own]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65_535))]
    threads: Option<u32>,
    /// Cost of moving a task to another core: a time (6.25us), a count (20000cycles), or what this machine needs
    /// [default: 15000cycles, Cilkview's figure]. Of a metric that counts it is a number [default: 15000 instructions
    /// or cycles; 0 of others]
    #[arg(long, value_name = "COST|measured")]
    burden: Option<Burden>,
    /// What to measure: `time`, or what the kernel counts (`workspan counters` lists it)
    ///
    /// By perf's names: `instructions`, `cycles`, `page-faults`, `cache-misses`, `L1-dcache-load-misses`, raw `r20d1`. With
    /// several, the program runs once for each; the report is of the first [default: time; with --emulate instructions].
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
        default_value = "256MiB",
        value_parser = record_limit::parse,
        conflicts_with = "no_record"
    )]
    record_limit: u64,
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
    /// End the program when it has stood still for so many seconds, and show what its threads wait for
    ///
    /// As Ctrl-C does, even if the program handles that itself: its threads wait for one another, and none runs. The
    /// report shows what each thread waits for, by line.
    #[arg(long, value_name = "SECONDS", conflicts_with = "emulate",
          value_parser = clap::value_parser!(u32).range(1..=86_400))]
    standstill: Option<u32>,
    /// Run the program so often, and report the median run; with --full median, least and most of every figure
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true,
          value_parser = clap::value_parser!(u32).range(1..=1_000))]
    runs: u32,
}

#[derive(Debug, Args)]
struct Results {
    /// Write the report to a file instead of standard error (`-` = standard output)
    #[arg(long, value_name = "FILE", value_parser = Sink::parser(), conflicts_with = "no_report")]
    report: Option<Sink>,
    /// Print no report, and keep no page unless --open asks for it
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
    /// Write the profile to a file, for `workspan report`
    ///
    /// In the names of files that a run writes, %e stands for the program's name, %p for the process id of the workspan
    /// that runs it, %h for the host, %% for %.
    #[arg(short, long, value_name = "FILE.wsp", value_parser = Sink::parser())]
    output: Option<Sink>,
    /// Keep the profile as a baseline under this name, for `workspan compare` and `check`: in .workspan/baselines
    #[arg(long, value_name = "NAME", value_parser = Name::destination)]
    save_baseline: Option<PathBuf>,
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

/// Parses the number of assumed cores; 0 = the real number.
fn parse_cores(text: &str) -> Result<u32, String> {
    match (text, text.parse()) {
        ("real", _) => Ok(0),
        (_, Ok(cores @ 1..=65_535)) => Ok(cores),
        _ => Err("a number from 1 to 65535, or `real`, is expected".to_owned()),
    }
}

impl OwnOptions {
    pub(super) fn defaults() -> Self {
        Self::parse([]).expect("each has a default")
    }

    /// Parses options as if the user had typed them.
    pub(super) fn parse(options: impl IntoIterator<Item = String>) -> Result<Self, clap::Error> {
        let command = Self::augment_args(Command::new("run").no_binary_name(true));
        Self::from_arg_matches(&command.try_get_matches_from(options)?)
    }

    /// How to measure each metric, of which there is at least one.
    ///
    /// # Errors
    /// If a metric or the burden cannot be measured, or options contradict one another.
    pub(super) fn measures(&self) -> Result<Vec<Measure>, Failure> {
        let metrics = metric::names(&self.measuring.metric, self.measuring.emulate)?;
        let measures = metrics.into_iter().map(|metric| self.measure(metric));
        measures.collect()
    }

    fn measure(&self, metric: &str) -> Result<Measure, Failure> {
        let Measuring {
            assume_cores,
            baseline,
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
            standstill,
            runs: _,
        } = &self.measuring;
        let metric = Metric(metric);
        if !metric.is_measured_by_clock() && standstill.is_some() {
            let error = anyhow!(
                "--standstill needs --metric time: with --metric {metric}, workspan does not see what threads wait for"
            );
            return Err(Failure::new(USAGE, error));
        }
        if *emulate {
            metric.check_emulated()?;
        } else {
            metric.check()?;
        }
        if !metric.is_measured_by_clock() && clock.is_some() {
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
            assumed_cores: assume_cores
                .unwrap_or_else(|| machine::cores().max(DEFAULT_ASSUMED_CORES)),
            baseline: *baseline,
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
            record_bytes: *record_limit,
            // Exact functions need no samples, which would mostly hit the engine. Under the
            // emulator there are none, because samples are taken by time.
            sample_rate: if function_bytes.is_some() || *emulate {
                0
            } else {
                *sample_hz
            },
            standstill: *standstill,
            function_bytes,
        })
    }

    /// The number of threads, if the user chose one.
    pub(super) fn threads(&self) -> Option<u32> {
        self.measuring.threads
    }

    /// The number of assumed cores, if the user chose one.
    pub(super) fn assumed_cores(&self) -> Option<u32> {
        self.measuring.assume_cores.filter(|&cores| cores > 0)
    }

    /// Whether the user chose a clock.
    pub(super) fn has_clock(&self) -> bool {
        self.measuring.clock.is_some() || self.measuring.emulate
    }

    /// How many times to run the program.
    pub(super) fn runs(&self) -> u32 {
        self.measuring.runs
    }

    /// The destinations of the results.
    pub(super) fn outputs(&self) -> Outputs {
        let results = &self.results;
        let report = results.report.clone().unwrap_or(Sink::Stderr);
        Outputs {
            report: (!results.no_report).then_some(report),
            screen: results.screen,
            shown: results.shown.clone(),
            page: results.page.clone(),
            without_page: results.no_report && !results.page.open,
            path_of: None,
            profile: results.output.clone(),
            baseline: results.save_baseline.clone().map(Sink::File),
            exports: results.exports.clone(),
        }
    }
}
