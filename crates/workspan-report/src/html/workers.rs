//! What a sweep over numbers of threads measured: speedups, what they are lost to, and what the workers did.

use serde::Serialize;
use workspan_model::{Factored, FactoredCurve, Gap, RatioEstimate, Scaling};

use super::number::{nanos, rounded};
use crate::ScalingReport;
use crate::sentences::scaling as sentences;

/// So many parts of a run are told of each worker.
const PARTS: usize = 160;

#[derive(Serialize)]
pub(super) struct WorkersView {
    program: String,
    /// In seconds since 1970-01-01 UTC.
    measured_at: u64,
    measured: Vec<Measured>,
    factored: Option<FactoredView>,
    timeline: Option<TimelineView>,
    remarks: Vec<String>,
}

#[derive(Serialize)]
struct FactoredView {
    threads: Vec<u32>,
    /// Name, and the speedup on each number of threads with its interval.
    curves: Vec<(&'static str, Vec<Option<Estimate>>)>,
    gaps: Vec<GapView>,
    words: Vec<String>,
}

/// A figure with its 95% interval.
type Estimate = (f64, f64, f64);

#[derive(Serialize)]
struct GapView {
    lost_to: &'static str,
    threads: u32,
    /// Nanoseconds of all cores, with the 95% interval; may be below 0.
    time: (i64, i64, i64),
    share: f64,
    is_significant: bool,
}

#[derive(Serialize)]
struct TimelineView {
    threads: u32,
    elapsed: u64,
    workers: Vec<WorkerView>,
}

/// Shares of the time, and the idle share of each part of it.
#[derive(Serialize)]
struct WorkerView {
    work: f64,
    scheduling: f64,
    idle: f64,
    idle_shares: Vec<f64>,
}

impl WorkersView {
    pub(super) fn of(report: &ScalingReport<'_>) -> Self {
        let scaling = report.scaling;
        Self {
            program: report.program(),
            measured_at: report.sweep.started_at,
            measured: scaling.map(measured).unwrap_or_default(),
            factored: report.factored.map(FactoredView::of),
            timeline: TimelineView::of(report),
            remarks: report
                .sweep
                .machine
                .conditions
                .iter()
                .map(sentences::condition_sentence)
                .chain(report.bandwidth.map(sentences::bandwidth))
                .collect(),
        }
    }
}

/// Threads, and the measured speedup with its 95% interval.
type Measured = (u32, f64, f64, f64);

fn measured(scaling: &Scaling) -> Vec<Measured> {
    let points = scaling.points.iter().filter_map(|point| {
        let (speedup, low, high) = estimate(point.speedup?);
        Some((point.threads, speedup, low, high))
    });
    points.collect()
}

fn estimate(ratio: RatioEstimate) -> Estimate {
    (
        rounded(ratio.value),
        rounded(ratio.low),
        rounded(ratio.high),
    )
}

impl FactoredView {
    fn of(factored: &Factored) -> Self {
        let points = &factored.points;
        let curve = |curve: FactoredCurve| {
            let speedups = points
                .iter()
                .map(|point| point.speedup(curve).map(estimate));
            (curve.name(), speedups.collect::<Vec<_>>())
        };
        let curves = FactoredCurve::ALL.into_iter().map(curve);
        let largest = sentences::largest_gap(factored);
        let curvature = factored.curvature.iter().copied();
        let curvature = curvature.map(sentences::curvature).map(str::to_owned);
        Self {
            threads: points.iter().map(|point| point.threads).collect(),
            curves: curves
                .filter(|(_, speedups)| speedups.iter().any(Option::is_some))
                .collect(),
            gaps: factored.gaps.iter().map(GapView::of).collect(),
            words: largest.into_iter().chain(curvature).collect(),
        }
    }
}

impl GapView {
    fn of(gap: &Gap) -> Self {
        let time = gap.time;
        Self {
            lost_to: sentences::gap(gap.lost_to),
            threads: gap.threads,
            time: (
                time.value.as_nanos(),
                time.low.as_nanos(),
                time.high.as_nanos(),
            ),
            share: gap.share,
            is_significant: gap.is_significant,
        }
    }
}

impl TimelineView {
    fn of(report: &ScalingReport<'_>) -> Option<Self> {
        let timeline = report.sweep.idle_timeline(PARTS)?;
        let workers = timeline.workers.iter().map(|worker| WorkerView {
            work: rounded(worker.work_share),
            scheduling: rounded(worker.scheduling_share),
            idle: rounded(worker.idle_share),
            idle_shares: worker
                .idle_shares
                .iter()
                .map(|share| (share * 1e3).round() / 1e3)
                .collect(),
        });
        Some(Self {
            threads: timeline.threads,
            elapsed: nanos(timeline.elapsed),
            workers: workers.collect(),
        })
    }
}
