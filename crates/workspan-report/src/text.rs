//! The report for people.

mod advice;
mod annotate;
mod answers;
mod bar;
mod characters;
mod check;
mod code;
mod comparison;
mod critical_path;
mod dag;
mod engine;
mod findings;
mod functions;
mod inflation;
mod locks;
mod machine_costs;
mod metrics;
mod page;
mod path;
mod predictions;
mod regions;
mod scaling;
mod sites;
mod speedup;
mod spread;
mod stacked;
mod table;
mod totals;
mod tree;
mod what_if;
mod wrap;

use std::io;

use workspan_model::{
    Analysis, BurdenSource, CILKVIEW_BURDEN, Limit, Metric, Profile, Runtime, RuntimeKind,
    TimingKind,
};

use crate::figures::{amount_in_words, cost, duration, grouped};
use crate::sentences;
use crate::{Renderer, Screen, SiteTable};
use page::Page;

pub use advice::AdviceText;
pub use annotate::Annotate;
pub use characters::in_charset;
pub use check::CheckText;
pub use comparison::{Compared, ComparisonText};
pub use dag::DagText;
pub(crate) use inflation::inflation;
pub use machine_costs::machine_costs;
pub use metrics::metrics;
pub(crate) use predictions::predictions;
pub(crate) use scaling::scaling;
pub use what_if::WhatIfText;

/// The report for people.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// What it is laid out for.
    pub screen: Screen,
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

impl Renderer for Text {
    fn render(
        &self,
        profile: &Profile,
        analysis: &Analysis,
        output: &mut dyn io::Write,
    ) -> io::Result<()> {
        let mut page = Page::new(output, self.screen);
        page.rule("workspan")?;
        match (&self.path_of, self.tree) {
            (None, None) => self.report(&mut page, profile, analysis),
            _ => self.view(&mut page, profile, analysis),
        }
    }
}

impl Text {
    /// The answers that a newcomer needs, what they rest on, then all else, and at the end what to do.
    fn report(
        &self,
        page: &mut Page<'_>,
        profile: &Profile,
        analysis: &Analysis,
    ) -> io::Result<()> {
        answers::print(page, analysis)?;
        critical_path::print(page, analysis)?;
        functions::print(page, analysis)?;
        totals::print(page, profile, analysis)?;
        if analysis.verdict.limit != Limit::OneStrand {
            speedup::print(page, profile, analysis)?;
        }
        let most = self.sites.most.unwrap_or(usize::MAX);
        let assumed = profile.run.assumed_cores;
        regions::print(page, analysis, assumed, most)?;
        if self.instances {
            regions::instances(page, analysis, assumed, most)?;
        }
        let shown = sites::print(page, profile, analysis, &self.sites)?;
        locks::print(page, analysis, most)?;
        if let Some(runs) = &analysis.runs {
            spread::sites(page, runs, &analysis.metric, &shown)?;
        }
        notes(page, analysis)?;
        measurement(page, profile)?;
        if self.engine {
            engine::print(page, profile, analysis)?;
        }
        findings::print(page, analysis)
    }

    /// What was asked for in place of the report.
    fn view(&self, page: &mut Page<'_>, profile: &Profile, analysis: &Analysis) -> io::Result<()> {
        page.verdict(&sentences::verdict(analysis))?;
        let (rows, most) = (&analysis.sites, self.sites.most);
        if let Some(selected) = &self.path_of {
            path::print(page, profile, rows, selected, most)?;
        }
        if let Some(threshold) = self.tree {
            tree::print(page, profile, rows, threshold)?;
        }
        Ok(())
    }
}

/// The runtimes of the program. One that the C interface was called for speaks for both.
fn runtimes(profile: &Profile) -> String {
    let told = &profile.run.runtimes;
    let shown: Vec<String> = told
        .iter()
        .filter(|runtime| told.len() == 1 || runtime.kind != RuntimeKind::C)
        .map(Runtime::to_string)
        .collect();
    match (shown.is_empty(), profile.runtime()) {
        (false, _) => shown.join(", "),
        (true, Some(kind)) => format!("{} of unknown version", kind.noun()),
        (true, None) => "not known".to_owned(),
    }
}

/// How many threads the runtime has started, where that is known.
fn threads(profile: &Profile) -> Option<String> {
    let count = |threads: u64| match threads {
        1 => "1 thread".to_owned(),
        threads => format!("{threads} threads"),
    };
    let started = u64::from(profile.run.threads);
    match (started, profile.runtime()) {
        (0, None | Some(RuntimeKind::Rayon)) => Some("no pool started".to_owned()),
        (0, Some(_)) => {
            let ran = profile.threads_that_ran()?;
            Some(format!("{} ran something", count(ran)))
        }
        (_, Some(RuntimeKind::OpenMp)) => Some(match profile.threads_that_ran() {
            // Teams beside one another, or threads of the program's own.
            Some(ran) if ran > started => {
                format!("teams of at most {}, {ran} ran something", count(started))
            }
            _ => count(started),
        }),
        _ => Some(count(started)),
    }
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
    page.heading("Measurement")?;
    let facts = measurement_facts(profile);
    facts
        .iter()
        .try_for_each(|(name, fact)| page.field(name, fact))
}

/// How the figures came about, each fact with its name.
pub(crate) fn measurement_facts(profile: &Profile) -> [(&'static str, String); 7] {
    let run = &profile.run;
    let metric = &run.metric;
    let machine = &profile.machine;
    [
        ("Program", run.command.join(" ")),
        (
            "Machine",
            format!(
                "{}, {}, {} {}",
                machine.processor.as_deref().unwrap_or("unknown processor"),
                cores(machine.cores),
                machine.os,
                machine.architecture,
            ),
        ),
        (
            "Runtime",
            [Some(runtimes(profile)), threads(profile)]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(", "),
        ),
        ("Assumed", assumed(profile)),
        (
            "Clock",
            format!("{}, {}", clock(&run.clock), timing(profile.timing.kind)),
        ),
        (
            "Taken off",
            match metric.is_time() {
                true => format!(
                    "{} of the profiler's own cost, {} in which threads were ready but off the processor",
                    duration(run.own_cost),
                    duration(run.off_processor),
                ),
                false => format!(
                    "{} of the profiler's own cost",
                    amount_in_words(run.own_cost, metric)
                ),
            },
        ),
        (
            "Burden",
            format!(
                "{} to move a task to another core: {}",
                amount_in_words(run.burden, metric),
                burden_source(run.burden_source.as_ref(), metric),
            ),
        ),
    ]
}

fn burden_source(source: Option<&BurdenSource>, metric: &Metric) -> String {
    match source {
        Some(BurdenSource::Cilkview) => format!(
            "Cilkview's figure, {} {} (set by --burden)",
            grouped(CILKVIEW_BURDEN),
            match metric.is_time() {
                true => "cycles",
                false => "instructions",
            }
        ),
        Some(BurdenSource::Measured(costs)) => format!(
            "measured on this machine by workspan calibrate, a steal {}, the way back {}; a wake-up takes {}",
            cost(costs.steal.median),
            cost(costs.hand_back.median),
            cost(costs.wake_up.median),
        ),
        Some(BurdenSource::Unknown) => format!(
            "what that takes in {} is not known (set by --burden)",
            metric.unit
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

fn assumed(profile: &Profile) -> String {
    let is_rayon = matches!(profile.runtime(), None | Some(RuntimeKind::Rayon));
    match profile.run.assumed_cores {
        0 if is_rayon => "nothing: no pool was asked for its number of threads".to_owned(),
        0 => "nothing (set by --assume-cores)".to_owned(),
        assumed if is_rayon && assumed == profile.run.threads => {
            format!("{}, as many as there were threads", cores(assumed))
        }
        assumed if is_rayon => format!(
            "{}: rayon cut its work for that many, whatever the number of threads (set by --assume-cores)",
            cores(assumed)
        ),
        assumed => format!("{} (set by --assume-cores)", cores(assumed)),
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
        "thread" => "processor time of each thread",
        "emulated" => "instructions of each thread, counted by an emulator",
        "counter" => "the kernel's counter of each thread",
        other => other,
    }
}
