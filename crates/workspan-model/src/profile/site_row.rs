//! One row per site: its figures on the work and on the span.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Location, Nanos, Site, SiteId, SiteKind, Span, TaskingOverhead, Work, parallelism};

/// Figures of a site: of all [`Site`]s of a profile with the same kind, location and name.
///
/// Several sites share a row if monomorphisation, or a duplicated static, gave one place in the
/// source several keys. Sites without a location share a row if kind, name, function and detail
/// agree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SiteRow {
    /// What the site does.
    pub kind: SiteKind,
    /// Where it is; `None` for the root and if symbols do not show it.
    pub location: Option<Location>,
    /// Name of the region, or of the function called.
    #[serde(default)]
    pub name: Option<String>,
    /// Where the function called is defined, from the first site that knows.
    #[serde(default)]
    pub callee: Option<Location>,
    /// The function around it, from the first site that knows.
    pub function: Option<String>,
    /// What was called there, from the first site that knows.
    pub detail: Option<String>,
    /// What the reader should know about its figures, from the first site that has a note.
    pub note: Option<String>,
    /// The sites in this row.
    #[serde(skip)]
    pub sites: Vec<SiteId>,
    /// Figures over all instances.
    pub on_work: RowOnWork,
    /// Figures over the critical path.
    pub on_span: RowOnSpan,
}

/// Figures of a site over all its instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RowOnWork {
    /// Instances.
    pub count: u64,
    /// Instances with no outer instance of the site (Cilkprof §6, top-call-site).
    pub top_count: u64,
    /// Work of the top instances, including everything that they wait for.
    pub work: Work,
    /// Sum of the spans of the top instances.
    pub span: Span,
    /// Work of the site's own strands, without those of sites within.
    pub local_work: Work,
    /// Time of the own strands of every instance on its own longest path (Cilkprof §6, local);
    /// `None` if the profile does not record it.
    pub local_span: Option<Span>,
    /// `work / span`; `None` if no top instance has finished.
    pub parallelism: Option<f64>,
    /// The top instances made by the outermost execution of the function around the site.
    pub top_caller: Measure,
    /// The part of the local work spent in voluntary waits.
    pub blocked: Nanos,
    /// Tasks that ran on another thread than their spawner.
    pub stolen: u64,
    /// Tasks created.
    pub spawns: u64,
    /// Waits for tasks.
    pub syncs: u64,
    /// Cost of creating and scheduling the site's tasks, relative to the site's work.
    pub tasking_overhead: TaskingOverhead,
}

/// Figures of a site over the critical path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RowOnSpan {
    /// Instances whose start lies on the critical path.
    pub count: u64,
    /// Time of the site's own strands on the critical path.
    pub local_span: Span,
    /// Work of the own strands of the instances that start on the critical path, whether or not the
    /// strands are on it; `None` if the profile does not record it.
    pub local_work: Option<Work>,
    /// The top instances that lie on the critical path from start to end.
    pub top_call_site: Measure,
    /// Those of them made by the outermost execution of the function around the site.
    pub top_caller: Measure,
    /// `local_span` as a share of the program's span; over all rows these sum to 1.
    pub share: f64,
}

impl SiteRow {
    /// What workspan's header names a filter of oneTBB's `parallel_pipeline` that takes one item
    /// after the other.
    pub const SERIAL_FILTER: &str = "serial filter";
    /// What it names any other filter.
    pub const PARALLEL_FILTER: &str = "parallel filter";

    /// What is called in a parallel region whose own code may divide its work among the threads.
    pub const DIVIDES_BY_CODE: &str = "omp_get_thread_num";

    /// Whether it is a parallel region whose own code asks for what it needs to divide its work.
    pub fn may_divide_by_code(&self) -> bool {
        self.kind == SiteKind::Parallel && self.detail.as_deref() == Some(Self::DIVIDES_BY_CODE)
    }

    /// Whether it is a filter of a pipeline.
    pub fn is_filter(&self) -> bool {
        let name = self.name.as_deref();
        [Self::SERIAL_FILTER, Self::PARALLEL_FILTER]
            .map(Some)
            .contains(&name)
    }

    /// A measure of the row's sites. `Local` counts every instance, the others only top instances.
    pub fn measure(&self, on: On, kind: MeasureKind) -> Measure {
        let (on_work, on_span) = (&self.on_work, &self.on_span);
        match (on, kind) {
            (On::Work, MeasureKind::TopCallSite) => Measure {
                count: Some(on_work.top_count),
                work: Some(on_work.work),
                span: Some(on_work.span),
                parallelism: on_work.parallelism,
            },
            (On::Work, MeasureKind::TopCaller) => on_work.top_caller,
            (On::Work, MeasureKind::Local) => Measure::new(
                Some(on_work.count),
                Some(on_work.local_work),
                on_work.local_span,
            ),
            (On::Span, MeasureKind::TopCallSite) => on_span.top_call_site,
            (On::Span, MeasureKind::TopCaller) => on_span.top_caller,
            (On::Span, MeasureKind::Local) => Measure::new(
                Some(on_span.count),
                on_span.local_work,
                Some(on_span.local_span),
            ),
        }
    }

    pub(crate) fn has_figures(&self) -> bool {
        self.on_work.count != 0
            || self.on_work.top_count != 0
            || self.on_work.local_work != Work::ZERO
            || self.on_span.local_span != Span::ZERO
    }
}

/// Identifies a row, within one run and across runs: kind, name, and the location or, if it is
/// unknown, function and detail.
pub(crate) type RowKey<'a> = (
    SiteKind,
    Option<&'a str>,
    Result<&'a Location, (Option<&'a str>, Option<&'a str>)>,
);

pub(crate) fn site_key(site: &Site) -> RowKey<'_> {
    let words = (site.function.as_deref(), site.detail.as_deref());
    let place = site.location.as_ref().ok_or(words);
    (site.kind, site.name.as_deref(), place)
}

pub(crate) fn row_key(row: &SiteRow) -> RowKey<'_> {
    let words = (row.function.as_deref(), row.detail.as_deref());
    let place = row.location.as_ref().ok_or(words);
    (row.kind, row.name.as_deref(), place)
}

named! {
    /// The executions of a call site over which figures are summed (Cilkprof §2).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum On {
        /// All of them: the on-work profile.
        Work = "work",
        /// Those on the critical path: the on-span profile.
        Span = "span",
    }
}

named! {
    /// Which executions of a call site count, and which part of each, so that recursion counts
    /// nothing twice (Cilkprof §6).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum MeasureKind {
        /// Whole executions with no outer execution of the same call site: how parallel the site
        /// is.
        TopCallSite = "top-call-site",
        /// Of these, those made by the outermost execution of the function around the site: for
        /// comparing the sites of one function.
        TopCaller = "top-caller",
        /// Every execution, without what it calls: where the time goes.
        Local = "local",
    }
}

impl fmt::Display for MeasureKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// A measure of a call site: sums over a set of its executions. `None` is what the profile does not
/// record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Measure {
    /// The number of executions.
    pub count: Option<u64>,
    /// The sum of their work.
    pub work: Option<Work>,
    /// The sum of their spans.
    pub span: Option<Span>,
    /// `work / span`; also `None` if there is no span to divide by.
    pub parallelism: Option<f64>,
}

impl Measure {
    /// A measure with these sums.
    pub fn new(count: Option<u64>, work: Option<Work>, span: Option<Span>) -> Self {
        Self {
            count,
            work,
            span,
            parallelism: work
                .zip(span)
                .and_then(|(work, span)| parallelism(work, span)),
        }
    }
}
