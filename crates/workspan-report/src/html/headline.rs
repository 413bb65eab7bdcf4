//! The figures of the whole program.

use serde::Serialize;
use workspan_model::{
    Analysis, Nanos, ParallelismInterval, Profile, SpanInterval, Totals, knows_tasking_costs,
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
    use Unit::{Amount, Count, Ratio, Time};
    let totals = &analysis.totals;
    let figure = |key, unit, figure: fn(&Totals) -> f64| Headline::new(analysis, key, unit, figure);
    let (span, burdened) = (totals.span_interval, totals.burdened_span_interval);
    let spans = |span: SpanInterval| {
        let lower = Some(span.lower).filter(|_| analysis.shows_delays);
        [lower, Some(span.upper)].map(|span| span.map(|span| nanos(span.time())))
    };
    let parallelisms = |interval: ParallelismInterval| {
        let known = analysis.known(interval);
        [Some(known.lower), known.upper]
    };
    let mut headlines = vec![
        figure("parallelism", Ratio, |totals| totals.parallelism)
            .within(span, parallelisms(totals.parallelism_interval)),
        figure("burdened_parallelism", Ratio, |totals| {
            totals.burdened_parallelism
        })
        .within(burdened, parallelisms(totals.burdened_parallelism_interval)),
        figure("work", Amount, |totals| nanos(totals.work.time())),
        figure("span", Amount, |totals| nanos(totals.span.time())).within(span, spans(span)),
        figure("burdened_span", Amount, |totals| {
            nanos(totals.burdened_span.time())
        })
        .within(burdened, spans(burdened)),
        figure("spawns", Count, |totals| totals.spawns as f64),
        figure("stolen", Count, |totals| totals.stolen as f64),
        figure("average_strand", Amount, |totals| {
            nanos(totals.average_strand)
        }),
        figure("overhead", Amount, |totals| {
            nanos(totals.tasking_overhead.time)
        }),
        figure("blocked", Time, |totals| nanos(totals.blocked)),
        figure("elapsed", Time, |totals| nanos(totals.elapsed)),
    ];
    if !knows_tasking_costs(profile) {
        headlines.retain(|headline| headline.key != "overhead");
    }
    headlines
}

impl Headline {
    /// The figure, and how it varied from run to run.
    fn new(analysis: &Analysis, key: &'static str, unit: Unit, figure: fn(&Totals) -> f64) -> Self {
        let spread = analysis.runs.as_ref().map(|runs| runs.spread(figure));
        Self {
            key,
            unit,
            value: spread.map_or_else(|| figure(&analysis.totals), |spread| spread.median),
            range: spread.map(|spread| [spread.least, spread.most].map(Some)),
            why: spread.map(|_| RUNS),
        }
    }

    /// With the range that one run leaves, if there is but one and the interval of its span matters.
    fn within(mut self, span: SpanInterval, range: [Option<f64>; 2]) -> Self {
        if span.is_wide && self.range.is_none() {
            (self.range, self.why) = (Some(range), Some(ONE_RUN));
        }
        self
    }
}

fn nanos(time: Nanos) -> f64 {
    time.shown() as f64
}
