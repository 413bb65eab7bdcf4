//! `workspan predict FILE.wsp`: simulates a scheduler that runs the recorded tasks on any number of
//! cores.

mod costs;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{anyhow, bail};
use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use workspan_model::{
    Analysis, Dag, Profile, Scheduler, Simulation, SpeedupCurve, analyse_with_dag, totals,
};
use workspan_report::{Predictions, verdict_sentence};

use super::cores::Cores;
use super::dag_of::dag_of;
use crate::exit_code::{EXIT_CODES, Failure, OrExit as _, PROFILE, USAGE};
use crate::message;
use crate::report_options::name_parser;
use crate::screen::ScreenOptions;
use crate::sink::{Sink, write_to};
use costs::CostOptions;

/// Number of simulated vertices from which progress is shown. They take some seconds.
const LONG: usize = 30_000_000;

#[derive(Debug, Args)]
struct Options {
    /// The profile, as written by a run that recorded its tasks
    #[arg(value_name = "FILE.wsp")]
    profile: PathBuf,
    /// Numbers of cores, such as `1..64`, `2,4,8` or `1..8,16,32`; both ends of a range are in it
    #[arg(long, value_name = "LIST", default_value = "1,2,4,8,16,32,64")]
    cores: Cores,
    /// Simulated runs for each number of cores, each with other random victims
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    seeds: u32,
    /// Whose rules: under `rayon`, as for tasks of OpenMP and oneTBB, a spawned task is offered to other cores, and who waits for one does something else
    /// meanwhile; under `cilk` the code after the spawn is offered, and the last to arrive at a sync goes on
    #[arg(long, value_name = "NAME", default_value = "rayon", value_parser = name_parser(Scheduler::ALL, Scheduler::name))]
    scheduler: Scheduler,
    #[command(flatten)]
    costs: CostOptions,
    /// Write the predictions as JSON, in place of the table (`-`, or nothing = standard output)
    #[arg(long, value_name = "FILE", value_parser = Sink::parser(), num_args = 0..=1, default_missing_value = "-")]
    json: Option<Sink>,
    /// Write the predictions as CSV, in place of the table (`-`, or nothing = standard output)
    #[arg(long, value_name = "FILE", value_parser = Sink::parser(), num_args = 0..=1, default_missing_value = "-")]
    csv: Option<Sink>,
    #[command(flatten)]
    screen: ScreenOptions,
}

const EXAMPLES: &str = "Examples:\n  \
    workspan predict app.wsp --cores 1..8,16,64\n  \
    workspan predict app.wsp --cores 64 --steal-cost 2us   what if stealing took longer?\n  \
    workspan predict app.wsp --cores 1..64 --csv app.csv   for a plot";

/// The command's description.
pub(super) fn command() -> Command {
    Options::augment_args(Command::new("predict"))
        .about("Predict the speedup on any number of cores from one recorded run")
        .long_about(
            "Simulates a work-stealing scheduler over the tasks of a recorded run, with each number of cores: a worker \
             takes its youngest task, or steals the oldest of another one chosen at random. No second run is needed, and \
             the number of cores of this machine does not matter.\n\n\
             The prediction lies between the bounds that `workspan report` prints: the upper one, which no scheduler can \
             exceed, and the lower one, which pays for moving every task on the critical path. Where it stays far below \
             the upper bound while cores idle, tasks are there too late or are too long: see where `workspan whatif` \
             shortens the critical path. Where cores do not idle and the real speedup is still less, the cores slow one \
             another down in caches and memory; the simulation takes a strand to be as fast as it was recorded.\n\n\
             The speedup is that over the recorded work, so compare it with the time of a plain run on one \
             thread (RAYON_NUM_THREADS=1, OMP_NUM_THREADS=1) over that of a plain run with as many threads as cores. Rayon cuts \
             parallel iterators, and OpenMP its loops, for the number of cores that the run assumed (--assume-cores), also in \
             the prediction for fewer.\n\n\
             Costs are those of `workspan calibrate`: as stored in the profile by `--burden measured`, else those kept of \
             this machine, else typical ones. Of a profile that counts events, such as instructions, a steal takes the profile's \
             burden, and nothing else costs anything.",
        )
        .after_help(EXAMPLES)
        .after_long_help(format!("{EXAMPLES}\n\n{EXIT_CODES}"))
}

/// Predicts and prints.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    let (profile, dag) = dag_of(&options.profile)?;
    let analysis = analyse_with_dag(&profile, Some(&dag));
    if !analysis.shows_speedups() {
        let why = verdict_sentence(&analysis);
        return Err(Failure::new(
            PROFILE,
            anyhow!("the run shows no speedups to predict. {why}"),
        ));
    }
    let cores = reached(&options.cores, &analysis).or_exit(USAGE)?;
    let curve = predicted(&options, &cores, &profile, &dag).or_exit(USAGE)?;
    let predictions = Predictions {
        profile: &profile,
        dag: &dag,
        curve: &curve,
    };
    write(&options, &predictions).or_exit(PROFILE)?;
    Ok(ExitCode::SUCCESS)
}

/// The numbers of cores, of those asked for, that the run says something about.
fn reached(asked: &Cores, analysis: &Analysis) -> anyhow::Result<Vec<u32>> {
    let most = analysis.verdict.divided_for.unwrap_or(u32::MAX);
    let asked = asked.numbers().iter().copied();
    let (reached, beyond): (Vec<u32>, Vec<u32>) = asked.partition(|&cores| cores <= most);
    let why = format!(
        "the work was divided for {most} threads, so what more cores would bring is not known"
    );
    if reached.is_empty() {
        bail!("{why}");
    }
    if !beyond.is_empty() {
        message::note(why);
    }
    Ok(reached)
}

fn predicted(
    options: &Options,
    cores: &[u32],
    profile: &Profile,
    dag: &Dag,
) -> anyhow::Result<SpeedupCurve> {
    let (costs, costs_source) = options.costs.resolve(profile, dag.ticks_per_second)?;
    let simulation = Simulation::new(dag, &costs, options.scheduler);
    // On one core nothing is random, so there is only one run.
    let runs = |&number: &u32| {
        if number == 1 {
            1
        } else {
            options.seeds as usize
        }
    };
    let runs: usize = cores.iter().map(runs).sum();
    let is_long = simulation.vertices() * runs > LONG;
    let done = AtomicUsize::new(0);
    let ran = || {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if is_long {
            message::progress(format_args!("{done} of {runs} runs simulated"));
        }
    };
    // The dag does not contain locks.
    let most = totals(profile).most_speedup_by_locks();
    let predict = |&number: &u32| {
        let prediction = simulation.prediction_with(number, options.seeds, ran);
        prediction.at_most(most)
    };
    let predictions = cores.par_iter().map(predict).collect();
    if is_long {
        message::clear_progress();
    }
    Ok(SpeedupCurve {
        scheduler: options.scheduler,
        costs,
        costs_source,
        predictions,
        on_one_core: simulation.prediction(1, 1),
    })
}

fn write(options: &Options, predictions: &Predictions<'_>) -> anyhow::Result<()> {
    write_to(&options.json, |output| predictions.json(output))?;
    write_to(&options.csv, |output| predictions.csv(output))?;
    if options.json.is_none() && options.csv.is_none() {
        let screen = options.screen.screen(&Sink::Stdout);
        Sink::Stdout.show(|output| predictions.text(screen, output))?;
    }
    Ok(())
}
