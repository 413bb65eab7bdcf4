//! `workspan advise FILE.wsp`: which code to make parallel.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use workspan_model::{
    Code, Dag, Execution, Goal, Nanos, Profile, advise_with, average_tasking_overhead, what_if,
};
use workspan_report::{AdviceText, advice_json};

use super::EXIT_CODES;
use super::code::{Shown, cores};
use super::dag_of::dag_of;
use super::long_work::LongWork;
use super::what_if::WIDTH;
use crate::exit_code::{Failure, OrExit as _, PROFILE, USAGE};
use crate::machine_costs;
use crate::outputs::Sink;
use crate::screen::ScreenOptions;

/// The parallelism to reach, if nothing else is asked for.
const TARGET: f64 = 128.0;

/// By how much a step makes code parallel, at most.
const FACTOR: f64 = 128.0;

/// No strand is shorter than so many times what a task costs.
const THRESHOLD: f64 = 10.0;

/// What advice is to reach, if nothing else is asked for.
pub(crate) fn default_goal(profile: &Profile, dag: &Dag) -> Goal {
    goal(profile, dag, TARGET, FACTOR, THRESHOLD)
}

fn goal(profile: &Profile, dag: &Dag, target: f64, factor: f64, threshold: f64) -> Goal {
    let overhead = average_tasking_overhead(profile).as_nanos();
    Goal {
        target,
        factor,
        least_strand: Nanos::from_nanos_f64(threshold * overhead),
        locked: Execution::locked_in(profile, dag),
    }
}

#[derive(Debug, Args)]
struct Options {
    /// The profile, as written by a run
    #[arg(value_name = "FILE.wsp")]
    profile: PathBuf,
    /// The parallelism to reach: some ten times the cores that the program is to use
    #[arg(
        long,
        value_name = "PARALLELISM",
        default_value_t = TARGET,
        allow_negative_numbers = true
    )]
    target: f64,
    /// By how much a step makes code parallel, at most
    #[arg(
        long,
        value_name = "FACTOR",
        default_value_t = FACTOR,
        allow_negative_numbers = true
    )]
    factor: f64,
    /// Strands are not divided into tasks shorter than so many times what a task costs on average
    #[arg(
        long,
        value_name = "TIMES",
        default_value_t = THRESHOLD,
        allow_negative_numbers = true
    )]
    threshold: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    screen: ScreenOptions,
}

/// The command's description.
pub(super) fn command() -> Command {
    const EXAMPLES: &str = "Examples:\n  \
        workspan advise app.wsp\n  \
        workspan advise app.wsp --target 32 --factor 8";
    Options::augment_args(Command::new("advise"))
        .about("Tell which code to make parallel")
        .long_about(
            "Tells which code has to become parallel for the program to have the target parallelism, and by how much. It \
             takes the code with the largest part of the critical path, again and again, and stops where tasks would \
             cost more than they are worth. Whether that code can be made parallel it does not know. `workspan whatif` \
             takes each piece of code by the words printed here.",
        )
        .after_help(EXAMPLES)
        .after_long_help(format!("{EXAMPLES}\n\n{EXIT_CODES}"))
}

/// Prints the advice.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let options = Options::from_arg_matches(matches).or_exit(USAGE)?;
    check(&options).or_exit(USAGE)?;
    let (profile, dag) = dag_of(&options.profile)?;
    let code = Code::of(&profile, &dag);
    let goal = goal(
        &profile,
        &dag,
        options.target,
        options.factor,
        options.threshold,
    );
    let work = LongWork::on(&dag);
    work.at("looking for the first step");
    let mut steps = 0;
    let advice = advise_with(&dag, &code, goal, |step| {
        steps += 1;
        let parallelism = step.parallelism;
        work.at(&format!("step {steps}: parallelism {parallelism:.1}"));
    });
    work.at("changing the task dag and running it on cores");
    let (costs, _) = machine_costs::of_scheduling(&profile.run);
    let changes = advice.changes(&code);
    let cores = cores(&profile);
    let execution = Execution::of(&profile, &dag, &costs, &cores);
    let gain = what_if(&dag, &code, &changes, execution);
    drop(work);
    let pieces = advice.advised.iter().map(|advised| advised.code).collect();
    let shown = Shown::look_up(&options.profile, &profile, &dag, &code, &pieces)?;
    let view = shown.view(&profile, &dag, &code);
    let mut output = Vec::new();
    if options.json {
        advice_json(goal, &advice, &gain, &view, &mut output).or_exit(PROFILE)?;
    } else {
        let page = AdviceText {
            screen: options.screen.screen_of_width(&Sink::Stdout, WIDTH),
            goal,
            file: &options.profile.to_string_lossy(),
        };
        page.render(&advice, &gain, &view, &mut output)
            .or_exit(PROFILE)?;
    }
    Sink::Stdout.write(&output).or_exit(PROFILE)?;
    Ok(ExitCode::SUCCESS)
}

fn check(options: &Options) -> anyhow::Result<()> {
    let positive = |number: f64| number.is_finite() && number > 0.0;
    if !positive(options.target) {
        bail!(
            "--target {}: a parallelism greater than 0 is expected",
            options.target
        );
    }
    if !(options.factor.is_finite() && options.factor >= 2.0) {
        bail!(
            "--factor {}: a factor from 2 on is expected",
            options.factor
        );
    }
    if !positive(options.threshold) {
        bail!(
            "--threshold {}: a number greater than 0 is expected",
            options.threshold
        );
    }
    Ok(())
}
