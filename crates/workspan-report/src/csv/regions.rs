//! The regions and their instances as comma-separated values.

use std::io;

use workspan_model::{Analysis, Nanos, Profile, Region, RegionFigures, speedup_table};

use super::records::{Cell, Fields, Records, fields};
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
        let metric = &profile.run.metric;
        let cores: Vec<u32> = cores(profile).collect();
        // Without regions there is a header all the same.
        let none = Region::default();
        let header = fields(&none, None, &none.sum, &cores).into_iter();
        let mut records = Records::new(output);
        records.write(header.map(|(name, _)| key_of(&name, metric)))?;
        let mut record = |region, instance, figures| {
            let fields = fields(region, instance, figures, &cores).into_iter();
            records.write(fields.map(|(_, cell)| cell))
        };
        for region in &analysis.regions {
            record(region, None, &region.sum)?;
            for (number, instance) in (1_u64..).zip(&region.instances) {
                record(region, Some((number, instance.start)), &instance.figures)?;
            }
        }
        records.flush()
    }
}

/// The numbers of cores that speedups are written for: the same for every region.
fn cores(profile: &Profile) -> impl Iterator<Item = u32> {
    let any = Default::default();
    let bounds = speedup_table(any, any, profile.run.assumed_cores);
    bounds.into_iter().map(|bounds| bounds.cores)
}

/// The record of a region, or of an instance of it, by its number and start.
fn fields(
    region: &Region,
    instance: Option<(u64, Nanos)>,
    figures: &RegionFigures,
    cores: &[u32],
) -> Fields {
    let location = region.location.as_ref();
    // Of the sum of all instances.
    let sum = instance.is_none().then_some(region);
    let (span, burdened_span) = (figures.span_interval, figures.burdened_span_interval);
    let parallelism = figures.parallelism.map(|_| figures.parallelism_interval);
    let burdened = figures.burdened_parallelism;
    let burdened_parallelism = burdened.map(|_| figures.burdened_parallelism_interval);
    let mut fields = fields! {
        "region" => region.name,
        "file" => location.map(|location| &location.file),
        "line" => location.map(|location| location.line),
        "column" => location.map(|location| location.column),
        "function" => region.function,
        "instance" => instance.map(|(number, _)| number),
        "start_ns" => instance.map(|(_, start)| start.shown()),
        "count" => sum.map(|sum| sum.count),
        "top_count" => sum.map(|sum| sum.top_count),
        "on_span_ns" => sum.map(|sum| sum.on_span.time().shown()),
        "share_of_span" => sum.map(|sum| sum.share_of_span.to_string()),
        "stolen" => sum.map(|sum| sum.stolen),
        "blocked_ns" => sum.map(|sum| sum.blocked.shown()),
        "tasking_overhead_ns" => sum.map(|sum| sum.tasking_overhead.time.shown()),
        "tasking_overhead" => sum.map(|sum| sum.tasking_overhead.share.to_string()),
        "work_ns" => figures.work.time().shown(),
        "span_ns" => figures.span.time().shown(),
        "span_lower_ns" => span.lower.time().shown(),
        "span_upper_ns" => span.upper.time().shown(),
        "burdened_span_ns" => figures.burdened_span.time().shown(),
        "burdened_span_lower_ns" => burdened_span.lower.time().shown(),
        "burdened_span_upper_ns" => burdened_span.upper.time().shown(),
        "parallelism" => figures.parallelism.map(|it| it.to_string()),
        "parallelism_lower" => parallelism.map(|it| it.lower.to_string()),
        "parallelism_upper" => parallelism.and_then(|it| it.upper).map(|it| it.to_string()),
        "burdened_parallelism" => burdened.map(|it| it.to_string()),
        "burdened_parallelism_lower" => burdened_parallelism.map(|it| it.lower.to_string()),
        "burdened_parallelism_upper" => burdened_parallelism.and_then(|it| it.upper).map(|it| it.to_string()),
        "spawns" => figures.spawns,
        "syncs" => figures.syncs,
        "average_strand_ns" => figures.average_strand.shown(),
    };
    for cores in cores {
        // Regions that never ended have no bounds.
        let bounds = figures.speedup.iter().find(|bounds| bounds.cores == *cores);
        let [lower, upper] = [bounds.map(|it| it.lower), bounds.map(|it| it.upper)];
        let cell = |bound: Option<f64>| bound.map(|bound| bound.to_string()).written();
        fields.push((format!("speedup_{cores}_lower"), cell(lower)));
        fields.push((format!("speedup_{cores}_upper"), cell(upper)));
    }
    fields
}
