//! Measures what profiling costs: alternates plain and profiled runs of each program of the
//! benchmark suite, and judges the figures.
//!
//! ```text
//! cargo run --release --package workspan-overhead --bin overhead -- --help
//! ```
#![forbid(unsafe_code)]

mod comparison;
mod tables;

use std::process::ExitCode;
use std::thread;

use anyhow::Context as _;
use clap::Parser;
use workspan_gate::{Form, Gates, Machine};
use workspan_overhead::{EXAMPLES, Executables, Launch, ONE_JOIN, Program, SUITE, geometric_mean};

use comparison::{Comparison, OneWorker};

/// Compares the profiled runs of the benchmark suite with its plain runs.
///
/// Each program runs plain and profiled in turns, profiled as `workspan run` does by default: with
/// the record of the task dag, with samples, cut for 64 cores. The tables show the time and the
/// memory of whole processes; then the work that a profile reports of a run on one thread, beside
/// the processor time of a plain run; then all gates.
#[derive(Debug, Parser)]
struct Options {
    /// Smaller inputs, fewer pairs, and without exact timing
    #[arg(long)]
    short: bool,
    /// Only the programs whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// The case studies of `examples/` too, in a table without goals
    #[arg(long)]
    examples: bool,
}

/// Pairs of runs of [`ONE_JOIN`], each of which takes milliseconds.
const START_UP_PAIRS: u16 = 21;

impl Options {
    /// Pairs of runs of each program.
    fn pairs(&self) -> u16 {
        if self.short { 5 } else { 7 }
    }

    /// Pairs of runs of each program on one thread.
    fn pairs_on_one_thread(&self) -> u16 {
        if self.short { 3 } else { 7 }
    }

    fn chosen(&self, programs: &'static [Program]) -> impl Iterator<Item = &'static Program> {
        programs.iter().filter(|program| match &self.only {
            Some(text) => program.name.contains(text.as_str()),
            // Exact timing takes half as long as all others together.
            None => !self.short || !program.exact_timing,
        })
    }
}

fn main() -> anyhow::Result<ExitCode> {
    let options = Options::parse();
    let mut measuring = Measuring {
        executables: Executables::build()?,
        gates: Gates::open("overhead", Form::from_short(options.short))?,
        options,
    };
    measuring.print_all()?;
    println!("## Gates\n");
    Ok(measuring.gates.finish()?.into())
}

struct Measuring {
    executables: Executables,
    options: Options,
    gates: Gates,
}

impl Measuring {
    /// Prints each table as soon as it is measured.
    fn print_all(&mut self) -> anyhow::Result<()> {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let inputs = if self.options.short { "small" } else { "full" };
        println!("{} pairs of runs, {inputs} inputs.\n", self.options.pairs());
        let suite = self.compare_all(&SUITE)?;
        anyhow::ensure!(
            !suite.is_empty(),
            "no program has this in its name; leave --only out to see all"
        );
        println!("## The suite\n\n{}", tables::comparisons(&suite, threads));
        self.judge_suite(&suite)?;
        let (one_join, machine) = self.compare(&ONE_JOIN, START_UP_PAIRS)?;
        let added: Vec<f64> = one_join.added().map(|seconds| 1e3 * seconds).collect();
        self.gates.judge("one_join/added-ms", &added, machine)?;
        let one_worker = self.work_of_one_worker()?;
        println!(
            "## Work on one worker\n\n{}",
            tables::one_worker(&one_worker)
        );
        if self.options.examples {
            for program in self.options.chosen(&EXAMPLES) {
                self.executables
                    .build_example(program.executable, program.least)?;
            }
            let examples = self.compare_all(&EXAMPLES)?;
            println!(
                "## The case studies\n\n{}",
                tables::comparisons(&examples, threads)
            );
        }
        Ok(())
    }

    /// Judges each program's time and memory, and the mean of all with default timing.
    fn judge_suite(&mut self, suite: &[(Comparison, Machine)]) -> anyhow::Result<()> {
        for (comparison, machine) in suite {
            let gate = |figure: &str| format!("{}/{figure}", comparison.program.gate());
            let ratios: Vec<f64> = comparison.ratios().collect();
            self.gates.judge(&gate("ratio"), &ratios, *machine)?;
            let beyond: Vec<f64> = comparison.mebibytes_beyond().collect();
            self.gates.judge(&gate("memory-mib"), &beyond, *machine)?;
        }
        if self.options.only.is_some() {
            return Ok(());
        }
        let by_default: Vec<&(Comparison, Machine)> = suite
            .iter()
            .filter(|(comparison, _)| !comparison.program.exact_timing)
            .collect();
        let ratios: Vec<Vec<f64>> = by_default
            .iter()
            .map(|(comparison, _)| comparison.ratios().collect())
            .collect();
        let mean = |pair: usize| geometric_mean(ratios.iter().map(|ratios| ratios[pair]));
        let means: Vec<f64> = (0..usize::from(self.options.pairs())).map(mean).collect();
        let machine = Machine::worst(by_default.iter().map(|(_, machine)| *machine));
        self.gates.judge("all/ratio-mean", &means, machine)?;
        Ok(())
    }

    fn compare_all(
        &mut self,
        programs: &'static [Program],
    ) -> anyhow::Result<Vec<(Comparison, Machine)>> {
        let programs: Vec<_> = self.options.chosen(programs).collect();
        let pairs = self.options.pairs();
        programs
            .into_iter()
            .map(|program| self.compare(program, pairs))
            .collect()
    }

    /// Alternates plain and profiled runs of a program, after one run of each that does not count.
    fn compare(
        &mut self,
        program: &'static Program,
        pairs: u16,
    ) -> anyhow::Result<(Comparison, Machine)> {
        let launch = launch(&self.executables, program, &self.options);
        let measure = || -> anyhow::Result<Comparison> {
            launch.plain()?;
            let mut comparison = Comparison::new(program, launch.profile()?.tasks()?);
            for pair in 0..pairs {
                // The order alternates, so that a drift favours either side equally often.
                if pair % 2 == 0 {
                    let plain = launch.plain()?;
                    comparison.add(plain, launch.profiled()?);
                } else {
                    let profiled = launch.profiled()?;
                    comparison.add(launch.plain()?, profiled);
                }
            }
            Ok(comparison)
        };
        let measured = self.gates.watch(measure);
        measured.with_context(|| format!("{} cannot be measured", program.name))
    }

    /// Runs each program of the suite on one thread, and judges its work.
    fn work_of_one_worker(&mut self) -> anyhow::Result<Vec<OneWorker>> {
        let chosen = self.options.chosen(&SUITE);
        let mut measured = Vec::new();
        for program in chosen.filter(|program| !program.exact_timing) {
            let launch = Launch {
                threads: Some(1),
                ..launch(&self.executables, program, &self.options)
            };
            let pair = |_| -> anyhow::Result<(f64, f64)> {
                let plain = launch.plain()?.processor.as_secs_f64();
                Ok((plain, launch.profile()?.whole()?.work.as_secs_f64()))
            };
            let pairs = 0..self.options.pairs_on_one_thread();
            let (pairs, machine) = self
                .gates
                .watch(|| pairs.map(pair).collect())
                .with_context(|| format!("{} cannot be measured on one thread", program.name))?;
            let one_worker = OneWorker { program, pairs };
            let off: Vec<f64> = one_worker.percents_off().collect();
            self.gates
                .judge(&format!("{}/work-percent", program.gate()), &off, machine)?;
            measured.push(one_worker);
        }
        Ok(measured)
    }
}

fn launch<'a>(
    executables: &'a Executables,
    program: &'static Program,
    options: &Options,
) -> Launch<'a> {
    let arguments = program.arguments(Form::from_short(options.short));
    Launch {
        exact_timing: program.exact_timing,
        ..Launch::new(executables, program.group, program.executable, arguments)
    }
}
