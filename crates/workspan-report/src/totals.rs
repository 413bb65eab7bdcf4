//! The figures of a whole program: one list that text and page go by, and what JSON writes of them.

use serde::Serialize;
use workspan_model::{
    Analysis, Estimate, Metric, Nanos, Profile, Runs, Span, Totals, knows_tasking_costs,
};

use crate::figures::{
    NONE, amount, amount_within, duration, grouped, percent, ratio, ratio_within,
};
use crate::object::{Document, finite, object};
use crate::program::threads;

/// How a figure is displayed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unit {
    /// An amount of the profile's metric.
    Amount,
    /// Nanoseconds.
    Time,
    Ratio,
    Count,
    Share,
}

impl Unit {
    pub(crate) fn words(self, figure: f64, metric: &Metric) -> String {
        match self {
            Self::Amount => amount(Nanos::from_nanos_f64(figure), metric),
            Self::Time => duration(Nanos::from_nanos_f64(figure)),
            Self::Ratio => ratio(figure),
            Self::Count => grouped(figure as u64),
            Self::Share => percent(figure),
        }
    }
}

/// A figure of the whole program.
pub(crate) struct Total {
    /// Its key in the glossary of the page.
    pub(crate) key: &'static str,
    pub(crate) name: &'static str,
    pub(crate) unit: Unit,
    pub(crate) of: fn(&Totals) -> f64,
    /// What the text says of it; `None` if it is part of another's meaning.
    pub(crate) meaning: fn(&Profile, &Analysis) -> Option<String>,
}

macro_rules! totals {
    ($($key:literal, $name:literal, $unit:ident, $of:expr, $meaning:expr;)+) => {
        /// All of them, in the order of the text.
        pub(crate) const TOTALS: [Total; [$($key),+].len()] = [$(Total {
            key: $key,
            name: $name,
            unit: Unit::$unit,
            of: $of,
            meaning: $meaning,
        }),+];
    };
}

totals! {
    "work", "Work", Amount, |it| nanos(it.work.time()), |_, of| words(format!("{} of all strands", of.metric.noun()));
    "span", "Span", Amount, |it| nanos(it.span.value.time()), |_, _| words("longest chain of dependent strands");
    "burdened_span", "Burdened span", Amount, |it| nanos(it.burdened_span.value.time()),
        |profile, of| words(format!("with {} a task for moving it", amount(profile.run.burden, &of.metric)));
    "parallelism", "Parallelism", Ratio, |it| it.parallelism.value, |_, _| words("work / span, the limit to speedup");
    "burdened_parallelism", "Burdened parallelism", Ratio, |it| it.burdened_parallelism.value, |_, _| words("work / burdened span");
    "spawns", "Spawns", Count, |it| it.spawns as f64,
        |_, of| words(format!("tasks created, {} stolen", grouped(of.totals.stolen)));
    "stolen", "Stolen", Count, |it| it.stolen as f64, |_, _| None;
    "syncs", "Syncs", Count, |it| it.syncs as f64, |_, _| words("waits for tasks");
    "average_strand", "Average maximal strand", Amount, |it| nanos(it.average_strand), |_, _| words("work / (1 + 2 spawns + syncs)");
    "overhead", "Tasking overhead", Amount, |it| nanos(it.tasking_overhead.time), |profile, of| {
        let share = || format!("{} of the work", percent(of.totals.tasking_overhead.share));
        let unknown = "what a task costs this runtime is not measured".to_owned();
        Some(knows_tasking_costs(profile).then(share).unwrap_or(unknown))
    };
    "overhead_share", "… of the work", Share, |it| it.tasking_overhead.share, |_, _| None;
    "blocked", "Blocked", Time, |it| nanos(it.blocked), |_, of| words(if of.metric.is_default() {
        "sleep, I/O, locks; part of the work"
    } else {
        "only known where the time is measured"
    });
    "elapsed", "Elapsed", Time, |it| nanos(it.elapsed),
        |profile, _| words(threads(profile).map_or("wall clock".to_owned(), |threads| format!("wall clock, {threads}")));
}

fn nanos(time: Nanos) -> f64 {
    time.shown() as f64
}

fn words(words: impl Into<String>) -> Option<String> {
    Some(words.into())
}

impl Total {
    /// Whether the profile knows it.
    pub(crate) fn is_known(&self, profile: &Profile) -> bool {
        match self.key {
            "overhead" | "overhead_share" => knows_tasking_costs(profile),
            "blocked" => profile.run.metric.is_default(),
            _ => true,
        }
    }

    /// What is known of it, where that is not much.
    pub(crate) fn estimate(&self, analysis: &Analysis) -> Option<Estimate<f64>> {
        let totals = &analysis.totals;
        let amount = |span: Estimate<Span>| {
            let beyond = (!analysis.shows_delays).then_some(f64::NEG_INFINITY);
            span.map(|span| nanos(span.time())).with(beyond)
        };
        let (span, estimate) = match self.key {
            "span" => (totals.span, amount(totals.span)),
            "burdened_span" => (totals.burdened_span, amount(totals.burdened_span)),
            "parallelism" => (totals.span, analysis.known(totals.parallelism)),
            "burdened_parallelism" => {
                let parallelism = analysis.known(totals.burdened_parallelism);
                (totals.burdened_span, parallelism)
            }
            _ => return None,
        };
        analysis.is_open(span).then_some(estimate)
    }

    /// The figure of one run, as far as it is known.
    pub(crate) fn words(&self, profile: &Profile, analysis: &Analysis) -> String {
        let metric = &analysis.metric;
        match self.estimate(analysis) {
            _ if !self.is_known(profile) => NONE.to_owned(),
            None => self.unit.words((self.of)(&analysis.totals), metric),
            Some(estimate) if self.unit == Unit::Ratio => ratio_within(estimate),
            Some(estimate) => amount_within(estimate, metric),
        }
    }
}

pub(crate) fn totals(totals: &Totals, analysis: &Analysis) -> impl Document {
    object! {
        /// Work: the time of all strands, in nanoseconds
        work_ns: totals.work.time().shown(),
        /// Span: the longest chain of dependent strands, in nanoseconds
        span_ns: totals.span.value.time().shown(),
        /// Span with the burden, in nanoseconds
        burdened_span_ns: totals.burdened_span.value.time().shown(),
        /// Work / span
        parallelism: totals.parallelism.value,
        /// Work / burdened span
        burdened_parallelism: totals.burdened_parallelism.value,
        /// What is known of the span: delays lengthen strands, and tiny ones are timed in groups
        span_interval: span_interval(totals.span),
        /// What is known of the burdened span
        burdened_span_interval: span_interval(totals.burdened_span),
        /// What is known of the parallelism
        parallelism_interval: parallelism_interval(analysis.known(totals.parallelism)),
        /// What is known of the burdened parallelism
        burdened_parallelism_interval: parallelism_interval(analysis.known(totals.burdened_parallelism)),
        /// Part of the work that was timed in shared stretches, as a share of it, from 0
        shared_share: totals.shared_share,
        /// Tasks created
        spawns: totals.spawns,
        /// Waits for tasks
        syncs: totals.syncs,
        /// Work / (1 + 2 spawns + syncs), in nanoseconds
        average_strand_ns: totals.average_strand.shown(),
        /// Cost of creating and scheduling tasks as a share of the work, from 0
        tasking_overhead: totals.tasking_overhead.share,
        /// Cost of creating and scheduling tasks, in nanoseconds
        tasking_overhead_ns: totals.tasking_overhead.time.shown(),
        /// Voluntary waits of strands, part of the work, in nanoseconds
        blocked_ns: totals.blocked.shown(),
        /// Tasks that ran on another thread than their spawner
        stolen: totals.stolen,
        /// From the start of the process to the writing of the profile, in nanoseconds
        elapsed_ns: totals.elapsed.shown(),
    }
}

pub(crate) fn span_interval(span: Estimate<Span>) -> impl Document {
    object! {
        /// No shorter than this, in nanoseconds
        lower_ns: span.low.time().shown(),
        /// No longer than this, in nanoseconds
        upper_ns: span.high.time().shown(),
    }
}

pub(crate) fn parallelism_interval(parallelism: Estimate<f64>) -> impl Document {
    object! {
        /// No less than this
        lower: parallelism.low,
        /// No more than this; null when the span may be nothing, or when it is not known how much delays
        /// lengthened it
        upper: finite(parallelism.high),
    }
}

pub(crate) fn totals_spread(runs: &Runs) -> impl Document {
    object! {
        /// Work: the time of all strands, in nanoseconds
        work_ns: spread(runs.spread(|totals| totals.work.time().shown())),
        /// Span: the longest chain of dependent strands, in nanoseconds
        span_ns: spread(runs.spread(|totals| totals.span.value.time().shown())),
        /// Span with the burden, in nanoseconds
        burdened_span_ns: spread(runs.spread(|totals| totals.burdened_span.value.time().shown())),
        /// Work / span
        parallelism: spread(runs.spread(|totals| totals.parallelism.value)),
        /// Work / burdened span
        burdened_parallelism: spread(runs.spread(|totals| totals.burdened_parallelism.value)),
        /// Tasks created
        spawns: spread(runs.spread(|totals| totals.spawns)),
        /// Waits for tasks
        syncs: spread(runs.spread(|totals| totals.syncs)),
        /// Work / (1 + 2 spawns + syncs), in nanoseconds
        average_strand_ns: spread(runs.spread(|totals| totals.average_strand.shown())),
        /// Cost of creating and scheduling tasks as a share of the work, from 0
        tasking_overhead: spread(runs.spread(|totals| totals.tasking_overhead.share)),
        /// Cost of creating and scheduling tasks, in nanoseconds
        tasking_overhead_ns: spread(runs.spread(|totals| totals.tasking_overhead.time.shown())),
        /// Voluntary waits of strands, part of the work, in nanoseconds
        blocked_ns: spread(runs.spread(|totals| totals.blocked.shown())),
        /// Tasks that ran on another thread than their spawner
        stolen: spread(runs.spread(|totals| totals.stolen)),
        /// From the start of the process to the writing of the profile, in nanoseconds
        elapsed_ns: spread(runs.spread(|totals| totals.elapsed.shown())),
    }
}

/// How far a figure varies over several runs.
pub(crate) fn spread<T: Copy + Document>(figure: Estimate<T>) -> impl Document {
    object! {
        /// The middle one; of an even number of runs the lower of the two in the middle
        median: figure.value,
        /// The least
        least: figure.low,
        /// The most
        most: figure.high,
    }
}
