//! What a sweep over numbers of threads measured: speedups, what they are lost to, and what the
//! workers did.

use serde::Serialize;
use workspan_model::{Estimate, Factored, FactoredCurve, Gap, Nanos, Scaling, Sweep};

use super::number::rounded;
use crate::ScalingReport;
use crate::object::object;
use crate::sentences::scaling as sentences;

/// Each worker's run is divided into this many parts.
const PARTS: usize = 160;

pub(super) fn workers(report: &ScalingReport<'_>) -> impl Serialize {
    let sweep = report.sweep;
    let conditions = sweep.machine.conditions.iter();
    let remarks = conditions.map(sentences::condition_sentence);
    object! {
        program: report.program(),
        // In seconds since 1970-01-01 UTC.
        measured_at: sweep.started_at,
        measured: report.scaling.map(measured).unwrap_or_default(),
        factored: report.factored.map(factored),
        timeline: timeline(sweep),
        remarks: remarks
            .chain(report.bandwidth.map(sentences::bandwidth))
            .collect::<Vec<_>>(),
    }
}

/// Threads, and the measured speedup with its 95% interval.
fn measured(scaling: &Scaling) -> Vec<(u32, f64, f64, f64)> {
    let points = scaling.points.iter().filter_map(|point| {
        let Estimate { value, low, high } = point.speedup?.map(rounded);
        Some((point.threads, value, low, high))
    });
    points.collect()
}

fn estimate(ratio: Estimate<f64>) -> (f64, f64, f64) {
    let Estimate { value, low, high } = ratio.map(rounded);
    (value, low, high)
}

fn factored(factored: &Factored) -> impl Serialize {
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
    object! {
        threads: points.iter().map(|point| point.threads).collect::<Vec<_>>(),
        // Name, and the speedup on each number of threads with its interval.
        curves: curves
            .filter(|(_, speedups)| speedups.iter().any(Option::is_some))
            .collect::<Vec<_>>(),
        gaps: factored.gaps.iter().map(gap).collect::<Vec<_>>(),
        words: largest.into_iter().chain(curvature).collect::<Vec<_>>(),
    }
}

fn gap(gap: &Gap) -> impl Serialize {
    let lost = gap.time;
    object! {
        lost_to: sentences::gap(gap.lost_to),
        threads: gap.threads,
        // Nanoseconds of all cores, with the 95% interval; may be below 0.
        time: [lost.value, lost.low, lost.high].map(Nanos::as_nanos),
        share: gap.share,
        is_significant: gap.is_significant,
    }
}

fn timeline(sweep: &Sweep) -> Option<impl Serialize> {
    let timeline = sweep.idle_timeline(PARTS)?;
    // Shares of the time, and the idle share of each part of it.
    let workers = timeline.workers.iter().map(|worker| {
        let parts = worker.idle_shares.iter();
        object! {
            work: rounded(worker.work_share),
            scheduling: rounded(worker.scheduling_share),
            idle: rounded(worker.idle_share),
            idle_shares: parts
                .map(|share| (share * 1e3).round() / 1e3)
                .collect::<Vec<_>>(),
        }
    });
    Some(object! {
        threads: timeline.threads,
        elapsed: timeline.elapsed.shown(),
        workers: workers.collect::<Vec<_>>(),
    })
}
