//! The report as text.

mod advice;
mod annotate;
mod answers;
mod bar;
mod check;
mod code;
mod comparison;
mod critical_path;
mod dag;
mod engine;
mod findings;
mod first_screen;
mod functions;
mod inflation;
mod kept;
mod locks;
mod machine_costs;
mod markdown;
mod measurement;
mod metrics;
mod page;
mod path;
mod predictions;
mod programs;
mod regions;
mod scaling;
mod sites;
mod speedup;
mod spread;
mod table;
mod totals;
mod tree;
mod what_if;
mod wrap;

use std::io;

use page::Page;
use workspan_model::{Analysis, Limit, Profile};

use crate::{Renderer, Screen, SiteTable, sentences};

pub use advice::AdviceText;
pub use annotate::Annotate;
pub use check::CheckText;
pub use comparison::{Compared, ComparisonText};
pub use dag::DagText;
pub use first_screen::FirstScreen;
pub use kept::{KeptProfile, kept_profiles};
pub use machine_costs::machine_costs;
pub(crate) use measurement::measurement_facts;
pub use metrics::metrics;
pub use programs::{MeasuredProgram, measured_programs};
pub use what_if::WhatIfText;
pub use wrap::in_charset;

/// The report as text, for people to read.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// The screen to lay it out for.
    pub screen: Screen,
    /// The table of sites.
    pub sites: SiteTable,
    /// Print the call tree instead of the report, down to this share of the work or of the span.
    pub tree: Option<f64>,
    /// Print what makes up the span of these sites instead of the report; indices into the rows of
    /// the analysis.
    pub path_of: Option<Vec<usize>>,
    /// Whether to print what the engine cost.
    pub engine: bool,
    /// Whether to list single instances of regions.
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
    /// Prints the answers that a newcomer needs, what they rest on, the details, and at the end
    /// what to do.
    fn report(
        &self,
        page: &mut Page<'_>,
        profile: &Profile,
        analysis: &Analysis,
    ) -> io::Result<()> {
        answers::print(page, analysis)?;
        if analysis.verdict.limit == Limit::OwnThreads {
            // No work or span was measured.
            notes(page, analysis)?;
            return measurement::print(page, profile);
        }
        critical_path::print(page, analysis)?;
        functions::print(page, analysis)?;
        totals::print(page, profile, analysis)?;
        if analysis.tells_speedups() && !analysis.speedup.is_empty() {
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
        measurement::print(page, profile)?;
        if self.engine {
            engine::print(page, profile, analysis)?;
        }
        findings::print(page, analysis)
    }

    /// Prints what was asked for instead of the report.
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
