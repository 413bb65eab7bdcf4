//! Profiles the programs of the benchmark suite whose parallelism others have published, and
//! prints both.
//!
//! ```text
//! cargo run --release --package workspan-overhead --bin published -- --help
//! ```
#![forbid(unsafe_code)]

mod figures;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Parser;
use workspan_gate::{Form, Gates, Machine};
use workspan_overhead::{Executables, Group, Launch, Profile, Site, Table};

use figures::{FIGURES, Figure, Part};

/// Profiles programs whose parallelism others have published, prints both, and judges their ratio.
///
/// Programs run on one thread, as they did under Cilkprof. The figure is the median of all runs,
/// beside the least and the greatest.
#[derive(Debug, Parser)]
struct Options {
    /// Small inputs, for which no figure is published: those on which the structure alone bounds
    /// the parallelism are judged
    #[arg(long)]
    short: bool,
    /// Only the programs whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Run with a reading of the clock at every boundary between strands
    #[arg(long)]
    exact: bool,
}

/// How often each program runs.
const RUNS: usize = 5;

fn main() -> anyhow::Result<ExitCode> {
    let options = Options::parse();
    let only = options.only.as_deref().unwrap_or_default();
    let is_chosen = |figure: &&Figure| figure.program.contains(only);
    let figures: Vec<&Figure> = FIGURES.iter().filter(is_chosen).collect();
    anyhow::ensure!(
        !figures.is_empty(),
        "no program has this in its name; leave --only out to see all"
    );
    let executables = Executables::build()?;
    let mut gates = Gates::open("published", Form::from_short(options.short))?;
    let mut runs: HashMap<(&str, &str), Runs> = HashMap::new();
    let mut table = Table::new([
        "program",
        "source",
        "size",
        "published for it",
        "part",
        "published",
        "median",
        "min - max",
        "median/published",
        "work ms",
        "span ms",
    ]);
    for figure in figures {
        let size = figure.size(options.short);
        let runs = match runs.entry((figure.program, size)) {
            Entry::Occupied(present) => present.into_mut(),
            Entry::Vacant(absent) => {
                let profiles = || profile(&executables, figure.program, size, &options);
                let (profiles, machine) = gates.watch(profiles)?;
                absent.insert(Runs { profiles, machine })
            }
        };
        let sites = sites(figure, &runs.profiles)?;
        table.add(row(figure, size, options.short, &sites));
        judge(&mut gates, figure, size, &options, &sites, runs.machine)?;
    }
    println!("{RUNS} runs on one thread.\n\n{table}\n## Gates\n");
    Ok(gates.finish()?.into())
}

/// The runs of a program at a size, and the state of the machine meanwhile.
struct Runs {
    profiles: Vec<Profile>,
    machine: Machine,
}

/// Judges the parallelism over the published one, if that is for this size, and over the most that
/// the structure allows, if that is known.
fn judge(
    gates: &mut Gates,
    figure: &Figure,
    size: &str,
    options: &Options,
    sites: &[Site],
    machine: Machine,
) -> anyhow::Result<()> {
    let subject = format!("{}-{size}-{}", figure.program, figure.source.gate());
    if figure.size_is_known && !options.short {
        let (low, high) = figure.parallelism;
        let part = if figure.part == Part::Whole {
            "-whole"
        } else {
            ""
        };
        let gate = format!("{subject}{part}/over-published");
        // Over the nearer end of a range, as in the table.
        let over_nearest = |site: &Site| site.parallelism() / site.parallelism().clamp(low, high);
        let readings: Vec<f64> = sites.iter().map(over_nearest).collect();
        gates.judge(&gate, &readings, machine)?;
    }
    if let Some(bound) = figure.bound(size) {
        let readings: Vec<f64> = sites
            .iter()
            .map(|site| site.parallelism() / bound)
            .collect();
        gates.judge(&format!("{subject}/over-structure"), &readings, machine)?;
    }
    Ok(())
}

/// The part of each run to which a figure applies, the least parallelism first.
fn sites(figure: &Figure, profiles: &[Profile]) -> anyhow::Result<Vec<Site>> {
    let select: fn(&Profile) -> _ = match figure.part {
        Part::Alone => Profile::computation,
        Part::Whole => Profile::whole,
    };
    let mut sites = profiles
        .iter()
        .map(select)
        .collect::<anyhow::Result<Vec<Site>>>()?;
    sites.sort_by(|a, b| a.parallelism().total_cmp(&b.parallelism()));
    Ok(sites)
}

/// Profiles all runs of a program at a size.
fn profile(
    executables: &Executables,
    program: &str,
    size: &str,
    options: &Options,
) -> anyhow::Result<Vec<Profile>> {
    let arguments = [size];
    let launch = Launch {
        threads: Some(1),
        exact_timing: options.exact,
        ..Launch::new(executables, Group::Suite, program, &arguments)
    };
    (0..RUNS)
        .map(|_| launch.profile())
        .collect::<anyhow::Result<_>>()
        .with_context(|| format!("{program} {size} cannot be profiled"))
}

fn row(figure: &Figure, size: &str, short: bool, sites: &[Site]) -> [String; 11] {
    let published_for = match figure.size_is_known {
        _ if short => "no, larger",
        true => "yes",
        false => "not known",
    };
    let part = match figure.part {
        Part::Alone => "alone",
        Part::Whole => "whole",
    };
    let (least, median, most) = (sites[0], sites[sites.len() / 2], sites[sites.len() - 1]);
    let (low, high) = figure.parallelism;
    let published = if low < high {
        format!("{low} - {high}")
    } else {
        short_number(low)
    };
    // Over the nearer end of a published range.
    let nearest = median.parallelism().clamp(low, high);
    [
        figure.program.to_owned(),
        figure.source.name().to_owned(),
        size.to_owned(),
        published_for.to_owned(),
        part.to_owned(),
        published,
        short_number(median.parallelism()),
        format!(
            "{} - {}",
            short_number(least.parallelism()),
            short_number(most.parallelism())
        ),
        format!("{:.2}", median.parallelism() / nearest),
        format!("{:.1}", median.work.as_secs_f64() * 1e3),
        format!("{:.3}", median.span.as_secs_f64() * 1e3),
    ]
}

/// A small number with one decimal, a large one with none.
fn short_number(number: f64) -> String {
    if number < 100.0 {
        format!("{number:.1}")
    } else {
        format!("{number:.0}")
    }
}
