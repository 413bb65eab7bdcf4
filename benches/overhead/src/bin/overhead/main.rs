//! Measures what profiling costs: runs each program of the benchmark suite plain and profiled, in
//! turns, and prints the figures beside the goals.
//!
//! ```text
//! cargo run --release --package workspan-overhead --bin overhead -- --help
//! ```
#![forbid(unsafe_code)]

mod comparison;
mod goals;
mod programs;
mod tables;

use std::process::ExitCode;
use std::thread;

use anyhow::Context as _;
use clap::Parser;
use workspan_overhead::{Executables, Functions, Launch, Threads, Timing, describe_machine};

use comparison::{Comparison, OneWorker};
use goals::{Goal, Room};
use programs::{EXAMPLES, ONE_JOIN, Program, SUITE, Size};

/// Compares the profiled runs of the benchmark suite with its plain runs.
///
/// Each program runs plain and profiled in turns. The tables show the time and the memory of whole
/// processes; then the work that a profile tells of a run on one thread, beside the processor time
/// of a plain run; then all goals. A busy machine disturbs the figures: min - max says how much.
#[derive(Debug, Parser)]
struct Options {
    /// Smaller inputs and 3 pairs, up to 9 where the ratio is too large; --check then leaves room for noise beyond what is
    /// known of each program: 1.5 times for ratios and memory, 4 for start and exit, 13 for work on one worker
    #[arg(long)]
    short: bool,
    /// Exit with code 1 when a goal is missed
    #[arg(long)]
    check: bool,
    /// How often each program runs plain and profiled [default: 7; 3 with --short]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pairs: Option<u16>,
    /// The number of cores that profiled programs are cut for; repeat it for more tables. The
    /// goals are for `real`, which leaves the plain run's tasks as they are
    #[arg(long, value_name = "N|real", default_values = ["real"], value_parser = assumed_cores)]
    assume_cores: Vec<u32>,
    /// Only the programs whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// The case studies of `examples/` too, in a table without goals
    #[arg(long)]
    examples: bool,
}

/// The number of cores that a word stands for, 0 for the machine's.
fn assumed_cores(word: &str) -> Result<u32, String> {
    match word.parse() {
        _ if word == "real" => Ok(0),
        Ok(cores) if cores > 0 => Ok(cores),
        _ => Err("give a number of cores or `real`".to_owned()),
    }
}

impl Options {
    fn size(&self) -> Size {
        if self.short { Size::Short } else { Size::Full }
    }

    fn pairs(&self) -> u16 {
        self.pairs.unwrap_or(if self.short { 3 } else { 7 })
    }

    /// Pairs of runs on one thread. Short runs are soon spoilt by what else runs: of three, two once were.
    fn one_worker_pairs(&self) -> u16 {
        if self.short { 9 } else { self.pairs().min(5) }
    }

    /// Pairs of starts and exits.
    fn start_up_pairs(&self) -> u16 {
        self.pairs().max(20)
    }

    fn room(&self) -> Room {
        if self.short { Room::SHORT } else { Room::NONE }
    }

    fn chosen(&self, programs: &'static [Program]) -> impl Iterator<Item = &'static Program> {
        programs.iter().filter(|program| {
            self.only
                .as_ref()
                .is_none_or(|text| program.name.contains(text.as_str()))
        })
    }
}

fn main() -> anyhow::Result<ExitCode> {
    let options = Options::parse();
    let measuring = Measuring {
        executables: Executables::build()?,
        options,
    };
    let goals = measuring.print_all()?;
    let missed = goals.iter().filter(|goal| !goal.is_met_with_room());
    let missed: Vec<&str> = missed.map(|goal| goal.what.as_str()).collect();
    if measuring.options.check && !missed.is_empty() {
        eprintln!(
            "overhead: missed, even with room for noise: {}",
            missed.join("; ")
        );
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

struct Measuring {
    executables: Executables,
    options: Options,
}

impl Measuring {
    /// Prints each table as soon as it is measured. Returns the goals.
    fn print_all(&self) -> anyhow::Result<Vec<Goal>> {
        let Measuring { options, .. } = self;
        let threads = thread::available_parallelism().map_or(1, usize::from);
        println!("{}", self.heading());
        let mut goals = Vec::new();
        for &cores in &options.assume_cores {
            let suite = self.compare_all(&SUITE, cores)?;
            if suite.is_empty() {
                anyhow::bail!("no program has this in its name; leave --only out to see all");
            }
            println!("## The suite, cut for {}\n", cut_for(cores));
            println!("{}", tables::comparisons(&suite, threads, cores == 0));
            if cores == 0 {
                goals.extend(goals::ratio_goals(&suite, options.room()));
            }
        }
        if options.assume_cores.contains(&0) {
            let one_join = self.compare(&ONE_JOIN, 0, options.start_up_pairs())?;
            goals.push(goals::start_up_goal(&one_join, options.room()));
            let one_worker = self.work_of_one_worker()?;
            println!(
                "## Work on one worker\n\n{}",
                tables::one_worker(&one_worker)
            );
            goals.extend(goals::work_goals(&one_worker, options.room()));
            println!("## Goals\n\n{}", tables::goals(&goals));
        }
        if options.examples {
            for program in options.chosen(&EXAMPLES) {
                self.executables
                    .build_example(program.executable, program.least)?;
            }
            let examples = self.compare_all(&EXAMPLES, 0)?;
            println!(
                "## The case studies\n\n{}",
                tables::comparisons(&examples, threads, false)
            );
        }
        Ok(goals)
    }

    /// What was measured, where and how.
    fn heading(&self) -> String {
        let inputs = match self.options.size() {
            Size::Full => "full",
            Size::Short => "small",
        };
        format!(
            "{} pairs of runs on {}, {inputs} inputs.\n",
            self.options.pairs(),
            describe_machine()
        )
    }

    fn compare_all(
        &self,
        programs: &'static [Program],
        cores: u32,
    ) -> anyhow::Result<Vec<Comparison>> {
        let programs = self.options.chosen(programs);
        programs
            .map(|program| self.compare(program, cores, self.options.pairs()))
            .collect()
    }

    /// Runs a program plain and profiled in turns, after one run of each that is not counted.
    fn compare(
        &self,
        program: &'static Program,
        cores: u32,
        pairs: u16,
    ) -> anyhow::Result<Comparison> {
        let launch = self.launch(program, Threads::All);
        let plain_path = self.executables.plain(program.group, program.executable);
        let profiled_path = self.executables.profiled(program.group, program.executable);
        let plain = || launch.plain(&plain_path);
        let profiled = || launch.profiled(&profiled_path, program.timing, cores);
        let measure = || -> anyhow::Result<Comparison> {
            plain()?;
            let workspan = self.executables.workspan();
            let profile = launch.profile(&workspan, &profiled_path, program.timing, cores)?;
            let mut comparison = Comparison::new(program, profile.tasks()?);
            for pair in 0..self.most_pairs(pairs) {
                if pair >= pairs && !goals::is_beyond(&comparison, self.options.room()) {
                    break;
                }
                // Whatever drifts favours either side equally often.
                if pair % 2 == 0 {
                    let plain = plain()?;
                    comparison.add(plain, profiled()?);
                } else {
                    let profiled = profiled()?;
                    comparison.add(plain()?, profiled);
                }
            }
            Ok(comparison)
        };
        measure().with_context(|| format!("{} cannot be measured", program.name))
    }

    /// How many pairs there are of a program whose ratio is too large: few pairs are soon spoilt by what else runs.
    fn most_pairs(&self, pairs: u16) -> u16 {
        if self.options.short {
            pairs.max(9)
        } else {
            pairs
        }
    }

    /// Runs each program of the suite on one thread.
    fn work_of_one_worker(&self) -> anyhow::Result<Vec<OneWorker>> {
        let by_default = |program: &&'static Program| program.timing == Timing::Default;
        let programs = self.options.chosen(&SUITE).filter(by_default);
        let measure = |program: &'static Program| -> anyhow::Result<OneWorker> {
            let launch = self.launch(program, Threads::One);
            let plain_path = self.executables.plain(program.group, program.executable);
            let profiled_path = self.executables.profiled(program.group, program.executable);
            let workspan = self.executables.workspan();
            let pair = |_| {
                let plain = launch.plain(&plain_path)?;
                let profile = launch.profile(&workspan, &profiled_path, program.timing, 0)?;
                Ok((plain.processor.as_secs_f64(), profile.work()?.as_secs_f64()))
            };
            let pairs = (0..self.options.one_worker_pairs()).map(pair);
            let pairs = pairs.collect::<anyhow::Result<_>>()?;
            Ok(OneWorker { program, pairs })
        };
        programs
            .map(|program| {
                measure(program)
                    .with_context(|| format!("{} cannot be measured on one thread", program.name))
            })
            .collect()
    }

    fn launch(&self, program: &'static Program, threads: Threads) -> Launch<'static> {
        Launch {
            arguments: program.arguments(self.options.size()),
            threads,
            functions: Functions::Sampled,
        }
    }
}

fn cut_for(cores: u32) -> String {
    match cores {
        0 => "the machine's cores".to_owned(),
        cores => format!("{cores} assumed cores"),
    }
}
