//! The figures of a program that are compared and limited.

use super::side::Reading;
use crate::{ParallelismInterval, SiteRow, Span, SpanInterval, Totals};

named! {
    /// A figure of a program that is compared and limited.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Quantity {
        /// Work T₁.
        Work = "work",
        /// Span T∞.
        Span = "span",
        /// Burdened span T̂∞.
        BurdenedSpan = "burdened-span",
        /// T₁/T∞.
        Parallelism = "parallelism",
        /// T₁/T̂∞.
        BurdenedParallelism = "burdened-parallelism",
        /// Tasks created.
        Tasks = "tasks",
    }
}

impl Quantity {
    /// The quantities that take time: less of them is better.
    pub const COSTS: [Self; 3] = [Self::Work, Self::Span, Self::BurdenedSpan];

    /// Whether it is an amount of the metric: of time or of events.
    pub const fn is_amount(self) -> bool {
        matches!(self, Self::Work | Self::Span | Self::BurdenedSpan)
    }

    /// Whether more of it is better, so that a threshold is a lower limit.
    pub const fn is_to_be_high(self) -> bool {
        matches!(self, Self::Parallelism | Self::BurdenedParallelism)
    }

    /// The figure of a whole program; amounts are in nanoseconds.
    pub fn figure(self, totals: &Totals) -> f64 {
        self.read_totals(totals).value
    }

    pub(super) fn read_totals(self, totals: &Totals) -> Reading {
        match self {
            Self::Work => Reading::exactly(totals.work.time().as_nanos() as f64),
            Self::Span => from_span(totals.span, totals.span_interval),
            Self::BurdenedSpan => from_span(totals.burdened_span, totals.burdened_span_interval),
            Self::Parallelism => from_ratio(
                totals.parallelism,
                totals.span_interval,
                totals.parallelism_interval,
            ),
            Self::BurdenedParallelism => from_ratio(
                totals.burdened_parallelism,
                totals.burdened_span_interval,
                totals.burdened_parallelism_interval,
            ),
            Self::Tasks => Reading::exactly(totals.spawns as f64),
        }
    }

    /// The figure of a site: of its top instances, with everything that they wait for. `None` if it
    /// is not known of sites.
    pub(super) fn read_row(self, row: &SiteRow) -> Option<Reading> {
        let on_work = &row.on_work;
        match self {
            Self::Work => Some(on_work.work.time().as_nanos() as f64),
            Self::Span => Some(on_work.span.time().as_nanos() as f64),
            Self::Parallelism => on_work.parallelism,
            Self::Tasks => Some(on_work.spawns as f64),
            Self::BurdenedSpan | Self::BurdenedParallelism => None,
        }
        .map(Reading::exactly)
    }
}

/// The interval of a span counts if it matters.
fn from_span(span: Span, interval: SpanInterval) -> Reading {
    let nanos = |span: Span| span.time().as_nanos() as f64;
    let [value, low, high] = [span, interval.lower, interval.upper].map(nanos);
    match interval.is_wide {
        true => Reading { value, low, high },
        false => Reading::exactly(value),
    }
}

fn from_ratio(value: f64, span: SpanInterval, interval: ParallelismInterval) -> Reading {
    let (low, high) = (interval.lower, interval.upper_or_infinite());
    match span.is_wide {
        true => Reading { value, low, high },
        false => Reading::exactly(value),
    }
}
