//! The JSON report's parts on regions.

use workspan_model::{InstanceFigures, Nanos, Region, RegionFigures};

use super::place::place;
use crate::object::{Document, object};
use crate::totals::span_interval;

pub(super) fn region(region: &Region) -> impl Document {
    object! {
        #[serde(flatten)]
        named: named(region),
        #[serde(flatten)]
        whole: whole(region),
        /// What the report tells of the whole program, of a part of it
        sum: figures(&region.sum),
        /// Single instances, in the order of their starts; of many the first
        instances: region.instances.iter().map(instance).collect::<Vec<_>>(),
    }
}

fn named(region: &Region) -> impl Document {
    object! {
        /// The name that the program gives it
        name: &region.name,
        #[serde(flatten)]
        place: place(region.location.as_ref()),
        /// The function around it
        function: &region.function,
    }
}

fn whole(region: &Region) -> impl Document {
    object! {
        /// Instances
        count: region.count,
        /// Instances that no other of the region is around, and that ended: those summed up
        top_count: region.top_count,
        /// Time that the program's critical path spent in the region, with all that it waited for, in
        /// nanoseconds
        on_span_ns: region.on_span.time().shown(),
        /// It, as a share of the program's span
        share_of_span: region.share_of_span,
        /// Tasks that ran on another thread than their spawner
        stolen: region.stolen,
        /// Voluntary waits of strands, part of the work, in nanoseconds
        blocked_ns: region.blocked.shown(),
        /// Cost of creating and scheduling tasks as a share of the work, from 0
        tasking_overhead: region.tasking_overhead.share,
        /// Cost of creating and scheduling tasks, in nanoseconds
        tasking_overhead_ns: region.tasking_overhead.time.shown(),
    }
}

fn instance(instance: &InstanceFigures) -> impl Document {
    object! {
        /// When it began, since the program's start, in nanoseconds
        start_ns: instance.start.shown(),
        /// What the report tells of the whole program, of a part of it
        figures: figures(&instance.figures),
    }
}

/// The records of a region: one of its own, and one for each of its instances.
pub(crate) fn region_records(region: &Region) -> impl Iterator<Item = impl Document> {
    let instances = (1..).zip(&region.instances);
    let instances = instances.map(|(number, of)| (Some(number), Some(of.start), &of.figures));
    let all = std::iter::once((None::<u64>, None, &region.sum)).chain(instances);
    all.map(|(number, start, of)| {
        object! {
            #[serde(flatten)]
            named: named(region),
            instance: number,
            start_ns: start.map(Nanos::shown),
            #[serde(flatten)]
            whole: number.is_none().then(|| whole(region)),
            #[serde(flatten)]
            figures: figures(of),
        }
    })
}

fn figures(figures: &RegionFigures) -> impl Document {
    object! {
        /// Work, with all that is waited for, in nanoseconds
        work_ns: figures.work.time().shown(),
        /// Span, in nanoseconds
        span_ns: figures.span.time().shown(),
        /// Span with the burden, in nanoseconds
        burdened_span_ns: figures.burdened_span.time().shown(),
        /// Work / span; null without a span
        parallelism: figures.parallelism,
        /// Work / burdened span; null without a span
        burdened_parallelism: figures.burdened_parallelism,
        /// What is known of the span; just the span when the timing is exact
        span_interval: span_interval(figures.span_interval),
        /// What is known of the burdened span
        burdened_span_interval: span_interval(figures.burdened_span_interval),
        /// What is known of the parallelism
        parallelism_interval: figures.parallelism_interval,
        /// What is known of the burdened parallelism
        burdened_parallelism_interval: figures.burdened_parallelism_interval,
        /// Tasks created, whoever waits for them
        spawns: figures.spawns,
        /// Waits for tasks
        syncs: figures.syncs,
        /// Work / (instances + 2 spawns + syncs), in nanoseconds
        average_strand_ns: figures.average_strand.shown(),
        /// Bounds on the speedup of the region alone; empty without a span
        speedup: figures.speedup.as_slice(),
    }
}
