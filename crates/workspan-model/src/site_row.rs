//! One row a site: its figures on the work and on the span.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::tops::tops;
use crate::{
    Location, LockUse, Measure, MeasureKind, Nanos, Node, On, Profile, Site, SiteId, SiteKind,
    Span, TaskingOverhead, Work, parallelism, tasking_overhead,
};

/// Figures of a site: of all [`Site`]s of a profile with the same kind, location and name.
///
/// Several sites share a row when monomorphisation, or a duplicated static, gave one place of the
/// source several keys. Sites without a location share a row when kind, name, function and detail agree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SiteRow {
    /// What the site does.
    pub kind: SiteKind,
    /// Where it stands; `None` for the root and where no symbols told.
    pub location: Option<Location>,
    /// Name of the region, or of the function called.
    #[serde(default)]
    pub name: Option<String>,
    /// Where the function called is defined, of the first site that knows.
    #[serde(default)]
    pub callee: Option<Location>,
    /// The function around it, of the first site that knows.
    pub function: Option<String>,
    /// What was called there, of the first site that knows.
    pub detail: Option<String>,
    /// What the reader should know about its figures, of the first site that has any.
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
    /// Work of the top instances, with all that they wait for.
    pub work: Work,
    /// Sum of the spans of the top instances.
    pub span: Span,
    /// Work of the site's own strands, those of sites within left out.
    pub local_work: Work,
    /// Time of the own strands of every instance that lie on its own longest path (Cilkprof §6, local); `None` where
    /// the profile does not tell.
    pub local_span: Option<Span>,
    /// `work / span`; `None` when no top instance has finished.
    pub parallelism: Option<f64>,
    /// Of the top instances, those that the outermost execution of the function around the site made.
    pub top_caller: Measure,
    /// The part of the local work in which strands waited of their own will.
    pub blocked: Nanos,
    /// Tasks that ran on another thread than their spawner.
    pub stolen: u64,
    /// Tasks created.
    pub spawns: u64,
    /// Waits for tasks.
    pub syncs: u64,
    /// Cost of creating and scheduling the site's tasks, against the site's work.
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
    /// Work of the own strands of the instances on the path, on the path or off it; `None` where the profile does not
    /// tell.
    pub local_work: Option<Work>,
    /// The top instances that lie on the critical path from their start to their end.
    pub top_call_site: Measure,
    /// Of these, those that the outermost execution of the function around the site made.
    pub top_caller: Measure,
    /// `local_span` as a share of the program's span; over all rows they sum up to 1.
    pub share: f64,
}

/// The rows of `profile`, the largest share of the span first.
///
/// For the set G of a row's sites, from the figures of the call tree (Cilkprof §6). Outermost are the nodes of G with
/// no node of G above: their top instances are G's top-call-site instances.
///
/// On the work:
/// - *top-call-site*: count and span are sums of `top_count` and `top_span` over the outermost nodes; the work is the
///   sum of the local work of the nodes at or below them.
/// - *top-caller*: the same over those of the outermost nodes above which no site stands in the function around G.
/// - *local*: sums of `count`, `local_work` and `local_span` over the nodes of G.
///
/// On the span, the same with the figures on the span; the work of top instances, `top_work`, is what they do off the
/// path too. Their span needs no figure of its own: an instance whose start and end lie on the critical path has
/// its own longest path on it, and what the critical path spends at or below an outermost node lies within such
/// instances. So it is the sum of `local_span` over the nodes at or below the outermost ones.
///
/// Sites at which locks are acquired have no nodes: each time that a lock was held is a top instance, of which only the
/// figures on the work are known, and no strand is its own.
///
/// # Panics
/// When the profile is not valid.
pub fn site_rows(profile: &Profile) -> Vec<SiteRow> {
    let (mut rows, row_of_site) = group_sites(&profile.sites);
    let row_of_node: Vec<usize> = profile
        .tree
        .iter()
        .map(|node| row_of_site[node.site.index()])
        .collect();
    let tops = tops(profile, &rows, &row_of_node);
    let work_below = with_those_below(profile, |node| node.on_work.local_work);
    let span_below = with_those_below(profile, |node| node.on_span.local_span);
    let mut sums = vec![Sums::default(); rows.len()];

    for (index, node) in profile.tree.iter().enumerate() {
        let row = &mut rows[row_of_node[index]];
        let sums = &mut sums[row_of_node[index]];
        let on_work = &mut row.on_work;
        on_work.count = on_work.count.saturating_add(node.on_work.count);
        on_work.local_work += node.on_work.local_work;
        on_work.blocked += node.on_work.blocked;
        on_work.stolen = on_work.stolen.saturating_add(node.on_work.stolen);
        on_work.spawns = on_work.spawns.saturating_add(node.on_work.spawns);
        on_work.syncs = on_work.syncs.saturating_add(node.on_work.syncs);
        on_work.tasking_overhead.time += tasking_overhead(node, row.kind, &profile.calibration);
        row.on_span.count = row.on_span.count.saturating_add(node.on_span.count);
        row.on_span.local_span += node.on_span.local_span;
        sums.local_span_on_work += node.on_work.local_span;
        sums.local_work_on_span += node.on_span.local_work;
        if tops.call_site[index] {
            let top_on_work = Sum {
                count: node.on_work.top_count,
                work: work_below[index],
                span: node.on_work.top_span,
            };
            let top_on_span = Sum {
                count: node.on_span.top_count,
                work: node.on_span.top_work,
                span: span_below[index],
            };
            sums.top_on_work.add(top_on_work);
            sums.top_on_span.add(top_on_span);
            if tops.caller[index] {
                sums.top_caller_on_work.add(top_on_work);
                sums.top_caller_on_span.add(top_on_span);
            }
        }
    }
    for lock in profile.locks.iter().flat_map(|lock| &lock.uses) {
        sums[row_of_site[lock.site.index()]].add_lock(lock);
    }
    for lock in &profile.other_locks {
        sums[row_of_site[lock.site.index()]].add_lock(lock);
    }
    let has_paths = profile.has_paths();
    for (row, sums) in rows.iter_mut().zip(&sums) {
        finish(row, sums, has_paths);
        row.on_span.share = row.on_span.local_span.time().share_of(profile.span.time());
    }
    finish_root(&mut rows[0], profile.span);
    rows.retain(|row| row.kind == SiteKind::Root || row.has_figures());
    rows.sort_by_key(|row| Reverse((row.on_span.local_span, row.on_work.work)));
    rows
}

/// A sum over nodes.
#[derive(Clone, Copy, Default)]
struct Sum {
    count: u64,
    work: Work,
    span: Span,
}

impl Sum {
    fn add(&mut self, other: Self) {
        self.count = self.count.saturating_add(other.count);
        self.work += other.work;
        self.span += other.span;
    }
}

/// What is summed up of a row and becomes its measures.
#[derive(Clone, Copy, Default)]
struct Sums {
    top_on_work: Sum,
    top_on_span: Sum,
    top_caller_on_work: Sum,
    top_caller_on_span: Sum,
    local_span_on_work: Span,
    local_work_on_span: Work,
}

impl Sums {
    /// Each time that a lock is held is an instance of the site, a serial one.
    fn add_lock(&mut self, lock: &LockUse) {
        let held = Sum {
            count: lock.acquisitions,
            work: lock.held,
            span: Span::from(lock.held.time()),
        };
        self.top_on_work.add(held);
        self.top_caller_on_work.add(held);
    }
}

impl SiteRow {
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
            (On::Work, MeasureKind::Local) => Measure::of(
                Some(on_work.count),
                Some(on_work.local_work),
                on_work.local_span,
            ),
            (On::Span, MeasureKind::TopCallSite) => on_span.top_call_site,
            (On::Span, MeasureKind::TopCaller) => on_span.top_caller,
            (On::Span, MeasureKind::Local) => Measure::of(
                Some(on_span.count),
                on_span.local_work,
                Some(on_span.local_span),
            ),
        }
    }

    fn has_figures(&self) -> bool {
        self.on_work.count != 0
            || self.on_work.top_count != 0
            || self.on_work.local_work != Work::ZERO
            || self.on_span.local_span != Span::ZERO
    }
}

/// Rows without figures, in the order of their first sites, and the row of each site.
pub(crate) fn group_sites(sites: &[Site]) -> (Vec<SiteRow>, Vec<usize>) {
    let mut rows: Vec<SiteRow> = Vec::new();
    let mut row_of_key = HashMap::new();
    let mut row_of_site = Vec::with_capacity(sites.len());
    for (id, site) in (0..).map(SiteId).zip(sites) {
        let row = *row_of_key.entry(site_key(site)).or_insert(rows.len());
        if row == rows.len() {
            rows.push(SiteRow {
                kind: site.kind,
                location: site.location.clone(),
                name: site.name.clone(),
                callee: None,
                function: None,
                detail: None,
                note: None,
                sites: Vec::new(),
                on_work: RowOnWork::default(),
                on_span: RowOnSpan::default(),
            });
        }
        let merged = &mut rows[row];
        merged.sites.push(id);
        merged.callee = merged.callee.take().or_else(|| site.callee.clone());
        merged.function = merged.function.take().or_else(|| site.function.clone());
        merged.detail = merged.detail.take().or_else(|| site.detail.clone());
        merged.note = merged.note.take().or_else(|| site.note.clone());
        row_of_site.push(row);
    }
    (rows, row_of_site)
}

/// What tells rows apart, in one run and from run to run.
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

/// Of each node, the sum of a figure over it and those below.
pub(crate) fn with_those_below<T: Copy + AddAssign>(
    profile: &Profile,
    figure: impl Fn(&Node) -> T,
) -> Vec<T> {
    let mut sums: Vec<T> = profile.tree.iter().map(figure).collect();
    for (index, node) in profile.tree.iter().enumerate().rev() {
        if let Some(parent) = node.parent {
            let sum = sums[index];
            sums[parent.index()] += sum;
        }
    }
    sums
}

/// Fills in what follows from the sums. What came with the paths is not known without them.
fn finish(row: &mut SiteRow, sums: &Sums, has_paths: bool) {
    let on_work = &mut row.on_work;
    if row.kind.is_lock() {
        on_work.count = sums.top_on_work.count;
    }
    on_work.top_count = sums.top_on_work.count;
    on_work.work = sums.top_on_work.work;
    on_work.span = sums.top_on_work.span;
    if on_work.top_count > 0 {
        on_work.parallelism = parallelism(on_work.work, on_work.span);
    }
    let caller = &sums.top_caller_on_work;
    on_work.top_caller = Measure::of(Some(caller.count), Some(caller.work), Some(caller.span));
    on_work.local_span = has_paths.then_some(sums.local_span_on_work);
    on_work.tasking_overhead =
        TaskingOverhead::against(on_work.tasking_overhead.time, on_work.work);
    let measure = |sum: &Sum| {
        let count = has_paths.then_some(sum.count);
        let work = has_paths.then_some(sum.work);
        Measure::of(count, work, Some(sum.span))
    };
    row.on_span.top_call_site = measure(&sums.top_on_span);
    row.on_span.top_caller = measure(&sums.top_caller_on_span);
    row.on_span.local_work = has_paths.then_some(sums.local_work_on_span);
}

/// The root is one instance, which lies on the critical path and whose span is the program's.
fn finish_root(root: &mut SiteRow, program_span: Span) {
    let (on_work, on_span) = (&mut root.on_work, &mut root.on_span);
    let whole = Measure::of(Some(1), Some(on_work.work), Some(program_span));
    on_work.count = 1;
    on_work.top_count = 1;
    on_work.span = program_span;
    on_work.parallelism = whole.parallelism;
    on_work.local_span = Some(on_span.local_span);
    on_work.top_caller = whole;
    on_span.local_work = Some(on_work.local_work);
    on_span.top_call_site = whole;
    on_span.top_caller = whole;
}
