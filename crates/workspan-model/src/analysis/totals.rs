//! The totals of a profile.

use super::noise::{Noise, levelled};
use crate::dag::Levelled;
use crate::threads::contention::waits_between_threads;
use crate::{Dag, Estimate, Nanos, Profile, Span, TaskingOverhead, Totals, Work, tasking_overhead};

/// The totals of `profile` as measured: its intervals show how closely strands were timed, not what
/// delayed them.
///
/// # Panics
/// If the profile is not valid.
pub fn totals(profile: &Profile) -> Totals {
    within(profile, Noise::NONE)
}

/// The totals of `profile`, with intervals that hold the truth in spite of what delayed strands in
/// the run in which `dag`, if any, was recorded.
///
/// # Panics
/// If the profile or the dag is not valid.
pub fn totals_with_dag(profile: &Profile, dag: Option<&Dag>) -> Totals {
    totals_levelled(profile, levelled(profile, dag).as_ref())
}

/// [`totals_with_dag`] of a dag that is levelled already.
pub(crate) fn totals_levelled(profile: &Profile, levelled: Option<&Levelled<'_>>) -> Totals {
    within(profile, Noise::new(profile, levelled))
}

fn within(profile: &Profile, noise: Noise) -> Totals {
    let nodes = || profile.tree.iter();
    let counted = |count: fn(&crate::OnWork) -> u64| {
        nodes().fold(0_u64, |sum, node| sum.saturating_add(count(&node.on_work)))
    };
    let work = profile.work();
    let spawns = counted(|on_work| on_work.spawns);
    let syncs = counted(|on_work| on_work.syncs);
    let overhead = nodes()
        .map(|node| tasking_overhead(node, profile.site_of(node).kind, &profile.calibration))
        .sum();
    let timing = &profile.timing;
    // No path takes longer than the run.
    let rest_of_run = (profile.run.elapsed - profile.span.time()).max(Nanos::ZERO);
    let waited = waits_between_threads(profile).min(rest_of_run);
    let span = Estimate::around(profile.span, timing.span_open)
        .widened(noise.span)
        .longer_by(waited)
        .within_work(work);
    let burdened_span = Estimate::around(profile.burdened_span, timing.burdened_span_open)
        .widened(noise.burdened_span)
        .longer_by(waited);
    let parallelism = |span: Estimate<Span>| {
        let parallelism = span.parallelism(work);
        let most = parallelism.value.max(noise.at_once);
        parallelism.at_most(Estimate::exactly(most))
    };
    Totals {
        work,
        span,
        burdened_span,
        locked: profile.held_longest(),
        parallelism: parallelism(span),
        burdened_parallelism: parallelism(burdened_span),
        shared_share: timing.shared_work.time().share_of(work.time()),
        spawns,
        syncs,
        average_strand: average_maximal_strand(work, 1, spawns, syncs),
        tasking_overhead: TaskingOverhead::against(overhead, work),
        blocked: nodes().map(|node| node.on_work.blocked).sum(),
        stolen: counted(|on_work| on_work.stolen),
        constructs: nodes()
            .filter(|node| profile.site_of(node).kind.is_parallel())
            .fold(0, |sum, node| sum.saturating_add(node.on_work.count)),
        elapsed: profile.run.elapsed,
    }
}

/// Cilkview §4: the work divided by 1 plus twice the number of spawns plus the number of syncs,
/// where the 1 counts once per instance of what is measured.
pub(crate) fn average_maximal_strand(work: Work, instances: u64, spawns: u64, syncs: u64) -> Nanos {
    let strands = instances.max(1) as f64 + 2.0 * spawns as f64 + syncs as f64;
    Nanos::from_nanos_f64(work.time().shown() as f64 / strands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn average_maximal_strand_of_cilkview_figure_6() {
        let work = Work::from_nanos(5_570_609_776);
        let strand = average_maximal_strand(work, 1, 8_518_398, 8_518_398);
        assert_eq!(strand.as_nanos(), 218);
    }
}
