//! Totals over the whole program.

use crate::{Nanos, Profile, Span, TaskingOverhead, Work, parallelism, tasking_overhead};

/// Totals over the whole program: the quantities of Cilkview's report (Fig. 6), and what rayon adds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Totals {
    /// Work T₁.
    pub work: Work,
    /// Span T∞.
    pub span: Span,
    /// Burdened span T̂∞.
    pub burdened_span: Span,
    /// T₁/T∞; 1 for a program without span.
    pub parallelism: f64,
    /// T₁/T̂∞; 1 for a program without span.
    pub burdened_parallelism: f64,
    /// Tasks created.
    pub spawns: u64,
    /// Waits for tasks.
    pub syncs: u64,
    /// Work per maximal strand.
    pub average_strand: Nanos,
    /// Cost of creating and scheduling tasks.
    pub tasking_overhead: TaskingOverhead,
    /// Time in which strands waited of their own will; part of the work.
    pub blocked: Nanos,
    /// Tasks that ran on another thread than their spawner.
    pub stolen: u64,
    /// Instances of rayon's constructs.
    pub constructs: u64,
    /// From the start of the process to the writing of the profile.
    pub elapsed: Nanos,
}

/// Totals of `profile`.
///
/// # Panics
/// When the profile is not valid.
pub fn totals(profile: &Profile) -> Totals {
    let nodes = || profile.tree.iter();
    let counted = |count: fn(&crate::OnWork) -> u64| {
        nodes().fold(0_u64, |sum, node| sum.saturating_add(count(&node.on_work)))
    };
    let work = nodes().map(|node| node.on_work.local_work).sum();
    let spawns = counted(|on_work| on_work.spawns);
    let syncs = counted(|on_work| on_work.syncs);
    let overhead = nodes()
        .map(|node| tasking_overhead(node, profile.site_of(node).kind, &profile.calibration))
        .sum();
    Totals {
        work,
        span: profile.span,
        burdened_span: profile.burdened_span,
        parallelism: parallelism(work, profile.span).unwrap_or(1.0),
        burdened_parallelism: parallelism(work, profile.burdened_span).unwrap_or(1.0),
        spawns,
        syncs,
        average_strand: average_maximal_strand(work, spawns, syncs),
        tasking_overhead: TaskingOverhead::against(overhead, work),
        blocked: nodes().map(|node| node.on_work.blocked).sum(),
        stolen: counted(|on_work| on_work.stolen),
        constructs: nodes()
            .filter(|node| profile.site_of(node).kind.is_rayon())
            .fold(0, |sum, node| sum.saturating_add(node.on_work.count)),
        elapsed: profile.run.elapsed,
    }
}

/// Cilkview §4: the work divided by 1 plus twice the number of spawns plus the number of syncs.
fn average_maximal_strand(work: Work, spawns: u64, syncs: u64) -> Nanos {
    let strands = 1.0 + 2.0 * spawns as f64 + syncs as f64;
    Nanos::from_nanos_f64(work.time().shown() as f64 / strands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn average_maximal_strand_of_cilkview_figure_6() {
        let work = Work::from_nanos(5_570_609_776);
        let strand = average_maximal_strand(work, 8_518_398, 8_518_398);
        assert_eq!(strand.as_nanos(), 218);
    }
}
