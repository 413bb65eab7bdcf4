//! Profiles the programs of the benchmark suite whose parallelism others have published, and
//! prints both.
//!
//! ```text
//! cargo run --release --package workspan-overhead --bin published -- --help
//! ```
#![forbid(unsafe_code)]

mod figures;

use std::collections::HashMap;

use anyhow::Context as _;
use clap::Parser;
use workspan_overhead::{
    Executables, Functions, Launch, Profile, Table, Threads, Timing, describe_machine,
};

use figures::{FIGURES, Figure, Part};

/// Profiles programs whose parallelism others have published, and prints both.
///
/// Programs run on one thread, as they did under Cilkprof. A disturbance can only lengthen a span,
/// so of several runs the one with the largest parallelism counts; the least one shows how much
/// the machine disturbed.
#[derive(Debug, Parser)]
struct Options {
    /// Small inputs, for a quick look: the published figures are not for these
    #[arg(long)]
    short: bool,
    /// How often each program runs [default: 5; 1 with --short]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    runs: Option<u16>,
    /// Only the programs whose name contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Run with a reading of the clock at every boundary between strands
    #[arg(long)]
    exact: bool,
}

impl Options {
    fn runs(&self) -> u16 {
        self.runs.unwrap_or(if self.short { 1 } else { 5 })
    }

    fn figures(&self) -> Vec<&'static Figure> {
        let is_chosen = |figure: &&Figure| match &self.only {
            Some(text) => figure.program.contains(text.as_str()),
            None => true,
        };
        FIGURES.iter().filter(is_chosen).collect()
    }
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let figures = options.figures();
    anyhow::ensure!(
        !figures.is_empty(),
        "no program has this in its name; leave --only out to see all"
    );
    let executables = Executables::build()?;
    let mut runs: HashMap<(&str, &str), Vec<Profile>> = HashMap::new();
    let mut table = Table::new([
        "program",
        "source",
        "size",
        "published for it",
        "part",
        "published",
        "ours",
        "min",
        "ours/published",
        "work ms",
        "span ms",
    ]);
    for figure in figures {
        let size = figure.size(options.short);
        let profiles = match runs.get(&(figure.program, size)) {
            Some(profiles) => profiles,
            None => {
                let profiles = profile(&executables, figure.program, size, &options)?;
                runs.entry((figure.program, size)).or_insert(profiles)
            }
        };
        table.add(row(figure, size, options.short, profiles)?);
    }
    println!(
        "{} runs on {}, on one thread.\n\n{table}",
        options.runs(),
        describe_machine()
    );
    Ok(())
}

/// All runs of a program at a size.
fn profile(
    executables: &Executables,
    program: &str,
    size: &str,
    options: &Options,
) -> anyhow::Result<Vec<Profile>> {
    let launch = Launch {
        arguments: &[size],
        threads: Threads::One,
        functions: Functions::Sampled,
    };
    let path = executables.profiled(workspan_overhead::Group::Suite, program);
    let timing = if options.exact {
        Timing::Exact
    } else {
        Timing::Default
    };
    let run = |_| launch.profile(&executables.workspan(), &path, timing, ASSUMED_CORES);
    (0..options.runs())
        .map(run)
        .collect::<anyhow::Result<_>>()
        .with_context(|| format!("{program} {size} cannot be profiled"))
}

/// What parallel iterators are cut for: the default of `workspan run` on a small machine.
const ASSUMED_CORES: u32 = 64;

fn row(
    figure: &Figure,
    size: &str,
    short: bool,
    profiles: &[Profile],
) -> anyhow::Result<[String; 11]> {
    let published_for = match figure.size_is_known {
        _ if short => "no, larger",
        true => "yes",
        false => "not known",
    };
    let (part, select): (_, fn(&Profile) -> _) = match figure.part {
        Part::Alone => ("alone", Profile::computation),
        Part::Whole => ("whole", Profile::whole),
    };
    let mut sites = profiles.iter().map(select).collect::<Result<Vec<_>, _>>()?;
    sites.sort_by(|a, b| a.parallelism().total_cmp(&b.parallelism()));
    let least = sites.first().context("nothing was run")?;
    let best = sites.last().context("nothing was run")?;
    let (low, high) = figure.parallelism;
    let published = if low < high {
        format!("{low} - {high}")
    } else {
        short_number(low)
    };
    // Against the nearer end of a published range.
    let nearest = best.parallelism().clamp(low, high);
    Ok([
        figure.program.to_owned(),
        figure.source.name().to_owned(),
        size.to_owned(),
        published_for.to_owned(),
        part.to_owned(),
        published,
        short_number(best.parallelism()),
        short_number(least.parallelism()),
        format!("{:.2}", best.parallelism() / nearest),
        format!("{:.1}", best.work.as_secs_f64() * 1e3),
        format!("{:.3}", best.span.as_secs_f64() * 1e3),
    ])
}

/// Three digits of a small number, all whole ones of a large one.
fn short_number(number: f64) -> String {
    if number < 100.0 {
        format!("{number:.1}")
    } else {
        format!("{number:.0}")
    }
}
