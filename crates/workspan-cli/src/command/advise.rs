//! `workspan advise FILE.wsp`: finds the code to make parallel.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use workspan_model::{Code, Execution, advise_with, what_if};
use workspan_report::{AdviceText, advice_json};

use super::code::{CodeDetails, cores};
use super::dag_of::dag_of;
use super::long_work::LongWork;
use super::what_if::WIDTH;
use crate::exit_code::{EXIT_CODES, Failure, OrExit as _, PROFILE, USAGE};
use crate::goal::{FACTOR, TARGET, THRESHOLD, goal};
use crate::machine_costs;
use crate::screen::ScreenOptions;
use crate::sink::Sink;

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
    let code = Code::new(&profile, &dag);
    let goal = goal(
        &profile,
        &dag,
        options.target,
        options.factor,
        options.threshold,
    );
    let work = LongWork::on_dag(&dag);
    work.begin("looking for the first step");
    let mut steps = 0;
    let advice = advise_with(&dag, &code, goal, |step| {
        steps += 1;
        let parallelism = step.parallelism;
        work.begin(&format!("step {steps}: parallelism {parallelism:.1}"));
    });
    work.begin("changing the task dag and running it on cores");
    let (costs, _) = machine_costs::of_scheduling(&profile.run);
    let changes = advice.changes(&code);
    let cores = cores(&profile);
    let execution = Execution::new(&profile, &dag, &costs, &cores);
    let gain = what_if(&dag, &code, &changes, execution);
    drop(work);
    let pieces = advice.advised.iter().map(|advised| advised.code).collect();
    let details = CodeDetails::look_up(&options.profile, &profile, &dag, &code, &pieces)?;
    let view = details.view(&profile, &dag, &code);
    let page = AdviceText {
        screen: options.screen.screen_of_width(&Sink::Stdout, WIDTH),
        goal,
        file: &options.profile.to_string_lossy(),
    };
    let written = match options.json {
        true => {
            Sink::Stdout.write_rendered(|output| advice_json(goal, &advice, &gain, &view, output))
        }
        false => Sink::Stdout.show(|output| page.render(&advice, &gain, &view, output)),
    };
    written.or_exit(PROFILE)?;
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
