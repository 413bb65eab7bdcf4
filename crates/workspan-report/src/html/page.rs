//! What a page is made of.

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;
use workspan_model::{Analysis, Dag, Metric, Profile, ReadyScenario, Scenarios};

use super::against::Against;
use super::code;
use super::dag::DagView;
use super::document::{self, HTML_DATA_VERSION};
use super::flame::FlameView;
use super::glossary::{self, Term};
use super::locks::LockView;
use super::overview::Overview;
use super::program::ProgramView;
use super::regions::RegionView;
use super::site_ids::SiteIds;
use super::sites::SitesView;
use super::what_if::WhatIfView;
use super::workers::WorkersView;
use crate::json::told;
use crate::{CodeView, ScalingReport};

/// A page, and what it shows.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// What follows from it.
    pub analysis: &'a Analysis,
    /// The task dag, where there is one.
    pub dag: Option<PageDag<'a>>,
    /// Texts of source files, by the names that the profile has for them: lines of noteworthy functions are embedded.
    pub sources: &'a BTreeMap<String, String>,
    /// What was measured on several numbers of threads, where that was done.
    pub scaling: Option<&'a ScalingReport<'a>>,
    /// An earlier profile, which the flame graph is compared with.
    pub against: Option<Against<'a>>,
    /// The profile's file, for command lines that the page suggests.
    pub file: &'a str,
}

/// What a page shows of a task dag.
#[derive(Clone, Copy, Debug)]
pub struct PageDag<'a> {
    /// The dag.
    pub dag: &'a Dag,
    /// Its code; what is hot in it, and its sources, are not needed.
    pub code: CodeView<'a>,
    /// What changes would give.
    pub scenarios: &'a Scenarios,
    /// What advised changes would give; `None` if the dag is too large for that.
    pub ready: Option<&'a [ReadyScenario]>,
}

/// The data of a page; field names are the keys, and the version is raised when one changes its meaning. Times are in
/// nanoseconds, amounts in these or in what the metric counts, shares from 0 to 1; views without data are `null`.
#[derive(Serialize)]
struct Data<'a> {
    version: u32,
    /// `null`: time.
    metric: Option<&'a Metric>,
    glossary: &'static [Term],
    program: ProgramView<'a>,
    overview: Overview,
    sites: SitesView<'a>,
    flame: FlameView,
    code: Option<code::CodeView>,
    what_if: Option<WhatIfView<'a>>,
    dag: Option<DagView>,
    workers: Option<WorkersView>,
    regions: Option<Vec<RegionView>>,
    locks: Option<Vec<LockView>>,
}

impl Page<'_> {
    /// Writes the page. The same page always gives the same bytes.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn render(&self, output: &mut dyn io::Write) -> io::Result<()> {
        let Self {
            profile, analysis, ..
        } = *self;
        let ids = SiteIds::of(&analysis.sites);
        let dag = self.dag.as_ref();
        let ready = dag.and_then(|dag| dag.ready).unwrap_or_default();
        let data = Data {
            version: HTML_DATA_VERSION,
            metric: told(&profile.run.metric),
            glossary: glossary::TERMS,
            program: ProgramView::of(profile),
            overview: Overview::of(profile, analysis, ready, &ids),
            sites: SitesView::of(analysis, &ids),
            flame: FlameView::of(
                profile,
                analysis,
                dag.map(|dag| dag.dag),
                self.against.as_ref(),
                &ids,
            ),
            code: code::CodeView::of(profile, self.sources),
            what_if: dag.and_then(|dag| {
                WhatIfView::of(dag.scenarios, dag.ready, &dag.code, analysis, self.file)
            }),
            dag: dag.and_then(|dag| DagView::of(profile, dag.dag)),
            workers: self.scaling.map(WorkersView::of),
            regions: RegionView::all(analysis),
            locks: LockView::all(analysis, &ids),
        };
        document::write(&serde_json::to_string(&data)?, output)
    }
}
