//! The regions that the program names.

use serde::Serialize;
use workspan_model::{Analysis, Region};

use super::number::{nanos, rounded};
use crate::readable::readable;

/// So many regions a page holds, those with the largest shares of the span.
const MOST_REGIONS: usize = 300;

#[derive(Serialize)]
pub(super) struct RegionView {
    name: String,
    place: Option<String>,
    function: Option<String>,
    count: u64,
    share_of_span: f64,
    work: u64,
    span: u64,
    burdened_span: u64,
    parallelism: Option<f64>,
    burdened_parallelism: Option<f64>,
    /// Of the parallelism, where tiny tasks leave it open; `null` without limit.
    parallelism_range: Option<[Option<f64>; 2]>,
    spawns: u64,
    overhead: u64,
    blocked: u64,
    /// Cores, lower and upper bound of the speedup, were the program nothing but this.
    speedup: Vec<(u32, f64, f64)>,
}

impl RegionView {
    /// `None` if the program names no regions.
    pub(super) fn all(analysis: &Analysis) -> Option<Vec<Self>> {
        let regions = analysis.regions.iter().take(MOST_REGIONS);
        let regions: Vec<Self> = regions.map(Self::of).collect();
        (!regions.is_empty()).then_some(regions)
    }

    fn of(region: &Region) -> Self {
        let sum = &region.sum;
        let interval = sum.parallelism_interval;
        Self {
            name: readable(&region.name),
            place: region
                .location
                .as_ref()
                .map(|place| readable(&place.to_string())),
            function: region.function.as_deref().map(readable),
            count: region.count,
            share_of_span: region.share_of_span,
            work: nanos(sum.work.time()),
            span: nanos(sum.span.time()),
            burdened_span: nanos(sum.burdened_span.time()),
            parallelism: sum.parallelism.map(rounded),
            burdened_parallelism: sum.burdened_parallelism.map(rounded),
            parallelism_range: sum
                .span_interval
                .is_open
                .then_some([Some(interval.lower), interval.upper]),
            spawns: sum.spawns,
            overhead: nanos(region.tasking_overhead.time),
            blocked: nanos(region.blocked),
            speedup: sum
                .speedup
                .iter()
                .map(|bounds| (bounds.cores, rounded(bounds.lower), rounded(bounds.upper)))
                .collect(),
        }
    }
}
