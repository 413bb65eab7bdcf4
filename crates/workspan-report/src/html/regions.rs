//! The regions that the program names.

use serde::Serialize;
use workspan_model::{Analysis, Region};

use super::number::rounded;
use crate::object::object;
use crate::readable::readable;

/// A page holds at most this many regions, those with the largest shares of the span.
const MOST_REGIONS: usize = 300;

/// `None` if the program names no regions.
pub(super) fn regions(analysis: &Analysis) -> Option<Vec<impl Serialize>> {
    let regions = analysis.regions.iter().take(MOST_REGIONS);
    let regions: Vec<_> = regions.map(region).collect();
    (!regions.is_empty()).then_some(regions)
}

fn region(region: &Region) -> impl Serialize {
    let sum = &region.sum;
    let interval = sum.parallelism_interval;
    let place = region.location.as_ref();
    let speedup = sum.speedup.iter();
    object! {
        name: readable(&region.name),
        place: place.map(|place| readable(&place.to_string())),
        function: region.function.as_deref().map(readable),
        count: region.count,
        share_of_span: region.share_of_span,
        work: sum.work.time().shown(),
        span: sum.span.time().shown(),
        burdened_span: sum.burdened_span.time().shown(),
        parallelism: sum.parallelism.map(rounded),
        burdened_parallelism: sum.burdened_parallelism.map(rounded),
        // The range of the parallelism, if timing tiny tasks in groups leaves one; `null` for no
        // limit.
        parallelism_range: sum
            .span_interval
            .is_wide
            .then_some([Some(interval.lower), interval.upper]),
        spawns: sum.spawns,
        overhead: region.tasking_overhead.time.shown(),
        blocked: region.blocked.shown(),
        // Cores, and lower and upper bound of the speedup if the program were nothing but this.
        speedup: speedup
            .map(|bounds| (bounds.cores, rounded(bounds.lower), rounded(bounds.upper)))
            .collect::<Vec<_>>(),
    }
}
