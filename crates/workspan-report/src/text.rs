//! The report for people.

mod advice;
mod annotate;
mod code;
mod dag;
mod engine;
mod findings;
mod functions;
mod machine_costs;
mod page;
mod path;
mod predictions;
mod regions;
mod sites;
mod spread;
mod table;
mod totals;
mod tree;
mod what_if;

use std::io;

use workspan_model::{Analysis, BurdenSource, CILKVIEW_BURDEN_CYCLES, Limit, Profile, TimingKind};

use crate::Renderer;
use crate::SiteTable;
use crate::figures::{cost, duration, grouped, ratio};
use crate::sentences;
use page::Page;

pub use advice::AdviceText;
pub use annotate::Annotate;
pub use dag::DagText;
pub use machine_costs::machine_costs;
pub(crate) use predictions::predictions;
pub use what_if::WhatIfText;

use table::{Column, Table};

/// The narrowest page that is laid out; narrower terminals wrap.
const LEAST_WIDTH: usize = 80;

/// From this width on the table of sites names the functions, and the call tree has more figures.
const WIDTH_WITH_FUNCTIONS: usize = 110;

/// The report for people.
#[derive(Clone, Debug)]
pub struct Text {
    /// Columns of the terminal; at least 80 are used.
    pub width: usize,
    /// Whether to colour with ANSI escapes.
    pub colour: bool,
    /// The table of sites.
    pub sites: SiteTable,
    /// The call tree in place of the report, down to this share of the work or of the span.
    pub tree: Option<f64>,
    /// What makes up the span of these sites, in place of the report: indices into the rows of the analysis.
    pub path_of: Option<Vec<usize>>,
    /// Whether to tell what the engine cost.
    pub engine: bool,
    /// Whether to tell of single instances of regions.
    pub instances: bool,
}

impl Default for Text {
    /// For 80 columns, without colour, the 25 first sites.
    fn default() -> Self {
        Self {
            width: 80,
            colour: false,
            sites: SiteTable::default(),
            tree: None,
            path_of: None,
            engine: false,
            instances: false,
        }
    }
}

impl Renderer for Text {
    fn render(
        &self,
        profile: &Profile,
        analysis: &Analysis,
        output: &mut dyn io::Write,
    ) -> io::Result<()> {
        let mut page = Page::new(output, self.width.max(LEAST_WIDTH), self.colour);
        let wide = self.width >= WIDTH_WITH_FUNCTIONS;
        page.rule("workspan")?;
        page.verdict(&sentences::verdict(analysis))?;
        if let Some(selected) = &self.path_of {
            path::print(
                &mut page,
                profile,
                &analysis.sites,
                selected,
                self.sites.most,
            )?;
        }
        if let Some(threshold) = self.tree {
            tree::print(&mut page, profile, &analysis.sites, threshold, wide)?;
        }
        if self.path_of.is_some() || self.tree.is_some() {
            return Ok(());
        }
        functions::print(&mut page, analysis)?;
        totals::print(&mut page, profile, analysis)?;
        if analysis.verdict.limit != Limit::OneStrand {
            speedup(&mut page, profile, analysis)?;
        }
        let most = self.sites.most.unwrap_or(usize::MAX);
        let assumed = profile.run.assumed_cores;
        regions::print(&mut page, analysis, assumed, most)?;
        if self.instances {
            regions::instances(&mut page, analysis, assumed, most)?;
        }
        let shown = sites::print(&mut page, profile, analysis, &self.sites, wide)?;
        if let Some(runs) = &analysis.runs {
            spread::sites(&mut page, runs, &shown)?;
        }
        notes(&mut page, analysis)?;
        measurement(&mut page, profile)?;
        if self.engine {
            engine::print(&mut page, profile, analysis)?;
        }
        findings::print(&mut page, analysis)
    }
}

fn threads(threads: u32) -> String {
    match threads {
        0 => "no pool started".to_owned(),
        1 => "1 thread".to_owned(),
        threads => format!("{threads} threads"),
    }
}

fn speedup(page: &mut Page<'_>, profile: &Profile, analysis: &Analysis) -> io::Result<()> {
    page.heading("Speedup to expect")?;
    let assumed = profile.run.assumed_cores;
    let cores = analysis.speedup.iter().map(|bounds| {
        let mark = if bounds.cores == assumed { "*" } else { "" };
        Column::right(&format!("{}{mark}", bounds.cores))
    });
    let mut table = Table::new(std::iter::once(Column::left("cores")).chain(cores));
    let row = |name: &str, bound: fn(&workspan_model::SpeedupBounds) -> f64| {
        let bounds = analysis.speedup.iter().map(|bounds| ratio(bound(bounds)));
        std::iter::once(name.to_owned())
            .chain(bounds)
            .collect::<Vec<_>>()
    };
    table.row(row("lower", |bounds| bounds.lower));
    if let Some(curve) = &analysis.predicted {
        let speedups = curve.predictions.iter();
        let speedups = speedups.map(|prediction| ratio(prediction.median.speedup));
        table.row(std::iter::once("predicted".to_owned()).chain(speedups));
    }
    table.row(row("upper", |bounds| bounds.upper));
    page.table(&table)?;
    if assumed > 0 {
        page.remark("* the number of cores that the run assumed")?;
    }
    if let Some(curve) = &analysis.predicted {
        page.remark(&sentences::predicted(curve))?;
    }
    Ok(())
}

fn notes(page: &mut Page<'_>, analysis: &Analysis) -> io::Result<()> {
    if analysis.notes.is_empty() {
        return Ok(());
    }
    page.heading("Notes")?;
    analysis
        .notes
        .iter()
        .try_for_each(|note| page.item("!", &sentences::note(note, analysis)))
}

/// How the figures came about.
fn measurement(page: &mut Page<'_>, profile: &Profile) -> io::Result<()> {
    let run = &profile.run;
    let machine = &profile.machine;
    page.heading("Measurement")?;
    page.field("Program", &run.command.join(" "))?;
    page.field(
        "Machine",
        &format!(
            "{}, {}, {} {}",
            machine.processor.as_deref().unwrap_or("unknown processor"),
            cores(machine.cores),
            machine.os,
            machine.architecture,
        ),
    )?;
    let version = run
        .rayon_core_version
        .as_deref()
        .unwrap_or("of unknown version");
    page.field(
        "Rayon",
        &format!("rayon-core {version}, {}", threads(run.threads)),
    )?;
    page.field("Assumed", &assumed(run.assumed_cores, run.threads))?;
    page.field(
        "Clock",
        &format!("{}, {}", clock(&run.clock), timing(profile.timing.kind)),
    )?;
    page.field(
        "Taken off",
        &format!(
            "{} of the profiler's own cost, {} in which threads were ready but off the processor",
            duration(run.own_cost),
            duration(run.off_processor),
        ),
    )?;
    page.field(
        "Burden",
        &format!(
            "{} to move a task to another core: {}",
            duration(run.burden),
            burden_source(run.burden_source.as_ref()),
        ),
    )
}

fn burden_source(source: Option<&BurdenSource>) -> String {
    match source {
        Some(BurdenSource::Cilkview) => format!(
            "Cilkview's figure, {} cycles (set by --burden)",
            grouped(CILKVIEW_BURDEN_CYCLES)
        ),
        Some(BurdenSource::Measured(costs)) => format!(
            "measured on this machine by workspan calibrate, a steal {}, the way back {}; a wake-up takes {}",
            cost(costs.steal.median),
            cost(costs.hand_back.median),
            cost(costs.wake_up.median),
        ),
        Some(BurdenSource::Given) => "given by --burden".to_owned(),
        None => "set by --burden".to_owned(),
    }
}

fn cores(cores: u32) -> String {
    match cores {
        1 => "1 core".to_owned(),
        cores => format!("{cores} cores"),
    }
}

fn assumed(assumed: u32, threads: u32) -> String {
    match assumed {
        0 => "nothing: no pool was asked for its number of threads".to_owned(),
        assumed if assumed == threads => {
            format!("{}, as many as there were threads", cores(assumed))
        }
        assumed => format!(
            "{}: rayon cut its work for that many, whatever the number of threads (set by --assume-cores)",
            cores(assumed)
        ),
    }
}

fn timing(kind: TimingKind) -> &'static str {
    match kind {
        TimingKind::Exact => "read at every boundary",
        TimingKind::Shared => "tiny tasks timed in groups (--exact times each)",
    }
}

fn clock(name: &str) -> &str {
    match name {
        "tsc" => "time-stamp counter",
        "monotonic" => "monotonic clock of the operating system",
        other => other,
    }
}
