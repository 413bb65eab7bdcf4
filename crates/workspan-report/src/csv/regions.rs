//! The regions and their instances as comma-separated values.

use std::io;

use workspan_model::{Analysis, Profile, Region, RegionFigures, speedup_table};

use super::or_empty;
use super::records::Records;
use crate::Renderer;
use crate::json::key_of;

/// The regions as comma-separated values: a header, then a record for each region, the largest
/// share of the span first, each followed by a record for every kept instance of it, with its
/// number. Times are in nanoseconds, shares from 0 to 1; unknown values are empty. With a metric
/// that counts, names of amounts end in `_count` instead of `_ns`.
#[derive(Clone, Copy, Debug, Default)]
pub struct RegionsCsv;

impl Renderer for RegionsCsv {
    fn render(
        &self,
        profile: &Profile,
        analysis: &Analysis,
        output: &mut dyn io::Write,
    ) -> io::Result<()> {
        let mut records = Records::new(output);
        let mut header: Vec<String> = COLUMNS
            .map(|name| key_of(name, &profile.run.metric))
            .to_vec();
        for cores in cores(profile) {
            header.extend([
                format!("speedup_{cores}_lower"),
                format!("speedup_{cores}_upper"),
            ]);
        }
        let columns = header.len();
        let mut record = |mut record: Vec<String>| {
            // Regions that never ended have no bounds.
            record.resize(columns, String::new());
            records.write(record)
        };
        record(header)?;
        for region in &analysis.regions {
            let sum = [
                String::new(),
                String::new(),
                region.count.to_string(),
                region.top_count.to_string(),
                region.on_span.time().shown().to_string(),
                region.share_of_span.to_string(),
                region.stolen.to_string(),
                region.blocked.shown().to_string(),
                region.tasking_overhead.time.shown().to_string(),
                region.tasking_overhead.share.to_string(),
            ];
            record(cells(region, sum, &region.sum))?;
            for (number, instance) in (1_u64..).zip(&region.instances) {
                let mut of_instance = <[String; 10]>::default();
                of_instance[0] = number.to_string();
                of_instance[1] = instance.start.shown().to_string();
                record(cells(region, of_instance, &instance.figures))?;
            }
        }
        records.flush()
    }
}

const COLUMNS: [&str; 31] = [
    "region",
    "file",
    "line",
    "column",
    "function",
    // Of an instance.
    "instance",
    "start_ns",
    // Of the sum.
    "count",
    "top_count",
    "on_span_ns",
    "share_of_span",
    "stolen",
    "blocked_ns",
    "tasking_overhead_ns",
    "tasking_overhead",
    // Of both.
    "work_ns",
    "span_ns",
    "span_lower_ns",
    "span_upper_ns",
    "burdened_span_ns",
    "burdened_span_lower_ns",
    "burdened_span_upper_ns",
    "parallelism",
    "parallelism_lower",
    "parallelism_upper",
    "burdened_parallelism",
    "burdened_parallelism_lower",
    "burdened_parallelism_upper",
    "spawns",
    "syncs",
    "average_strand_ns",
];

/// The numbers of cores that speedups are written for: the same for every region.
fn cores(profile: &Profile) -> impl Iterator<Item = u32> {
    let any = Default::default();
    let bounds = speedup_table(any, any, profile.run.assumed_cores);
    bounds.into_iter().map(|bounds| bounds.cores)
}

fn cells(region: &Region, own: [String; 10], figures: &RegionFigures) -> Vec<String> {
    let location = region.location.as_ref();
    let mut cells = vec![
        region.name.clone(),
        or_empty(location.map(|location| &location.file)),
        or_empty(location.map(|location| location.line)),
        or_empty(location.map(|location| location.column)),
        or_empty(region.function.as_ref()),
    ];
    cells.extend(own);
    let (span, burdened_span) = (figures.span_interval, figures.burdened_span_interval);
    let parallelism = figures.parallelism.map(|_| figures.parallelism_interval);
    let burdened = figures.burdened_parallelism;
    let burdened_parallelism = burdened.map(|_| figures.burdened_parallelism_interval);
    cells.extend([
        figures.work.time().shown().to_string(),
        figures.span.time().shown().to_string(),
        span.lower.time().shown().to_string(),
        span.upper.time().shown().to_string(),
        figures.burdened_span.time().shown().to_string(),
        burdened_span.lower.time().shown().to_string(),
        burdened_span.upper.time().shown().to_string(),
        or_empty(figures.parallelism),
        or_empty(parallelism.map(|interval| interval.lower)),
        or_empty(parallelism.and_then(|interval| interval.upper)),
        or_empty(burdened),
        or_empty(burdened_parallelism.map(|interval| interval.lower)),
        or_empty(burdened_parallelism.and_then(|interval| interval.upper)),
        figures.spawns.to_string(),
        figures.syncs.to_string(),
        figures.average_strand.shown().to_string(),
    ]);
    for bounds in &figures.speedup {
        cells.extend([bounds.lower.to_string(), bounds.upper.to_string()]);
    }
    cells
}
