//! The JSON report's parts on regions.

use serde::Serialize;
use workspan_model::{InstanceFigures, Region, RegionFigures};

use super::place::place;
use super::totals::{parallelism_interval, span_interval, speedups};
use crate::object::object;

pub(super) fn region(region: &Region) -> impl Serialize {
    object! {
        name: &region.name,
        #[serde(flatten)]
        place: place(region.location.as_ref()),
        function: &region.function,
        count: region.count,
        top_count: region.top_count,
        on_span_ns: region.on_span.time().shown(),
        share_of_span: region.share_of_span,
        stolen: region.stolen,
        blocked_ns: region.blocked.shown(),
        tasking_overhead: region.tasking_overhead.share,
        tasking_overhead_ns: region.tasking_overhead.time.shown(),
        sum: figures(&region.sum),
        instances: region.instances.iter().map(instance).collect::<Vec<_>>(),
    }
}

fn instance(instance: &InstanceFigures) -> impl Serialize {
    object! {
        start_ns: instance.start.shown(),
        figures: figures(&instance.figures),
    }
}

fn figures(figures: &RegionFigures) -> impl Serialize {
    object! {
        work_ns: figures.work.time().shown(),
        span_ns: figures.span.time().shown(),
        burdened_span_ns: figures.burdened_span.time().shown(),
        parallelism: figures.parallelism,
        burdened_parallelism: figures.burdened_parallelism,
        span_interval: span_interval(figures.span_interval),
        burdened_span_interval: span_interval(figures.burdened_span_interval),
        parallelism_interval: parallelism_interval(figures.parallelism_interval),
        burdened_parallelism_interval: parallelism_interval(figures.burdened_parallelism_interval),
        spawns: figures.spawns,
        syncs: figures.syncs,
        average_strand_ns: figures.average_strand.shown(),
        speedup: speedups(&figures.speedup),
    }
}
