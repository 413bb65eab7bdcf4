//! The JSON report's parts on totals.

use serde::Serialize;
use workspan_model::{ParallelismInterval, SpanInterval, SpeedupBounds, Totals};

use crate::object::object;

pub(super) fn totals(totals: &Totals) -> impl Serialize {
    object! {
        work_ns: totals.work.time().shown(),
        span_ns: totals.span.time().shown(),
        burdened_span_ns: totals.burdened_span.time().shown(),
        parallelism: totals.parallelism,
        burdened_parallelism: totals.burdened_parallelism,
        span_interval: span_interval(totals.span_interval),
        burdened_span_interval: span_interval(totals.burdened_span_interval),
        parallelism_interval: parallelism_interval(totals.parallelism_interval),
        burdened_parallelism_interval: parallelism_interval(totals.burdened_parallelism_interval),
        shared_share: totals.shared_share,
        spawns: totals.spawns,
        syncs: totals.syncs,
        average_strand_ns: totals.average_strand.shown(),
        tasking_overhead: totals.tasking_overhead.share,
        tasking_overhead_ns: totals.tasking_overhead.time.shown(),
        blocked_ns: totals.blocked.shown(),
        stolen: totals.stolen,
        elapsed_ns: totals.elapsed.shown(),
    }
}

pub(super) fn span_interval(interval: SpanInterval) -> impl Serialize {
    object! {
        lower_ns: interval.lower.time().shown(),
        upper_ns: interval.upper.time().shown(),
    }
}

pub(super) fn parallelism_interval(interval: ParallelismInterval) -> impl Serialize {
    object! {
        lower: interval.lower,
        upper: interval.upper,
    }
}

pub(super) fn speedups(speedup: &[SpeedupBounds]) -> Vec<impl Serialize> {
    let bounds = speedup.iter().map(|bounds| {
        object! {
            cores: bounds.cores,
            lower: bounds.lower,
            upper: bounds.upper,
        }
    });
    bounds.collect()
}
