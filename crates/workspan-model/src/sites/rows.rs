//! The rows of a profile, with their figures.

use std::cmp::Reverse;
use std::ops::AddAssign;

use indexmap::IndexMap;

use super::top_instances::top_instances;
use crate::profile::site_row::site_key;
use crate::{
    LockUse, Measure, Node, Profile, RowOnSpan, RowOnWork, Site, SiteId, SiteKind, SiteRow, Span,
    TaskingOverhead, Work, parallelism, tasking_overhead,
};

/// The rows of `profile`, in descending order of share of the span.
///
/// For a row with the set G of sites, the figures follow from those of the call tree (Cilkprof §6).
/// The outermost nodes are the nodes of G that have no node of G above them: their top instances
/// are the top-call-site instances of G.
///
/// On the work:
/// - *top-call-site*: count and span are sums of `top_count` and `top_span` over the outermost
///   nodes; the work is the sum of the local work of the nodes at or below them.
/// - *top-caller*: the same over those outermost nodes that have no site of the function around G
///   above them.
/// - *local*: sums of `count`, `local_work` and `local_span` over the nodes of G.
///
/// On the span, the same with the figures on the span; the work of top instances, `top_work`,
/// includes what they do off the path. Their span needs no figure of its own: if the start and the
/// end of an instance lie on the critical path, so does its own longest path, and whatever the
/// critical path spends at or below an outermost node lies within such instances. So it is the sum
/// of `local_span` over the nodes at or below the outermost ones.
///
/// Sites at which locks are acquired have no nodes: each acquisition is a top instance that has
/// figures only on the work, and no strands of its own.
///
/// # Panics
/// If the profile is not valid.
pub fn site_rows(profile: &Profile) -> Vec<SiteRow> {
    let (mut rows, row_of_site) = group_sites(&profile.sites);
    let row_of_node: Vec<usize> = profile
        .tree
        .iter()
        .map(|node| row_of_site[node.site.index()])
        .collect();
    let top = top_instances(profile, &rows, &row_of_node);
    let work_below = subtree_sums(profile, |node| node.on_work.local_work);
    let span_below = subtree_sums(profile, |node| node.on_span.local_span);
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
        if top.call_site[index] {
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
            if top.caller[index] {
                sums.top_caller_on_work.add(top_on_work);
                sums.top_caller_on_span.add(top_on_span);
            }
        }
    }
    for lock in profile.lock_uses() {
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

/// Sums over the nodes of a row, from which its measures follow.
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
    /// Each acquisition of a lock is an instance of the site, a serial one.
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

/// Rows without figures, in the order of their first sites, and the row of each site.
pub(crate) fn group_sites(sites: &[Site]) -> (Vec<SiteRow>, Vec<usize>) {
    let mut rows = IndexMap::new();
    let mut row_of_site = Vec::with_capacity(sites.len());
    for (id, site) in (0..).map(SiteId).zip(sites) {
        let row = rows.entry(site_key(site));
        row_of_site.push(row.index());
        let merged = row.or_insert_with(|| SiteRow {
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
        merged.sites.push(id);
        merged.callee = merged.callee.take().or_else(|| site.callee.clone());
        merged.function = merged.function.take().or_else(|| site.function.clone());
        merged.detail = merged.detail.take().or_else(|| site.detail.clone());
        merged.note = merged.note.take().or_else(|| site.note.clone());
    }
    (rows.into_values().collect(), row_of_site)
}

/// For each node, the sum of a figure over it and all nodes below.
pub(crate) fn subtree_sums<T: Copy + AddAssign>(
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

/// Fills in the measures from the sums. Figures that were introduced together with paths are `None`
/// if there are no paths.
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
    on_work.top_caller = Measure::new(Some(caller.count), Some(caller.work), Some(caller.span));
    on_work.local_span = has_paths.then_some(sums.local_span_on_work);
    on_work.tasking_overhead =
        TaskingOverhead::against(on_work.tasking_overhead.time, on_work.work);
    let measure = |sum: &Sum| {
        let count = has_paths.then_some(sum.count);
        let work = has_paths.then_some(sum.work);
        Measure::new(count, work, Some(sum.span))
    };
    row.on_span.top_call_site = measure(&sums.top_on_span);
    row.on_span.top_caller = measure(&sums.top_caller_on_span);
    row.on_span.local_work = has_paths.then_some(sums.local_work_on_span);
}

/// The root is a single instance that lies on the critical path; its span is the program's.
fn finish_root(root: &mut SiteRow, program_span: Span) {
    let (on_work, on_span) = (&mut root.on_work, &mut root.on_span);
    let whole = Measure::new(Some(1), Some(on_work.work), Some(program_span));
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
