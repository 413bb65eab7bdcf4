//! The JSON report's parts on totals.

use workspan_model::{Analysis, SpanInterval, Totals};

use crate::object::{Document, object};

pub(super) fn totals(totals: &Totals, analysis: &Analysis) -> impl Document {
    object! {
        /// Work: the time of all strands, in nanoseconds
        work_ns: totals.work.time().shown(),
        /// Span: the longest chain of dependent strands, in nanoseconds
        span_ns: totals.span.time().shown(),
        /// Span with the burden, in nanoseconds
        burdened_span_ns: totals.burdened_span.time().shown(),
        /// Work / span
        parallelism: totals.parallelism,
        /// Work / burdened span
        burdened_parallelism: totals.burdened_parallelism,
        /// What is known of the span: delays lengthen strands, and tiny ones are timed in groups
        span_interval: span_interval(totals.span_interval),
        /// What is known of the burdened span
        burdened_span_interval: span_interval(totals.burdened_span_interval),
        /// What is known of the parallelism
        parallelism_interval: analysis.known(totals.parallelism_interval),
        /// What is known of the burdened parallelism
        burdened_parallelism_interval: analysis.known(totals.burdened_parallelism_interval),
        /// Part of the work that was timed in shared stretches, as a share of it, from 0
        shared_share: totals.shared_share,
        /// Tasks created
        spawns: totals.spawns,
        /// Waits for tasks
        syncs: totals.syncs,
        /// Work / (1 + 2 spawns + syncs), in nanoseconds
        average_strand_ns: totals.average_strand.shown(),
        /// Cost of creating and scheduling tasks as a share of the work, from 0
        tasking_overhead: totals.tasking_overhead.share,
        /// Cost of creating and scheduling tasks, in nanoseconds
        tasking_overhead_ns: totals.tasking_overhead.time.shown(),
        /// Voluntary waits of strands, part of the work, in nanoseconds
        blocked_ns: totals.blocked.shown(),
        /// Tasks that ran on another thread than their spawner
        stolen: totals.stolen,
        /// From the start of the process to the writing of the profile, in nanoseconds
        elapsed_ns: totals.elapsed.shown(),
    }
}

pub(super) fn span_interval(interval: SpanInterval) -> impl Document {
    object! {
        /// No shorter than this, in nanoseconds
        lower_ns: interval.lower.time().shown(),
        /// No longer than this, in nanoseconds
        upper_ns: interval.upper.time().shown(),
    }
}
