//! The report on a sweep as JSON.

use std::io;

use serde::Serialize;
use workspan_model::{
    Bandwidth, BandwidthPoint, BandwidthVerdict, DerivedTime, Factored, FactoredCurve,
    FactoredPoint, FailedRuns, Gap, Imbalance, RatioEstimate, Scaling, ScalingPoint, SlowdownCause,
    TimeEstimate,
};

use super::totals::speedups;
use super::write_plain;
use crate::ScalingReport;
use crate::object::object;

/// Version of the JSON of sweeps. Keys may be added within a version.
pub const SWEEP_SCHEMA_VERSION: u32 = 1;

impl ScalingReport<'_> {
    /// Writes it as JSON. Times are in nanoseconds; unknown values are `null`.
    ///
    /// # Errors
    /// Any error from writing to `output`.
    pub fn json(&self, output: &mut dyn io::Write) -> io::Result<()> {
        let sweep = self.sweep;
        let document = object! {
            schema_version: SWEEP_SCHEMA_VERSION,
            workspan_version: &sweep.workspan_version,
            started_at: sweep.started_at,
            command: &sweep.command,
            baseline: &sweep.baseline,
            threads_variable: &sweep.threads_variable,
            runtime: sweep.runtime,
            stand_in: &sweep.stand_in,
            pinning: sweep.pinning.name(),
            launcher: &sweep.launcher,
            machine: &sweep.machine,
            scaling: self.scaling.map(|measured| scaling(measured, self)),
            factored: self.factored.map(factored),
            bandwidth: self.bandwidth.map(bandwidth),
        };
        write_plain(&document, output)
    }
}

fn time(time: &TimeEstimate) -> impl Serialize {
    object! {
        runs: time.runs,
        median_ns: time.median.as_nanos(),
        median_low_ns: time.median_low.as_nanos(),
        median_high_ns: time.median_high.as_nanos(),
        median_confidence: time.median_confidence,
        mean_ns: time.mean.as_nanos(),
        mean_low_ns: time.mean_low.as_nanos(),
        mean_high_ns: time.mean_high.as_nanos(),
    }
}

fn ratio(estimate: RatioEstimate) -> impl Serialize {
    object! {
        value: estimate.value,
        low: estimate.low,
        high: estimate.high,
    }
}

fn derived(time: DerivedTime) -> impl Serialize {
    object! {
        value_ns: time.value.as_nanos(),
        low_ns: time.low.as_nanos(),
        high_ns: time.high.as_nanos(),
    }
}

fn scaling(scaling: &Scaling, report: &ScalingReport<'_>) -> impl Serialize {
    let below = scaling.below_lower(report.factored, report.bandwidth);
    let causes = |threads: u32| {
        let mut below = below.iter();
        let causes = below.find(|(point, _)| point.threads == threads);
        causes.map_or(&[][..], |(_, causes)| causes.as_slice())
    };
    let points = scaling.points.iter();
    let expected = scaling.expected.as_ref();
    object! {
        points: points
            .map(|measured| point(measured, causes(measured.threads)))
            .collect::<Vec<_>>(),
        bounds: expected.map(|expected| speedups(&expected.bounds)),
        is_serial: scaling.is_serial(),
        failures: scaling.failures.iter().map(failure).collect::<Vec<_>>(),
        other_outputs: scaling.other_outputs,
    }
}

fn point<'a>(point: &'a ScalingPoint, causes: &[SlowdownCause]) -> impl Serialize + use<'a> {
    let causes = causes.iter().map(|cause| cause.name());
    object! {
        threads: point.threads,
        time: time(&point.time),
        processor_ns: point.processor.as_nanos(),
        processor_growth: point.processor_growth.map(ratio),
        lacked_processors: point.lacked.map(|missing| ratio(missing.processors)),
        is_too_short: point.time.is_too_short(),
        speedup: point.speedup.map(ratio),
        efficiency: point.efficiency.map(ratio),
        lower: point.bounds.map(|bounds| bounds.lower),
        predicted: point.predicted.map(|predicted| predicted.median.speedup),
        upper: point.bounds.map(|bounds| bounds.upper),
        is_below_lower: point.is_below_lower,
        remaining_causes: causes.collect::<Vec<_>>(),
        shares_cores: point.shares_cores,
    }
}

fn failure(failed: &FailedRuns) -> impl Serialize {
    object! {
        kind: failed.kind,
        threads: failed.threads,
        exit: failed.exit,
        timed_out: failed.timed_out,
        runs: failed.runs,
    }
}

fn factored(factored: &Factored) -> impl Serialize {
    let curvature = factored.curvature.iter();
    object! {
        baseline: time(&factored.baseline),
        is_baseline_one: factored.is_baseline_one,
        elision: factored.elision.as_ref().map(time),
        is_one_per_threads: factored.is_one_per_threads,
        is_baseline_slow: factored.is_baseline_slow,
        points: factored.points.iter().map(factored_point).collect::<Vec<_>>(),
        gaps: factored.gaps.iter().map(gap).collect::<Vec<_>>(),
        curvature: curvature.map(|curvature| curvature.name()).collect::<Vec<_>>(),
        imbalances: factored.imbalances.iter().map(imbalance).collect::<Vec<_>>(),
    }
}

fn factored_point(point: &FactoredPoint) -> impl Serialize {
    let speedup = |curve| point.speedup(curve).map(ratio);
    object! {
        threads: point.threads,
        time: time(&point.time),
        one: time(&point.one),
        idle: point.idle.map(derived),
        inflation: point.inflation.map(derived),
        linear: speedup(FactoredCurve::Linear),
        elision: speedup(FactoredCurve::Elision),
        maximal: speedup(FactoredCurve::Maximal),
        idle_time_specific: speedup(FactoredCurve::IdleSpecific),
        inflation_specific: speedup(FactoredCurve::InflationSpecific),
        actual: speedup(FactoredCurve::Actual),
        measuring: point.measuring.map(ratio),
        lacked_processors: point.lacked.map(|missing| ratio(missing.processors)),
        blocked: point.blocked,
        shares_cores: point.shares_cores,
    }
}

fn gap(gap: &Gap) -> impl Serialize {
    object! {
        threads: gap.threads,
        lost_to: gap.lost_to.name(),
        time: derived(gap.time),
        share: gap.share,
        speedup: ratio(gap.speedup),
        is_significant: gap.is_significant,
    }
}

fn imbalance(imbalance: &Imbalance) -> impl Serialize {
    object! {
        threads: imbalance.threads,
        order: imbalance.order,
        share: imbalance.share,
        workers: imbalance.workers,
    }
}

fn bandwidth(bandwidth: &Bandwidth) -> impl Serialize {
    let points = bandwidth.points.iter();
    let (limit, from, waits) = match bandwidth.verdict {
        BandwidthVerdict::MemoryFrom { copies } => (Some(true), Some(copies), None),
        BandwidthVerdict::WaitsFrom { copies, .. } => (None, None, Some(copies)),
        BandwidthVerdict::NoLimit { .. } => (Some(false), None, None),
        BandwidthVerdict::Unsure { .. } | BandwidthVerdict::Unknown => (None, None, None),
    };
    object! {
        points: points.map(bandwidth_point).collect::<Vec<_>>(),
        // Whether memory is the limit; `null` if that is not known.
        is_limit: limit,
        // The number of copies from which on memory is the limit.
        limit_from: from,
        // The number of copies from which on they wait for something other than memory.
        waits_from: waits,
    }
}

fn bandwidth_point(point: &BandwidthPoint) -> impl Serialize {
    object! {
        copies: point.copies,
        time: time(&point.time),
        slowdown: ratio(point.slowdown),
        throughput: ratio(point.throughput),
        processor_growth: point.processor_growth.map(ratio),
        lacked_processors: point.lacked.map(|missing| ratio(missing.processors)),
        is_too_short: point.time.is_too_short(),
        shares_cores: point.shares_cores,
    }
}
