//! The JSON report's parts on regions; field names are its keys.

use serde::Serialize;
use workspan_model::{InstanceFigures, Region, RegionFigures};

use super::document::{ParallelismIntervalPart, SpanIntervalPart, SpeedupPart};

/// A region.
#[derive(Serialize)]
pub(super) struct RegionPart<'a> {
    name: &'a str,
    location: Option<String>,
    file: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
    function: Option<&'a str>,
    count: u64,
    top_count: u64,
    on_span_ns: u64,
    share_of_span: f64,
    stolen: u64,
    blocked_ns: u64,
    tasking_overhead: f64,
    tasking_overhead_ns: u64,
    sum: FiguresPart,
    instances: Vec<InstancePart>,
}

impl<'a> RegionPart<'a> {
    pub(super) fn of(region: &'a Region) -> Self {
        let location = region.location.as_ref();
        Self {
            name: &region.name,
            location: location.map(ToString::to_string),
            file: location.map(|location| location.file.as_str()),
            line: location.map(|location| location.line),
            column: location.map(|location| location.column),
            function: region.function.as_deref(),
            count: region.count,
            top_count: region.top_count,
            on_span_ns: region.on_span.time().shown(),
            share_of_span: region.share_of_span,
            stolen: region.stolen,
            blocked_ns: region.blocked.shown(),
            tasking_overhead: region.tasking_overhead.share,
            tasking_overhead_ns: region.tasking_overhead.time.shown(),
            sum: FiguresPart::of(&region.sum),
            instances: region.instances.iter().map(InstancePart::of).collect(),
        }
    }
}

#[derive(Serialize)]
struct InstancePart {
    start_ns: u64,
    figures: FiguresPart,
}

impl InstancePart {
    fn of(instance: &InstanceFigures) -> Self {
        Self {
            start_ns: instance.start.shown(),
            figures: FiguresPart::of(&instance.figures),
        }
    }
}

#[derive(Serialize)]
struct FiguresPart {
    work_ns: u64,
    span_ns: u64,
    burdened_span_ns: u64,
    parallelism: Option<f64>,
    burdened_parallelism: Option<f64>,
    span_interval: SpanIntervalPart,
    burdened_span_interval: SpanIntervalPart,
    parallelism_interval: ParallelismIntervalPart,
    burdened_parallelism_interval: ParallelismIntervalPart,
    spawns: u64,
    syncs: u64,
    average_strand_ns: u64,
    speedup: Vec<SpeedupPart>,
}

impl FiguresPart {
    fn of(figures: &RegionFigures) -> Self {
        Self {
            work_ns: figures.work.time().shown(),
            span_ns: figures.span.time().shown(),
            burdened_span_ns: figures.burdened_span.time().shown(),
            parallelism: figures.parallelism,
            burdened_parallelism: figures.burdened_parallelism,
            span_interval: SpanIntervalPart::of(figures.span_interval),
            burdened_span_interval: SpanIntervalPart::of(figures.burdened_span_interval),
            parallelism_interval: ParallelismIntervalPart::of(figures.parallelism_interval),
            burdened_parallelism_interval: ParallelismIntervalPart::of(
                figures.burdened_parallelism_interval,
            ),
            spawns: figures.spawns,
            syncs: figures.syncs,
            average_strand_ns: figures.average_strand.shown(),
            speedup: figures.speedup.iter().map(SpeedupPart::of).collect(),
        }
    }
}
