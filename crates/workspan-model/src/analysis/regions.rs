//! One row per named region, with the figures that a report gives for the whole program.

use std::cmp::Reverse;

use indexmap::IndexMap;

use super::totals::average_maximal_strand;
use crate::run::lock::LockedPart;
use crate::{
    Estimate, Location, Nanos, NodeId, Profile, RegionInstance, SiteKind, Span, SpeedupBounds,
    SpeedupLimits, TaskingOverhead, Totals, Work, tasking_overhead, totals,
};

/// A region: all sites of a profile with the same name and location.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Region {
    /// The name that the program gives it.
    pub name: String,
    /// Where it is opened; `None` if the program did not say.
    pub location: Option<Location>,
    /// The function around that place.
    pub function: Option<String>,
    /// Instances.
    pub count: u64,
    /// The number of instances that ended and are not inside another instance of the region: those
    /// that `sum` covers.
    pub top_count: u64,
    /// Time that the program's critical path spent in the region, including everything that it
    /// waited for.
    pub on_span: Span,
    /// `on_span` as a share of the program's span.
    pub share_of_span: f64,
    /// The top instances together: the sums of their work and spans.
    pub sum: RegionFigures,
    /// Tasks that ran on another thread than their spawner.
    pub stolen: u64,
    /// Time that strands spent in voluntary waits; part of the work.
    pub blocked: Nanos,
    /// Cost of creating and scheduling tasks.
    pub tasking_overhead: TaskingOverhead,
    /// Single instances, in the order in which they started; if there were many, only the first.
    pub instances: Vec<InstanceFigures>,
}

/// One instance of a region.
#[derive(Clone, Debug, PartialEq)]
pub struct InstanceFigures {
    /// When it began, relative to the program's start.
    pub start: Nanos,
    /// Its figures.
    pub figures: RegionFigures,
}

/// The quantities of Cilkview's report (Fig. 6) for a part of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RegionFigures {
    /// Work T₁, including everything that is waited for.
    pub work: Work,
    /// Span T∞.
    pub span: Estimate<Span>,
    /// Burdened span T̂∞.
    pub burdened_span: Estimate<Span>,
    /// T₁/T∞; 1 without a span.
    pub parallelism: Estimate<f64>,
    /// T₁/T̂∞; 1 without a span.
    pub burdened_parallelism: Estimate<f64>,
    /// Tasks created.
    pub spawns: u64,
    /// Waits for tasks.
    pub syncs: u64,
    /// Work per maximal strand.
    pub average_strand: Nanos,
    /// Speedup bounds on 2, 4, … 256 cores and on the assumed count, as if the program were nothing
    /// but this; empty without a span. Here the lock that is held longest is held for a time that
    /// is known only as a range: the upper bounds use its lower end, the lower bounds its upper
    /// end.
    pub speedup: Vec<SpeedupBounds>,
}

impl RegionFigures {
    /// The parallelism and the burdened one, each `None` without a span.
    pub fn parallelisms(&self) -> [Option<f64>; 2] {
        let both = [
            (self.span, self.parallelism),
            (self.burdened_span, self.burdened_parallelism),
        ];
        both.map(|(span, figure)| (span.value > Span::ZERO).then_some(figure.value))
    }
}

/// The regions of `profile`, in descending order of share of the span.
///
/// Computed from the call tree (Cilkprof §6, top-call-site): the work is the sum of the local work
/// of the nodes at or below one of the region's; spans, spawns and syncs are sums over those of its
/// nodes that have no node of the region above. A region's share of the span is what the critical
/// path spent at or below its nodes.
///
/// # Panics
/// If the profile is not valid.
pub fn regions(profile: &Profile) -> Vec<Region> {
    let (mut regions, region_of_site) = group_sites(profile);
    if regions.is_empty() {
        return regions;
    }
    let region_of = |node: NodeId| region_of_site[profile.tree[node.index()].site.index()];
    let mut sums = vec![RegionInstance::default(); regions.len()];
    for (id, node) in (0..).map(NodeId).zip(&profile.tree) {
        let on_work = &node.on_work;
        let around = regions_around(profile, id, region_of);
        for &index in &around {
            let (region, sum) = (&mut regions[index], &mut sums[index]);
            sum.work += on_work.local_work;
            region.on_span += node.on_span.local_span;
            region.stolen = region.stolen.saturating_add(on_work.stolen);
            region.blocked += on_work.blocked;
            let kind = profile.site_of(node).kind;
            region.tasking_overhead.time += tasking_overhead(node, kind, &profile.calibration);
        }
        let Some(index) = region_of(id) else {
            continue;
        };
        let region = &mut regions[index];
        region.count = region.count.saturating_add(on_work.count);
        let above = node
            .parent
            .map(|parent| regions_around(profile, parent, region_of));
        if !above.is_some_and(|above| above.contains(&index)) {
            let sum = &mut sums[index];
            region.top_count = region.top_count.saturating_add(on_work.top_count);
            sum.span += on_work.top_span;
            sum.burdened_span += on_work.top_burdened_span;
            sum.open += on_work.top_open;
            sum.spawns = sum.spawns.saturating_add(on_work.top_spawns);
            sum.syncs = sum.syncs.saturating_add(on_work.top_syncs);
        }
    }
    let cores = profile.run.assumed_cores;
    let Totals { work, locked, .. } = totals(profile);
    let part = |part: Work| LockedPart::new(locked, work, part);
    for instance in &profile.instances {
        if let Some(index) = region_of(instance.node) {
            regions[index].instances.push(InstanceFigures {
                start: instance.start,
                figures: RegionFigures::new(instance, 1, cores, part(instance.work)),
            });
        }
    }
    for (region, sum) in regions.iter_mut().zip(sums) {
        region.sum = RegionFigures::new(&sum, region.top_count, cores, part(sum.work));
        region.share_of_span = region.on_span.time().share_of(profile.span.time());
        region.tasking_overhead = TaskingOverhead::against(region.tasking_overhead.time, sum.work);
        region.instances.sort_by_key(|instance| instance.start);
    }
    regions.retain(|region| region.count > 0);
    regions.sort_by_key(|region| Reverse((region.on_span, region.sum.work)));
    regions
}

/// The regions without figures, in the order of their first sites, and the region of each site.
fn group_sites(profile: &Profile) -> (Vec<Region>, Vec<Option<usize>>) {
    let mut regions = IndexMap::new();
    let region_of_site = profile.sites.iter().map(|site| {
        let name = site.name.as_deref().unwrap_or_default();
        (site.kind == SiteKind::Region).then(|| {
            let region = regions.entry((name, &site.location));
            let index = region.index();
            let region = region.or_insert_with(|| Region {
                name: name.to_owned(),
                location: site.location.clone(),
                ..Region::default()
            });
            region.function = region.function.take().or_else(|| site.function.clone());
            index
        })
    });
    let region_of_site = region_of_site.collect();
    (regions.into_values().collect(), region_of_site)
}

/// The regions of a node and of those above it, each once.
fn regions_around(
    profile: &Profile,
    node: NodeId,
    region_of: impl Fn(NodeId) -> Option<usize>,
) -> Vec<usize> {
    let mut around: Vec<usize> = profile.with_above(node).filter_map(region_of).collect();
    around.sort_unstable();
    around.dedup();
    around
}

impl RegionFigures {
    fn new(
        measured: &RegionInstance,
        instances: u64,
        assumed_cores: u32,
        locked: LockedPart,
    ) -> Self {
        let &RegionInstance {
            work,
            open,
            spawns,
            syncs,
            ..
        } = measured;
        let span = Estimate::around(measured.span, open).within_work(work);
        // A guard that is forgotten has no burdened span, and the two sums are rounded separately.
        let burdened_span = Estimate::around(measured.burdened_span.max(measured.span), open);
        let parallelism = span.parallelism(work);
        let burdened_parallelism = burdened_span.parallelism(work);
        Self {
            work,
            span,
            burdened_span,
            parallelism,
            burdened_parallelism,
            spawns,
            syncs,
            average_strand: average_maximal_strand(work, instances, spawns, syncs),
            speedup: if measured.span > Span::ZERO {
                SpeedupLimits::new(
                    parallelism.at_most(locked.most_speedup(work)),
                    burdened_parallelism.in_series_with(locked.most_speedup(work)),
                )
                .table(assumed_cores)
            } else {
                Vec::new()
            },
        }
    }
}
