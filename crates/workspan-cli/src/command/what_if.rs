//! `workspan whatif FILE.wsp`: predicts the effect of changes to the program.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{anyhow, bail};
use clap::{Arg, ArgAction, ArgMatches, Args as _, Command, FromArgMatches as _, value_parser};
use workspan_model::{
    Change, Code, Dag, DagFigures, Execution, Profile, Until, find_code, find_sites, task_cost,
    what_if,
};
use workspan_report::{WhatIfText, what_if_json};

use super::code::{CodeDetails, cores};
use super::dag_of::dag_of;
use super::long_work::LongWork;
use crate::exit_code::{EXIT_CODES, Failure, OrExit as _, PROFILE, USAGE};
use crate::machine_costs;
use crate::screen::ScreenOptions;
use crate::sink::Sink;

/// How many pieces of code on the changed critical path are shown with their source.
const SHOWN: usize = 3;

/// Default width of text with lines of source, where there is no terminal.
pub(super) const WIDTH: usize = 100;

/// The command's description.
pub(super) fn command() -> Command {
    let factor = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("FACTOR")
            .action(ArgAction::Append)
            .allow_negative_numbers(true)
            .value_parser(value_parser!(f64))
            .help(help)
    };
    ScreenOptions::augment_args(Command::new("whatif"))
        .about("Tell what changes would give, before anyone writes them")
        .long_about(
            "Tells what the program's parallelism and speedup would be if some of its code were parallel, faster, or \
             divided into fewer tasks. It computes that from the task dag which the run has recorded, without another \
             run, so it cannot know whether the change can be made.\n\n\
             A REGION is a range of lines (src/main.rs:40-61: the code between constructs in these lines), a spawn site \
             (main.rs:40), a function, a region that the program names, or a piece of code as `workspan advise` prints it \
             (FROM..TO). Each --region is followed by what becomes of it.\n\n\
             Functions without spawn sites, and lines without any, are known by samples: by the share of the strands \
             that they take with all that they call. What changes of them give is an estimate, told with its range.",
        )
        .arg(
            Arg::new("profile")
                .value_name("FILE.wsp")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("The profile, as written by a run"),
        )
        .arg(
            Arg::new("region")
                .long("region")
                .value_name("REGION")
                .action(ArgAction::Append)
                .help("Code to change; the options after it say how"),
        )
        .arg(factor(
            "parallelise",
            "The region's part of the critical path is divided by this, its work stays",
        ))
        .arg(factor(
            "speed-up",
            "The region runs so many times as fast: its work shrinks, too",
        ))
        .arg(
            Arg::new("grain-of")
                .long("grain-of")
                .value_names(["SITE", "N"])
                .num_args(2)
                .action(ArgAction::Append)
                .allow_negative_numbers(true)
                .help("N tasks of a spawn site become one: less tasking overhead, less parallelism"),
        )
        .arg(
            Arg::new("until")
                .long("until")
                .value_name("PARALLELISM")
                .allow_negative_numbers(true)
                .value_parser(value_parser!(f64))
                .help("Find the smallest factor for the regions that have none, so that this parallelism is reached"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Print JSON"),
        )
        .after_help(EXAMPLES)
        .after_long_help(format!("{EXAMPLES}\n\n{EXIT_CODES}"))
}

const EXAMPLES: &str = "Examples:\n  \
    workspan whatif app.wsp --region src/main.rs:40-61 --parallelise 8\n  \
    workspan whatif app.wsp --region partition --until 128\n  \
    workspan whatif app.wsp --region load --speed-up 2 --region src/sort.rs:31 --parallelise 4\n  \
    workspan whatif app.wsp --grain-of src/main.rs:40 4";

/// The smallest factor of `--speed-up`. Smaller ones would make times too large to be meaningful.
const LEAST_SPEED_UP: f64 = 0.001;

/// A region, and the factors to change it by.
#[derive(Debug, PartialEq)]
struct Request {
    words: String,
    parallelise: Option<f64>,
    speed_up: Option<f64>,
}

/// Prints what the changes give.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let screen = ScreenOptions::from_arg_matches(matches).or_exit(USAGE)?;
    let file: &PathBuf = matches.get_one("profile").expect("clap requires it");
    let until = matches.get_one::<f64>("until").copied();
    let requests = requests(matches).or_exit(USAGE)?;
    let grains = grains(matches).or_exit(USAGE)?;
    check(&requests, &grains, until).or_exit(USAGE)?;
    let (profile, dag) = dag_of(file)?;
    let work = LongWork::on_dag(&dag);
    work.begin("looking for the code");
    let code = Code::new(&profile, &dag);
    let (mut changes, without_factor) =
        changes(&profile, &dag, &code, &requests, &grains).or_exit(USAGE)?;
    let found = until.map(|target| {
        work.begin("looking for the factor");
        let until = find_factor(&dag, &mut changes, &without_factor, target);
        (target, until)
    });

    let plain: Vec<Change> = changes.iter().map(|(_, change)| change.clone()).collect();
    let (costs, _) = machine_costs::of_scheduling(&profile.run);
    work.begin("changing the task dag and running it on cores");
    let cores = cores(&profile);
    let execution = Execution::new(&profile, &dag, &costs, &cores);
    let answer = what_if(&dag, &code, &plain, execution);
    drop(work);
    let longest = longest(&answer.after);
    let details = CodeDetails::look_up(file, &profile, &dag, &code, &longest)?;
    let view = details.view(&profile, &dag, &code);
    let page = WhatIfText {
        screen: screen.screen_of_width(&Sink::Stdout, WIDTH),
        changes: &changes,
        until: found,
    };
    let written = match matches.get_flag("json") {
        true => Sink::Stdout
            .write_rendered(|output| what_if_json(&changes, found, &answer, &view, output)),
        false => Sink::Stdout.show(|output| page.render(&answer, &view, output)),
    };
    written.or_exit(PROFILE)?;
    Ok(ExitCode::SUCCESS)
}

/// The code with the largest parts of a critical path.
fn longest(figures: &DagFigures) -> BTreeSet<usize> {
    let parts = figures.path.iter().take(SHOWN);
    parts.map(|part| part.code).collect()
}

/// The regions, each with the factors between it and the next one on the command line.
fn requests(matches: &ArgMatches) -> anyhow::Result<Vec<Request>> {
    let words = matches.get_many::<String>("region").into_iter().flatten();
    let places = matches.indices_of("region").into_iter().flatten();
    let mut requests: Vec<(usize, Request)> = places
        .zip(words)
        .map(|(place, words)| {
            let words = words.clone();
            let (parallelise, speed_up) = (None, None);
            let request = Request {
                words,
                parallelise,
                speed_up,
            };
            (place, request)
        })
        .collect();
    for option in ["parallelise", "speed-up"] {
        let factors = matches.get_many::<f64>(option).into_iter().flatten();
        let places = matches.indices_of(option).into_iter().flatten();
        for (place, &factor) in places.zip(factors) {
            let before = requests
                .iter_mut()
                .rev()
                .find(|(region, _)| *region < place);
            let Some((_, request)) = before else {
                bail!(
                    "--{option} {factor} stands before any --region: put it behind the one that it is for"
                );
            };
            let slot = match option {
                "parallelise" => &mut request.parallelise,
                _ => &mut request.speed_up,
            };
            if slot.replace(factor).is_some() {
                bail!("--region {} has two times --{option}", request.words);
            }
        }
    }
    Ok(requests.into_iter().map(|(_, request)| request).collect())
}

/// The sites of `--grain-of`, with how many of their tasks become one.
fn grains(matches: &ArgMatches) -> anyhow::Result<Vec<(String, u32)>> {
    let occurrences = matches.get_occurrences::<String>("grain-of");
    occurrences
        .into_iter()
        .flatten()
        .map(|mut words| {
            let (site, count) = (words.next(), words.next());
            let (site, count) = site.zip(count).expect("clap takes two");
            match count.parse::<u32>() {
                Ok(count) if count >= 2 => Ok((site.clone(), count)),
                _ => Err(anyhow!(
                    "--grain-of {site} {count}: a whole number of tasks from 2 on is expected"
                )),
            }
        })
        .collect()
}

/// Checks that something is to change, and that factors are in their ranges.
fn check(requests: &[Request], grains: &[(String, u32)], until: Option<f64>) -> anyhow::Result<()> {
    if requests.is_empty() && grains.is_empty() {
        bail!("nothing is to change: name a --region and a factor, or a --grain-of");
    }
    for request in requests {
        let words = &request.words;
        if let Some(factor) = request.parallelise
            && !(factor.is_finite() && factor >= 1.0)
        {
            bail!("--region {words} --parallelise {factor}: a factor from 1 on is expected");
        }
        if let Some(factor) = request.speed_up
            && !(factor.is_finite() && factor >= LEAST_SPEED_UP)
        {
            bail!(
                "--region {words} --speed-up {factor}: a factor greater than 0 is expected, {LEAST_SPEED_UP} at least"
            );
        }
    }
    let lacks_factor =
        |request: &&Request| request.parallelise.is_none() && request.speed_up.is_none();
    match (requests.iter().find(lacks_factor), until) {
        (Some(request), None) => bail!(
            "--region {}: by what? --parallelise 8, --speed-up 2, or --until 128 to have a factor found",
            request.words
        ),
        (None, Some(_)) => {
            bail!("--until needs a --region without a factor, for which to find one")
        }
        (_, Some(target)) if !(target.is_finite() && target > 0.0) => {
            bail!("--until {target}: a parallelism greater than 0 is expected")
        }
        _ => Ok(()),
    }
}

/// Changes, each with the user's words for the code.
type Named = Vec<(String, Change)>;

/// The requested changes, and the indices of those that have no factor yet.
fn changes(
    profile: &Profile,
    dag: &Dag,
    code: &Code,
    requests: &[Request],
    grains: &[(String, u32)],
) -> anyhow::Result<(Named, Vec<usize>)> {
    let mut changes = Named::new();
    let mut without_factor = Vec::new();
    // Tasks are merged first, so that code that is then made parallel stays parallel.
    for (words, factor) in grains {
        let sites = find_sites(profile, dag, words)?;
        let kind = profile.sites[sites[0].index()].kind;
        let cost = dag.ticks_of(task_cost(kind, &profile.calibration).as_nanos());
        let factor = *factor;
        let change = Change::Coarsen {
            sites,
            factor,
            cost,
        };
        changes.push((words.clone(), change));
    }
    for request in requests {
        let code = find_code(profile, dag, code, &request.words)?;
        if let Some(factor) = request.speed_up {
            let code = code.clone();
            changes.push((request.words.clone(), Change::SpeedUp { code, factor }));
        }
        if request.speed_up.is_none() || request.parallelise.is_some() {
            if request.parallelise.is_none() {
                without_factor.push(changes.len());
            }
            let factor = request.parallelise.unwrap_or(1.0);
            changes.push((request.words.clone(), Change::Parallelise { code, factor }));
        }
    }
    Ok((changes, without_factor))
}

/// Finds the factor that reaches the parallelism `target`, and sets it in the changes at
/// `without_factor`.
fn find_factor(dag: &Dag, changes: &mut Named, without_factor: &[usize], target: f64) -> Until {
    let fixed = changes.iter().map(|(_, change)| change.clone());
    let changed = dag.with_changes(&fixed.collect::<Vec<_>>());
    let codes = without_factor
        .iter()
        .filter_map(|&index| changes[index].1.code());
    let codes: Vec<_> = codes.cloned().collect();
    let until = changed.parallelised_until(&codes, target);
    for &index in without_factor {
        if let Change::Parallelise { factor, .. } = &mut changes[index].1 {
            *factor = until.factor();
        }
    }
    until
}
