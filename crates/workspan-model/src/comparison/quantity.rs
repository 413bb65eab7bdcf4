//! The figures of a program that are compared and guarded.

use super::change::Reading;
use crate::{ParallelismInterval, SiteRow, Span, SpanInterval, Totals};

/// A figure of a program that is compared and guarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// Work T₁.
    Work,
    /// Span T∞.
    Span,
    /// Burdened span T̂∞.
    BurdenedSpan,
    /// T₁/T∞.
    Parallelism,
    /// T₁/T̂∞.
    BurdenedParallelism,
    /// Tasks created.
    Tasks,
}

impl Quantity {
    /// Every quantity.
    pub const ALL: [Self; 6] = [
        Self::Work,
        Self::Span,
        Self::BurdenedSpan,
        Self::Parallelism,
        Self::BurdenedParallelism,
        Self::Tasks,
    ];

    /// Those that take time: less of them is better.
    pub const COSTS: [Self; 3] = [Self::Work, Self::Span, Self::BurdenedSpan];

    /// The name that options and files use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Work => "work",
            Self::Span => "span",
            Self::BurdenedSpan => "burdened-span",
            Self::Parallelism => "parallelism",
            Self::BurdenedParallelism => "burdened-parallelism",
            Self::Tasks => "tasks",
        }
    }

    /// Whether it is an amount of what was measured: of time, or of events.
    pub const fn is_amount(self) -> bool {
        matches!(self, Self::Work | Self::Span | Self::BurdenedSpan)
    }

    /// Whether more of it is better, so that a threshold is a least one.
    pub const fn is_to_be_high(self) -> bool {
        matches!(self, Self::Parallelism | Self::BurdenedParallelism)
    }

    /// It, of a whole program: amounts in nanoseconds.
    pub fn figure(self, totals: &Totals) -> f64 {
        self.of_totals(totals).value
    }

    pub(super) fn of_totals(self, totals: &Totals) -> Reading {
        match self {
            Self::Work => Reading::exactly(totals.work.time().as_nanos() as f64),
            Self::Span => Reading::of_span(totals.span, totals.span_interval),
            Self::BurdenedSpan => {
                Reading::of_span(totals.burdened_span, totals.burdened_span_interval)
            }
            Self::Parallelism => Reading::of_ratio(
                totals.parallelism,
                totals.span_interval,
                totals.parallelism_interval,
            ),
            Self::BurdenedParallelism => Reading::of_ratio(
                totals.burdened_parallelism,
                totals.burdened_span_interval,
                totals.burdened_parallelism_interval,
            ),
            Self::Tasks => Reading::exactly(totals.spawns as f64),
        }
    }

    /// Of a site: of its top instances, with all that they wait for. `None` of what is not known of sites.
    pub(super) fn of_row(self, row: &SiteRow) -> Option<Reading> {
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

    /// Whether it is known of sites.
    pub const fn is_of_sites(self) -> bool {
        !matches!(self, Self::BurdenedSpan | Self::BurdenedParallelism)
    }
}

impl Reading {
    fn of_span(span: Span, interval: SpanInterval) -> Self {
        let nanos = |span: Span| span.time().as_nanos() as f64;
        match interval.is_open {
            true => Self {
                value: nanos(span),
                low: nanos(interval.lower),
                high: nanos(interval.upper),
            },
            false => Self::exactly(nanos(span)),
        }
    }

    fn of_ratio(ratio: f64, span: SpanInterval, interval: ParallelismInterval) -> Self {
        match span.is_open {
            true => Self {
                value: ratio,
                low: interval.lower,
                high: interval.upper_or_infinite(),
            },
            false => Self::exactly(ratio),
        }
    }
}
