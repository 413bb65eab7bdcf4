//! What a sweep says.

use std::io;

use serde::Serialize;
use workspan_model::{
    Bandwidth, BandwidthVerdict, Condition, DerivedTime, Exit, Factored, FactoredCurve,
    FactoredPoint, FailedRuns, Gap, Imbalance, LackedProcessors, RatioEstimate, RuntimeKind,
    Scaling, ScalingPoint, SlowdownCause, SpeedupBounds, Sweep, TimeEstimate,
};

use crate::ScalingReport;

/// Version of the JSON of sweeps. Keys may be added within a version.
pub const SWEEP_SCHEMA_VERSION: u32 = 1;

/// Writes `report` as JSON.
pub(crate) fn scaling(report: &ScalingReport<'_>, output: &mut dyn io::Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *output, &Document::of(report))?;
    writeln!(output)
}

#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    workspan_version: &'a str,
    started_at: u64,
    command: &'a [String],
    baseline: Option<&'a [String]>,
    threads_variable: Option<&'a str>,
    runtime: Option<RuntimeKind>,
    stand_in: Option<&'a str>,
    pinning: &'static str,
    launcher: Option<&'a str>,
    machine: MachinePart<'a>,
    scaling: Option<ScalingPart>,
    factored: Option<FactoredPart>,
    bandwidth: Option<BandwidthPart>,
}

impl<'a> Document<'a> {
    fn of(report: &ScalingReport<'a>) -> Self {
        let sweep = report.sweep;
        Self {
            schema_version: SWEEP_SCHEMA_VERSION,
            workspan_version: &sweep.workspan_version,
            started_at: sweep.started_at,
            command: &sweep.command,
            baseline: sweep.baseline.as_deref(),
            threads_variable: sweep.threads_variable.as_deref(),
            runtime: sweep.runtime,
            stand_in: sweep.stand_in.as_deref(),
            pinning: sweep.pinning.name(),
            launcher: sweep.launcher.as_deref(),
            machine: MachinePart::of(sweep),
            scaling: report
                .scaling
                .map(|scaling| ScalingPart::of(scaling, report)),
            factored: report.factored.map(FactoredPart::of),
            bandwidth: report.bandwidth.map(BandwidthPart::of),
        }
    }
}

#[derive(Serialize)]
struct MachinePart<'a> {
    cores: u32,
    physical_cores: Option<u32>,
    sockets: Option<u32>,
    processor: Option<&'a str>,
    os: &'a str,
    architecture: &'a str,
    conditions: &'a [Condition],
}

impl<'a> MachinePart<'a> {
    fn of(sweep: &'a Sweep) -> Self {
        let machine = &sweep.machine;
        Self {
            cores: machine.cores,
            physical_cores: machine.physical_cores,
            sockets: machine.sockets,
            processor: machine.processor.as_deref(),
            os: &machine.os,
            architecture: &machine.architecture,
            conditions: &machine.conditions,
        }
    }
}

#[derive(Serialize)]
struct TimePart {
    runs: u32,
    median_ns: i64,
    median_low_ns: i64,
    median_high_ns: i64,
    median_confidence: f64,
    mean_ns: i64,
    mean_low_ns: i64,
    mean_high_ns: i64,
}

impl TimePart {
    fn of(time: &TimeEstimate) -> Self {
        Self {
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
}

#[derive(Serialize)]
struct RatioPart {
    value: f64,
    low: f64,
    high: f64,
}

fn lacked(lacked: LackedProcessors) -> RatioPart {
    RatioPart::of(lacked.processors)
}

impl RatioPart {
    fn of(estimate: RatioEstimate) -> Self {
        Self {
            value: estimate.value,
            low: estimate.low,
            high: estimate.high,
        }
    }
}

#[derive(Serialize)]
struct DerivedPart {
    value_ns: i64,
    low_ns: i64,
    high_ns: i64,
}

impl DerivedPart {
    fn of(time: DerivedTime) -> Self {
        Self {
            value_ns: time.value.as_nanos(),
            low_ns: time.low.as_nanos(),
            high_ns: time.high.as_nanos(),
        }
    }
}

#[derive(Serialize)]
struct ScalingPart {
    points: Vec<PointPart>,
    bounds: Option<Vec<BoundsPart>>,
    is_serial: bool,
    failures: Vec<FailurePart>,
    other_outputs: u32,
}

impl ScalingPart {
    fn of(scaling: &Scaling, report: &ScalingReport<'_>) -> Self {
        let below = scaling.below_lower(report.factored, report.bandwidth);
        let causes = |threads: u32| {
            let mut below = below.iter();
            let causes = below.find(|(point, _)| point.threads == threads);
            causes.map_or(&[][..], |(_, causes)| causes.as_slice())
        };
        let points = scaling.points.iter();
        let expected = scaling.expected.as_ref();
        Self {
            points: points
                .map(|point| PointPart::of(point, causes(point.threads)))
                .collect(),
            bounds: expected.map(|expected| expected.bounds.iter().map(BoundsPart::of).collect()),
            is_serial: scaling.is_serial(),
            failures: scaling.failures.iter().map(FailurePart::of).collect(),
            other_outputs: scaling.other_outputs,
        }
    }
}

#[derive(Serialize)]
struct PointPart {
    threads: u32,
    time: TimePart,
    processor_ns: i64,
    processor_growth: Option<RatioPart>,
    lacked_processors: Option<RatioPart>,
    is_too_short: bool,
    speedup: Option<RatioPart>,
    efficiency: Option<RatioPart>,
    lower: Option<f64>,
    predicted: Option<f64>,
    upper: Option<f64>,
    is_below_lower: bool,
    remaining_causes: Vec<&'static str>,
    shares_cores: bool,
}

impl PointPart {
    fn of(point: &ScalingPoint, causes: &[SlowdownCause]) -> Self {
        Self {
            threads: point.threads,
            time: TimePart::of(&point.time),
            processor_ns: point.processor.as_nanos(),
            processor_growth: point.processor_growth.map(RatioPart::of),
            lacked_processors: point.lacked.map(lacked),
            is_too_short: point.time.is_too_short(),
            speedup: point.speedup.map(RatioPart::of),
            efficiency: point.efficiency.map(RatioPart::of),
            lower: point.bounds.map(|bounds| bounds.lower),
            predicted: point.predicted.map(|predicted| predicted.median.speedup),
            upper: point.bounds.map(|bounds| bounds.upper),
            is_below_lower: point.is_below_lower,
            remaining_causes: causes.iter().map(|cause| cause.name()).collect(),
            shares_cores: point.shares_cores,
        }
    }
}

#[derive(Serialize)]
struct BoundsPart {
    cores: u32,
    lower: f64,
    upper: f64,
}

impl BoundsPart {
    const fn of(bounds: &SpeedupBounds) -> Self {
        Self {
            cores: bounds.cores,
            lower: bounds.lower,
            upper: bounds.upper,
        }
    }
}

#[derive(Serialize)]
struct FailurePart {
    kind: workspan_model::RunKind,
    threads: u32,
    exit: Exit,
    timed_out: bool,
    runs: u32,
}

impl FailurePart {
    const fn of(failed: &FailedRuns) -> Self {
        Self {
            kind: failed.kind,
            threads: failed.threads,
            exit: failed.exit,
            timed_out: failed.timed_out,
            runs: failed.runs,
        }
    }
}

#[derive(Serialize)]
struct FactoredPart {
    baseline: TimePart,
    is_baseline_one: bool,
    elision: Option<TimePart>,
    is_one_per_threads: bool,
    is_baseline_slow: bool,
    points: Vec<FactoredPointPart>,
    gaps: Vec<GapPart>,
    curvature: Vec<&'static str>,
    imbalances: Vec<ImbalancePart>,
}

impl FactoredPart {
    fn of(factored: &Factored) -> Self {
        let curvature = factored.curvature.iter();
        Self {
            baseline: TimePart::of(&factored.baseline),
            is_baseline_one: factored.is_baseline_one,
            elision: factored.elision.as_ref().map(TimePart::of),
            is_one_per_threads: factored.is_one_per_threads,
            is_baseline_slow: factored.is_baseline_slow,
            points: factored.points.iter().map(FactoredPointPart::of).collect(),
            gaps: factored.gaps.iter().map(GapPart::of).collect(),
            curvature: curvature.map(|curvature| curvature.name()).collect(),
            imbalances: factored.imbalances.iter().map(ImbalancePart::of).collect(),
        }
    }
}

#[derive(Serialize)]
struct FactoredPointPart {
    threads: u32,
    time: TimePart,
    one: TimePart,
    idle: Option<DerivedPart>,
    inflation: Option<DerivedPart>,
    linear: Option<RatioPart>,
    elision: Option<RatioPart>,
    maximal: Option<RatioPart>,
    idle_time_specific: Option<RatioPart>,
    inflation_specific: Option<RatioPart>,
    actual: Option<RatioPart>,
    measuring: Option<RatioPart>,
    lacked_processors: Option<RatioPart>,
    blocked: Option<f64>,
    shares_cores: bool,
}

impl FactoredPointPart {
    fn of(point: &FactoredPoint) -> Self {
        let [
            linear,
            elision,
            maximal,
            idle_time_specific,
            inflation_specific,
            actual,
        ] = FactoredCurve::ALL.map(|curve| point.speedup(curve).map(RatioPart::of));
        Self {
            threads: point.threads,
            time: TimePart::of(&point.time),
            one: TimePart::of(&point.one),
            idle: point.idle.map(DerivedPart::of),
            inflation: point.inflation.map(DerivedPart::of),
            linear,
            elision,
            maximal,
            idle_time_specific,
            inflation_specific,
            actual,
            measuring: point.measuring.map(RatioPart::of),
            lacked_processors: point.lacked.map(lacked),
            blocked: point.blocked,
            shares_cores: point.shares_cores,
        }
    }
}

#[derive(Serialize)]
struct GapPart {
    threads: u32,
    lost_to: &'static str,
    time: DerivedPart,
    share: f64,
    speedup: RatioPart,
    is_significant: bool,
}

impl GapPart {
    fn of(gap: &Gap) -> Self {
        Self {
            threads: gap.threads,
            lost_to: gap.lost_to.name(),
            time: DerivedPart::of(gap.time),
            share: gap.share,
            speedup: RatioPart::of(gap.speedup),
            is_significant: gap.is_significant,
        }
    }
}

#[derive(Serialize)]
struct ImbalancePart {
    threads: u32,
    order: u32,
    share: f64,
    workers: usize,
}

impl ImbalancePart {
    const fn of(imbalance: &Imbalance) -> Self {
        Self {
            threads: imbalance.threads,
            order: imbalance.order,
            share: imbalance.share,
            workers: imbalance.workers,
        }
    }
}

#[derive(Serialize)]
struct BandwidthPart {
    points: Vec<BandwidthPointPart>,
    /// Whether memory is the limit; `null` where that cannot be told.
    is_limit: Option<bool>,
    /// From so many copies on.
    limit_from: Option<u32>,
    /// From so many copies on they wait for something other than memory.
    waits_from: Option<u32>,
}

impl BandwidthPart {
    fn of(bandwidth: &Bandwidth) -> Self {
        let points = bandwidth.points.iter();
        let (is_limit, limit_from, waits_from) = match bandwidth.verdict {
            BandwidthVerdict::MemoryFrom { copies } => (Some(true), Some(copies), None),
            BandwidthVerdict::WaitsFrom { copies, .. } => (None, None, Some(copies)),
            BandwidthVerdict::NoLimit { .. } => (Some(false), None, None),
            BandwidthVerdict::Unsure { .. } | BandwidthVerdict::Unknown => (None, None, None),
        };
        Self {
            points: points
                .map(|point| BandwidthPointPart {
                    copies: point.copies,
                    time: TimePart::of(&point.time),
                    slowdown: RatioPart::of(point.slowdown),
                    throughput: RatioPart::of(point.throughput),
                    processor_growth: point.processor_growth.map(RatioPart::of),
                    lacked_processors: point.lacked.map(lacked),
                    is_too_short: point.time.is_too_short(),
                    shares_cores: point.shares_cores,
                })
                .collect(),
            is_limit,
            limit_from,
            waits_from,
        }
    }
}

#[derive(Serialize)]
struct BandwidthPointPart {
    copies: u32,
    time: TimePart,
    slowdown: RatioPart,
    throughput: RatioPart,
    processor_growth: Option<RatioPart>,
    lacked_processors: Option<RatioPart>,
    is_too_short: bool,
    shares_cores: bool,
}
