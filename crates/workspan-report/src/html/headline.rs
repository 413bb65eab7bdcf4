//! The figures of the whole program.

use serde::Serialize;
use workspan_model::{
    Analysis, Nanos, ParallelismInterval, Profile, Span, SpanInterval, Spread, knows_tasking_costs,
};

/// A figure with all that a reader has to know to read it right.
#[derive(Serialize)]
pub(super) struct Headline {
    /// Of the glossary.
    key: &'static str,
    value: f64,
    unit: Unit,
    /// The least and the most that it may be, `null` for no limit.
    range: Option<[Option<f64>; 2]>,
    /// Where the range comes from.
    why: Option<&'static str>,
}

/// How a figure is written.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Unit {
    /// Of the profile's metric.
    Amount,
    /// Nanoseconds.
    Time,
    Ratio,
    Count,
}

/// Ranges from several runs.
const RUNS: &str = "least and most of all runs; the figure is the median";
/// Ranges of one run.
const OPEN: &str =
    "tiny tasks were timed in groups: the truth lies in between (--exact narrows that)";

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
    let spread = analysis.runs.as_ref().map(|runs| &runs.totals);
    let amount = |key, amount: Nanos| figure(key, amount.shown() as f64, Unit::Amount);
    let time = |key, time: Nanos| figure(key, time.shown() as f64, Unit::Time);
    let count = |key, count: u64| figure(key, count as f64, Unit::Count);
    vec![
        figure("parallelism", totals.parallelism, Unit::Ratio)
            .open(
                totals.span_interval,
                parallelisms(totals.parallelism_interval),
            )
            .spread(spread.map(|spread| ends(spread.parallelism, |ratio| ratio))),
        figure(
            "burdened_parallelism",
            totals.burdened_parallelism,
            Unit::Ratio,
        )
        .open(
            totals.burdened_span_interval,
            parallelisms(totals.burdened_parallelism_interval),
        )
        .spread(spread.map(|spread| ends(spread.burdened_parallelism, |ratio| ratio))),
        amount("work", totals.work.time())
            .spread(spread.map(|spread| ends(spread.work, |work| nanos(work.time())))),
        amount("span", totals.span.time())
            .open(totals.span_interval, spans(totals.span_interval))
            .spread(spread.map(|spread| ends(spread.span, span_nanos))),
        amount("burdened_span", totals.burdened_span.time())
            .open(
                totals.burdened_span_interval,
                spans(totals.burdened_span_interval),
            )
            .spread(spread.map(|spread| ends(spread.burdened_span, span_nanos))),
        count("spawns", totals.spawns)
            .spread(spread.map(|spread| ends(spread.spawns, |count| count as f64))),
        count("stolen", totals.stolen)
            .spread(spread.map(|spread| ends(spread.stolen, |count| count as f64))),
        amount("average_strand", totals.average_strand)
            .spread(spread.map(|spread| ends(spread.average_strand, nanos))),
        amount(OVERHEAD, totals.tasking_overhead.time)
            .spread(spread.map(|spread| ends(spread.tasking_overhead, nanos))),
        time("blocked", totals.blocked).spread(spread.map(|spread| ends(spread.blocked, nanos))),
        time("elapsed", totals.elapsed).spread(spread.map(|spread| ends(spread.elapsed, nanos))),
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
    /// With what one run leaves open.
    fn open(self, span: SpanInterval, range: [Option<f64>; 2]) -> Self {
        match span.is_open {
            true => self.with(Some(range), OPEN),
            false => self,
        }
    }

    /// With how it varied from run to run, which says more.
    fn spread(self, range: Option<[f64; 3]>) -> Self {
        match range {
            Some([least, median, most]) => Self {
                value: median,
                ..self
            }
            .with(Some([least, most].map(Some)), RUNS),
            None => self,
        }
    }

    fn with(mut self, range: Option<[Option<f64>; 2]>, why: &'static str) -> Self {
        self.range = range;
        self.why = Some(why);
        self
    }
}

fn ends<T: Copy>(spread: Spread<T>, number: impl Fn(T) -> f64) -> [f64; 3] {
    [spread.least, spread.median, spread.most].map(number)
}

fn spans(interval: SpanInterval) -> [Option<f64>; 2] {
    [interval.lower, interval.upper].map(|span| Some(span_nanos(span)))
}

const fn parallelisms(interval: ParallelismInterval) -> [Option<f64>; 2] {
    [Some(interval.lower), interval.upper]
}

fn span_nanos(span: Span) -> f64 {
    nanos(span.time())
}

fn nanos(time: Nanos) -> f64 {
    time.shown() as f64
}
