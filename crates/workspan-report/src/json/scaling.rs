//! The report on a sweep as JSON.

use std::io;

use workspan_model::{
    Bandwidth, BandwidthPoint, BandwidthVerdict, Estimate, Factored, FactoredCurve, FactoredPoint,
    Gap, Metric, Nanos, Scaling, ScalingPoint, SlowdownCause, TimeEstimate,
};

use super::keys::write_pretty;
use crate::ScalingReport;
use crate::object::{Document, object};

/// Version of the JSON of sweeps. Keys may be added within a version.
pub const SWEEP_SCHEMA_VERSION: u32 = 1;

impl ScalingReport<'_> {
    /// Writes it as JSON. Times are in nanoseconds; unknown values are `null`.
    ///
    /// # Errors
    /// Any error from writing to `output`.
    pub fn json(&self, output: &mut dyn io::Write) -> io::Result<()> {
        write_pretty(&self.document(), &Metric::time(), output)
    }

    /// A record for each number of threads.
    pub(crate) fn records(&self) -> impl Iterator<Item = impl Document> {
        let points = self.scaling.iter().flat_map(|scaling| &scaling.points);
        points.map(|measured| {
            let mut points = self.factored.iter().flat_map(|factored| &factored.points);
            let factored = points.find(|factored| factored.threads == measured.threads);
            scaling_record(measured, &self.causes(measured), factored)
        })
    }

    /// What may be the cause where a speedup is below the lower bound.
    fn causes(&self, point: &ScalingPoint) -> Vec<SlowdownCause> {
        let below = self
            .scaling
            .map(|scaling| scaling.below_lower(self.factored, self.bandwidth));
        let mut below = below.into_iter().flatten();
        let causes = below.find(|(below, _)| below.threads == point.threads);
        causes.map(|(_, causes)| causes).unwrap_or_default()
    }

    pub(super) fn document(&self) -> impl Document {
        let sweep = self.sweep;
        object! {
            /// Version of this schema. Keys may be added within a version; none is removed or changes its
            /// meaning.
            #[cfg_attr(test, schemars(extend("const" = SWEEP_SCHEMA_VERSION)))]
            schema_version: SWEEP_SCHEMA_VERSION,
            /// Version of workspan that began the sweep
            workspan_version: &sweep.workspan_version,
            /// When it began, in seconds since 1970-01-01 UTC
            started_at: sweep.started_at,
            /// The program and its arguments; `{threads}` stands for the number of threads
            command: &sweep.command,
            /// The sequential program, and its arguments
            baseline: &sweep.baseline,
            /// The environment variable that gave runs their number of threads; null if only the arguments
            /// did
            threads_variable: &sweep.threads_variable,
            /// The parallel runtime of the program
            runtime: sweep.runtime,
            /// The file of the OpenMP runtime that all runs had in the place of the program's own
            stand_in: &sweep.stand_in,
            /// Where threads were put
            pinning: sweep.pinning.name() => Pinning,
            /// What each run was started by
            launcher: &sweep.launcher,
            /// The machine
            machine: &sweep.machine,
            /// Measured speedups; null where only copies were measured
            scaling: self.scaling.map(|measured| scaling(measured, self)),
            /// Factored speedups (Acar, Charguéraud and Rainey, section 2), where they were asked for
            factored: self.factored.map(factored),
            /// Copies of the program at once against one alone (Cilkview section 5), where they were measured
            bandwidth: self.bandwidth.map(bandwidth),
        }
    }
}

pub(crate) fn scaling_record<'a>(
    measured: &'a ScalingPoint,
    causes: &[SlowdownCause],
    factored: Option<&'a FactoredPoint>,
) -> impl Document + use<'a> {
    object! {
        #[serde(flatten)]
        point: point(measured, causes),
        factored: factored.map(factored_point),
    }
}

fn time(time: &TimeEstimate) -> impl Document {
    object! {
        /// How many runs count
        runs: time.runs,
        /// The median
        median_ns: time.median.value.as_nanos(),
        /// Lower end of its interval; of fewer than 6 runs the least
        median_low_ns: time.median.low.as_nanos(),
        /// Upper end of its interval; of fewer than 6 runs the most
        median_high_ns: time.median.high.as_nanos(),
        /// How sure that interval is
        median_confidence: time.median_confidence,
        /// The mean
        mean_ns: time.mean.value.as_nanos(),
        /// Lower end of its interval
        mean_low_ns: time.mean.low.as_nanos(),
        /// Upper end of its interval
        mean_high_ns: time.mean.high.as_nanos(),
    }
}

fn derived(time: Estimate<Nanos>) -> impl Document {
    object! {
        /// The time
        value_ns: time.value.as_nanos(),
        /// Lower end of its interval
        low_ns: time.low.as_nanos(),
        /// Upper end of its interval
        high_ns: time.high.as_nanos(),
    }
}

fn scaling(scaling: &Scaling, report: &ScalingReport<'_>) -> impl Document {
    let points = scaling.points.iter();
    let expected = scaling.expected.as_ref();
    object! {
        /// One for each number of threads, in ascending order
        points: points
            .map(|measured| point(measured, &report.causes(measured)))
            .collect::<Vec<_>>(),
        /// The bounds from 1 core on, from a profile
        bounds: expected.map(|expected| expected.bounds.as_slice()),
        /// Whether no run used more than one processor, though it could have
        is_serial: scaling.is_serial(),
        /// Runs that failed, and count for nothing
        failures: scaling.failures.as_slice(),
        /// Runs that printed something else than the first
        other_outputs: scaling.other_outputs,
    }
}

fn point<'a>(point: &'a ScalingPoint, causes: &[SlowdownCause]) -> impl Document + use<'a> {
    let causes = causes.iter().map(|cause| cause.name());
    object! {
        /// P
        threads: point.threads,
        /// T_P
        time: time(&point.time),
        /// Mean processor time of a run, of all its threads
        processor_ns: point.processor.as_nanos(),
        /// That over the processor time on one thread
        processor_growth: point.processor_growth,
        /// Processors that the runs needed and other programs or other virtual machines had meanwhile, on
        /// average
        lacked_processors: point.lacked.map(|missing| missing.processors),
        /// Whether the runs took less than 10 ms, too little to mean anything
        is_too_short: point.time.is_too_short(),
        /// T_1 over T_P
        speedup: point.speedup,
        /// The speedup over P
        efficiency: point.efficiency,
        /// Lower bound on the speedup
        lower: point.bounds.map(|bounds| bounds.lower),
        /// Predicted speedup
        predicted: point.predicted.map(|predicted| predicted.speedup.value),
        /// Upper bound on the speedup
        upper: point.bounds.map(|bounds| bounds.upper),
        /// Whether the whole interval of the speedup lies below the lower bound
        is_below_lower: point.is_below_lower,
        /// What remains as the cause of that
        remaining_causes: causes.collect::<Vec<_>>(),
        /// Whether there are more threads than processors
        shares_cores: point.shares_cores,
    }
}

fn factored(factored: &Factored) -> impl Document {
    let curvature = factored.curvature.iter();
    object! {
        /// T_s
        baseline: time(&factored.baseline),
        /// Whether T_s is T_1, since there is no baseline
        is_baseline_one: factored.is_baseline_one,
        /// T_elision
        elision: factored.elision.as_ref().map(time),
        /// Whether T_1 was measured for each P
        is_one_per_threads: factored.is_one_per_threads,
        /// Whether the baseline is slower than the program on one thread
        is_baseline_slow: factored.is_baseline_slow,
        /// One for each number of threads, in ascending order
        points: factored.points.iter().map(factored_point).collect::<Vec<_>>(),
        /// What is lost on the most threads that have a processor each, the most costly first
        gaps: factored.gaps.iter().map(gap).collect::<Vec<_>>(),
        /// What the shapes of the curves tell
        curvature: curvature.map(|curvature| curvature.name()).collect::<Vec<_>>(),
        /// Runs whose idle time is not to be trusted
        imbalances: factored.imbalances.as_slice(),
    }
}

fn factored_point(point: &FactoredPoint) -> impl Document {
    let speedup = |curve| point.speedup(curve);
    object! {
        /// P
        threads: point.threads,
        /// T_P
        time: time(&point.time),
        /// T_1, or T_1^P
        one: time(&point.one),
        /// I_P, the idle time of all cores
        idle: point.idle.map(derived),
        /// F_P = P T_P - I_P - (T_1 - I_1)
        inflation: point.inflation.map(derived),
        /// P
        linear: speedup(FactoredCurve::Linear),
        /// P T_s / T_elision
        elision: speedup(FactoredCurve::Elision),
        /// P T_s / T_1
        maximal: speedup(FactoredCurve::Maximal),
        /// P T_s / (T_1 + I_P - I_1)
        idle_time_specific: speedup(FactoredCurve::IdleSpecific),
        /// P T_s / (P T_P - I_P + I_1)
        inflation_specific: speedup(FactoredCurve::InflationSpecific),
        /// T_s / T_P
        actual: speedup(FactoredCurve::Actual),
        /// The time of the runs that measured idle time over that of plain ones
        measuring: point.measuring,
        /// As of a point of `scaling`, of the runs that measured idle time
        lacked_processors: point.lacked.map(|missing| missing.processors),
        /// How much of P T_P counts as work though the program was on no processor, as a share, at least;
        /// null below 0.05
        blocked: point.blocked,
        /// Whether there are more threads than processors
        shares_cores: point.shares_cores,
    }
}

fn gap(gap: &Gap) -> impl Document {
    object! {
        /// On so many threads
        threads: gap.threads,
        /// What it is lost to
        lost_to: gap.lost_to.name() => LostTo,
        /// Time of all cores; of idle time I_P - I_1
        time: derived(gap.time),
        /// That as a share of P T_P; below 0 where the runs vary by more than is lost
        share: gap.share,
        /// How far the two curves are apart
        speedup: gap.speedup,
        /// Whether it is worth naming
        is_significant: gap.is_significant,
    }
}

fn bandwidth(bandwidth: &Bandwidth) -> impl Document {
    let points = bandwidth.points.iter();
    let (limit, from, waits) = match bandwidth.verdict {
        BandwidthVerdict::MemoryFrom { copies } => (Some(true), Some(copies), None),
        BandwidthVerdict::WaitsFrom { copies, .. } => (None, None, Some(copies)),
        BandwidthVerdict::NoLimit { .. } => (Some(false), None, None),
        BandwidthVerdict::Unsure { .. } | BandwidthVerdict::Unknown => (None, None, None),
    };
    object! {
        /// One for each number of copies, in ascending order
        points: points.map(bandwidth_point).collect::<Vec<_>>(),
        // Whether memory is the limit; `null` if that is not known.
        /// Whether memory is the limit; null where that is not known
        is_limit: limit,
        // The number of copies from which on memory is the limit.
        /// From so many copies on
        limit_from: from,
        // The number of copies from which on they wait for something other than memory.
        /// From so many copies on they are slower, but need hardly more processor time
        waits_from: waits,
    }
}

pub(crate) fn bandwidth_point(point: &BandwidthPoint) -> impl Document {
    object! {
        /// How many
        copies: point.copies,
        /// The time of a copy; of those that ran together the mean
        time: time(&point.time),
        /// That over the time of one alone
        slowdown: point.slowdown,
        /// Copies over slow-down
        throughput: point.throughput,
        /// The processor time of a copy over that of one alone
        processor_growth: point.processor_growth,
        /// As of a point of `scaling`, of a copy
        lacked_processors: point.lacked.map(|missing| missing.processors),
        /// Whether the copies took less than 10 ms
        is_too_short: point.time.is_too_short(),
        /// Whether copies shared physical cores
        shares_cores: point.shares_cores,
    }
}
