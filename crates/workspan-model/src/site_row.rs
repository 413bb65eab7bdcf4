//! One row a site: its figures on the work and on the span.

use std::cmp::Reverse;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::{
    Location, Nanos, NodeId, Profile, Site, SiteId, SiteKind, Span, TaskingOverhead, Work,
    parallelism, tasking_overhead,
};

/// Figures of a site: of all [`Site`]s of a profile with the same location and kind.
///
/// Several sites share a row when monomorphisation, or a duplicated static, gave one place of the
/// source several keys. Sites without a location share a row when kind, function and detail agree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SiteRow {
    /// What the site does.
    pub kind: SiteKind,
    /// Where it stands; `None` for the root and where no symbols told.
    pub location: Option<Location>,
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
    /// `work / span`; `None` when no top instance has finished.
    pub parallelism: Option<f64>,
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
    /// `local_span` as a share of the program's span; over all rows they sum up to 1.
    pub share: f64,
}

/// The rows of `profile`, the largest share of the span first.
///
/// For a set G of sites, with the figures of the call tree (Cilkprof §6, top-call-site and local):
/// the work is the sum of the local work of the nodes at or below one of G; the span is the sum of the
/// top spans of the nodes of G that have none of G above; count, local work and local span are sums
/// over the nodes of G.
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
    let outermost = outermost_of_row(profile, &row_of_node, rows.len());
    let inclusive_work = inclusive_work(profile);

    for (index, node) in profile.tree.iter().enumerate() {
        let row = &mut rows[row_of_node[index]];
        let on_work = &mut row.on_work;
        on_work.count = on_work.count.saturating_add(node.on_work.count);
        on_work.local_work += node.on_work.local_work;
        on_work.blocked += node.on_work.blocked;
        on_work.stolen = on_work.stolen.saturating_add(node.on_work.stolen);
        on_work.spawns = on_work.spawns.saturating_add(node.on_work.spawns);
        on_work.syncs = on_work.syncs.saturating_add(node.on_work.syncs);
        on_work.tasking_overhead.time += tasking_overhead(node, row.kind, &profile.calibration);
        if outermost[index] {
            on_work.work += inclusive_work[index];
            on_work.top_count = on_work.top_count.saturating_add(node.on_work.top_count);
            on_work.span += node.on_work.top_span;
        }
        row.on_span.count = row.on_span.count.saturating_add(node.on_span.count);
        row.on_span.local_span += node.on_span.local_span;
    }
    for row in &mut rows {
        finish(row, profile.span);
    }
    rows.retain(|row| row.kind == SiteKind::Root || row.has_figures());
    rows.sort_by_key(|row| Reverse((row.on_span.local_span, row.on_work.work)));
    rows
}

impl SiteRow {
    fn has_figures(&self) -> bool {
        self.on_work.count != 0
            || self.on_work.local_work != Work::ZERO
            || self.on_span.local_span != Span::ZERO
    }
}

/// Rows without figures, in the order of their first sites, and the row of each site.
fn group_sites(sites: &[Site]) -> (Vec<SiteRow>, Vec<usize>) {
    let mut rows: Vec<SiteRow> = Vec::new();
    let mut row_of_key = HashMap::new();
    let mut row_of_site = Vec::with_capacity(sites.len());
    for (id, site) in (0..).map(SiteId).zip(sites) {
        let row = *row_of_key.entry(site_key(site)).or_insert(rows.len());
        if row == rows.len() {
            rows.push(SiteRow {
                kind: site.kind,
                location: site.location.clone(),
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
    Result<&'a Location, (Option<&'a str>, Option<&'a str>)>,
);

fn site_key(site: &Site) -> RowKey<'_> {
    let name = (site.function.as_deref(), site.detail.as_deref());
    (site.kind, site.location.as_ref().ok_or(name))
}

pub(crate) fn row_key(row: &SiteRow) -> RowKey<'_> {
    let name = (row.function.as_deref(), row.detail.as_deref());
    (row.kind, row.location.as_ref().ok_or(name))
}

/// Of each node, whether no node above belongs to the same row.
fn outermost_of_row(profile: &Profile, row_of_node: &[usize], rows: usize) -> Vec<bool> {
    let mut children = vec![Vec::new(); profile.tree.len()];
    for (id, node) in (0..).map(NodeId).zip(&profile.tree) {
        if let Some(parent) = node.parent {
            children[parent.index()].push(id);
        }
    }
    enum Step {
        Enter(NodeId),
        Leave(NodeId),
    }
    let mut active = vec![0_usize; rows];
    let mut outermost = vec![false; profile.tree.len()];
    let mut steps = vec![Step::Enter(NodeId::ROOT)];
    while let Some(step) = steps.pop() {
        match step {
            Step::Enter(id) => {
                let row = row_of_node[id.index()];
                outermost[id.index()] = active[row] == 0;
                active[row] += 1;
                steps.push(Step::Leave(id));
                steps.extend(children[id.index()].iter().copied().map(Step::Enter));
            }
            Step::Leave(id) => active[row_of_node[id.index()]] -= 1,
        }
    }
    outermost
}

/// Of each node, the work of its strands and of those below.
fn inclusive_work(profile: &Profile) -> Vec<Work> {
    let mut inclusive: Vec<Work> = profile
        .tree
        .iter()
        .map(|node| node.on_work.local_work)
        .collect();
    for (index, node) in profile.tree.iter().enumerate().rev() {
        if let Some(parent) = node.parent {
            let work = inclusive[index];
            inclusive[parent.index()] += work;
        }
    }
    inclusive
}

/// Fills in what follows from the sums. The root is one instance, whose span is the program's.
fn finish(row: &mut SiteRow, program_span: Span) {
    let on_work = &mut row.on_work;
    if row.kind == SiteKind::Root {
        on_work.count = 1;
        on_work.top_count = 1;
        on_work.span = program_span;
    }
    if on_work.top_count > 0 {
        on_work.parallelism = parallelism(on_work.work, on_work.span);
    }
    on_work.tasking_overhead =
        TaskingOverhead::against(on_work.tasking_overhead.time, on_work.work);
    row.on_span.share = row.on_span.local_span.time().share_of(program_span.time());
}
