//! The totals of a profile.

use crate::{
    Lock, Nanos, Profile, SpanInterval, TaskingOverhead, Totals, Work, parallelism,
    tasking_overhead,
};

/// The totals of `profile`.
///
/// # Panics
/// If the profile is not valid.
pub fn totals(profile: &Profile) -> Totals {
    let nodes = || profile.tree.iter();
    let counted = |count: fn(&crate::OnWork) -> u64| {
        nodes().fold(0_u64, |sum, node| sum.saturating_add(count(&node.on_work)))
    };
    let work: Work = nodes().map(|node| node.on_work.local_work).sum();
    let spawns = counted(|on_work| on_work.spawns);
    let syncs = counted(|on_work| on_work.syncs);
    let overhead = nodes()
        .map(|node| tasking_overhead(node, profile.site_of(node).kind, &profile.calibration))
        .sum();
    let timing = &profile.timing;
    let span_interval =
        SpanInterval::around(profile.span, timing.span_open).within_work(profile.span, work);
    let burdened_span_interval =
        SpanInterval::around(profile.burdened_span, timing.burdened_span_open);
    Totals {
        work,
        span: profile.span,
        burdened_span: profile.burdened_span,
        locked: (profile.locks.iter().map(Lock::held)).fold(Work::ZERO, Work::max),
        parallelism: parallelism(work, profile.span).unwrap_or(1.0),
        burdened_parallelism: parallelism(work, profile.burdened_span).unwrap_or(1.0),
        span_interval,
        burdened_span_interval,
        parallelism_interval: span_interval.parallelism(work),
        burdened_parallelism_interval: burdened_span_interval.parallelism(work),
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
