//! The figures of the whole program.

use serde::Serialize;
use workspan_model::{
    Analysis, Nanos, ParallelismInterval, Profile, Span, SpanInterval, Spread, knows_tasking_costs,
};

/// A figure with all that a reader needs to read it right.
#[derive(Serialize)]
pub(super) struct Headline {
    /// Its key in the glossary.
    key: &'static str,
    value: f64,
    unit: Unit,
    /// The least and the most that it may be; `null` for no limit.
    range: Option<[Option<f64>; 2]>,
    /// Where the range comes from.
    why: Option<&'static str>,
}

/// How a figure is displayed.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Unit {
    /// An amount of the profile's metric.
    Amount,
    /// Nanoseconds.
    Time,
    Ratio,
    Count,
}

/// Why: ranges from several runs.
const RUNS: &str = "least and most of all runs; the figure is the median";
/// Why: ranges from one run.
const ONE_RUN: &str = "one run cannot tell delays from longer strands (--runs 3 narrows the range); tiny tasks were timed in groups (--exact narrows that)";

/// The figures, the most telling first.
pub(super) fn headlines(profile: &Profile, analysis: &Analysis) -> Vec<Headline> {
    let mut headlines = all(analysis);
    if !knows_tasking_costs(profile) {
        headlines.retain(|headline| headline.key != OVERHEAD);
    }
    headlines
}

const OVERHEAD: &str = "overhead";

fn all(analysis: &Analysis) -> Vec<Headline> {
    let totals = &analysis.totals;
    let runs = analysis.runs.as_ref().map(|runs| &runs.totals);
    let amount = |key, amount: Nanos| figure(key, amount.shown() as f64, Unit::Amount);
    let time = |key, time: Nanos| figure(key, time.shown() as f64, Unit::Time);
    let count = |key, count: u64| figure(key, count as f64, Unit::Count);
    vec![
        figure("parallelism", totals.parallelism, Unit::Ratio)
            .with_interval(
                totals.span_interval,
                parallelisms(analysis, totals.parallelism_interval),
            )
            .over_runs(runs.map(|runs| runs.parallelism), |ratio| ratio),
        figure(
            "burdened_parallelism",
            totals.burdened_parallelism,
            Unit::Ratio,
        )
        .with_interval(
            totals.burdened_span_interval,
            parallelisms(analysis, totals.burdened_parallelism_interval),
        )
        .over_runs(runs.map(|runs| runs.burdened_parallelism), |ratio| ratio),
        amount("work", totals.work.time())
            .over_runs(runs.map(|runs| runs.work), |work| nanos(work.time())),
        amount("span", totals.span.time())
            .with_interval(totals.span_interval, spans(analysis, totals.span_interval))
            .over_runs(runs.map(|runs| runs.span), span_nanos),
        amount("burdened_span", totals.burdened_span.time())
            .with_interval(
                totals.burdened_span_interval,
                spans(analysis, totals.burdened_span_interval),
            )
            .over_runs(runs.map(|runs| runs.burdened_span), span_nanos),
        count("spawns", totals.spawns)
            .over_runs(runs.map(|runs| runs.spawns), |count| count as f64),
        count("stolen", totals.stolen)
            .over_runs(runs.map(|runs| runs.stolen), |count| count as f64),
        amount("average_strand", totals.average_strand)
            .over_runs(runs.map(|runs| runs.average_strand), nanos),
        amount(OVERHEAD, totals.tasking_overhead.time)
            .over_runs(runs.map(|runs| runs.tasking_overhead), nanos),
        time("blocked", totals.blocked).over_runs(runs.map(|runs| runs.blocked), nanos),
        time("elapsed", totals.elapsed).over_runs(runs.map(|runs| runs.elapsed), nanos),
    ]
}

const fn figure(key: &'static str, value: f64, unit: Unit) -> Headline {
    Headline {
        key,
        value,
        unit,
        range: None,
        why: None,
    }
}

impl Headline {
    /// With the range that one run leaves, if the interval of its span matters.
    fn with_interval(self, span: SpanInterval, range: [Option<f64>; 2]) -> Self {
        if span.is_wide {
            self.with(range, ONE_RUN)
        } else {
            self
        }
    }

    /// With how it varied from run to run, which replaces the range of one run.
    fn over_runs<T>(self, spread: Option<Spread<T>>, number: impl Fn(T) -> f64) -> Self {
        let Some(Spread {
            least,
            median,
            most,
        }) = spread
        else {
            return self;
        };
        let [least, median, most] = [least, median, most].map(number);
        Self {
            value: median,
            ..self
        }
        .with([least, most].map(Some), RUNS)
    }

    fn with(mut self, range: [Option<f64>; 2], why: &'static str) -> Self {
        self.range = Some(range);
        self.why = Some(why);
        self
    }
}

fn spans(analysis: &Analysis, interval: SpanInterval) -> [Option<f64>; 2] {
    let lower = Some(interval.lower).filter(|_| analysis.shows_delays);
    [lower, Some(interval.upper)].map(|span| span.map(span_nanos))
}

fn parallelisms(analysis: &Analysis, interval: ParallelismInterval) -> [Option<f64>; 2] {
    let known = analysis.known(interval);
    [Some(known.lower), known.upper]
}

fn span_nanos(span: Span) -> f64 {
    nanos(span.time())
}

fn nanos(time: Nanos) -> f64 {
    time.shown() as f64
}
