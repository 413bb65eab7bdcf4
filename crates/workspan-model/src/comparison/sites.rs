//! How the figures of sites have changed.

use std::collections::HashMap;

use super::change::{Reading, Side};
use super::{Basis, FigureChange};
use crate::profile::site_row::{RowKey, row_key};
use crate::{Estimate, SiteRow, Span, Totals, match_rows};

/// How a site's own figures have changed. They are 0 in a run that did not reach the site.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteChange {
    /// The site before, with the medians of several runs; `None` if it is new.
    pub before: Option<SiteRow>,
    /// The site after; `None` if it is gone.
    pub after: Option<SiteRow>,
    /// Whether it is taken for the same site although it is at another place.
    pub is_moved: bool,
    /// Time of its own strands on the critical path. Growths are shares of the program's span
    /// before.
    pub on_span: FigureChange,
    /// Time of its own strands. Growths are shares of the program's work before.
    pub own_work: FigureChange,
    /// How much the change matters: the most by which it changes T₁/P + T∞, the time within which a
    /// greedy scheduler stays (Brent; Cilkview §2), with P the assumed cores. In the units of the
    /// work.
    pub weight: f64,
}

impl SiteChange {
    /// The site as it is after, or as it was before if it is gone.
    pub fn row(&self) -> &SiteRow {
        let row = self.after.as_ref().or(self.before.as_ref());
        row.expect("a site is in one of the two")
    }
}

/// The changes of all sites, those that matter most first.
pub(super) fn changes(sides: &[Side<'_>; 2], basis: Basis, least_change: f64) -> Vec<SiteChange> {
    let rows = sides.each_ref().map(Side::rows);
    let keyed = sides.each_ref().map(Side::rows_by_key);
    let matching = match_rows(&rows[0], &rows[1]);
    let whole = |figure: fn(&Side<'_>) -> f64| figure(&sides[0]).max(1.0);
    let span = whole(|side| side.shown().span.value.time().as_nanos() as f64);
    let work = whole(|side| side.shown().work.time().as_nanos() as f64);
    let cores = f64::from(sides[1].profile.run.assumed_cores.max(1));
    let change = |before: Option<usize>, after: Option<usize>, is_moved: bool| {
        let rows = [
            before.map(|row| &rows[0][row]),
            after.map(|row| &rows[1][row]),
        ];
        let of = |whole: f64, figure: fn(&SiteRow) -> f64| {
            let readings = |side: usize| readings(&keyed[side], rows[side], figure);
            let growth = |before: f64, after: f64| (after - before) / whole;
            FigureChange::new(&readings(0), &readings(1), basis, least_change, growth)
        };
        let on_span = of(span, |row| row.on_span.local_span.time().as_nanos() as f64);
        let own_work = of(work, |row| row.on_work.local_work.time().as_nanos() as f64);
        let by = |change: &FigureChange| (change.after - change.before).abs();
        SiteChange {
            before: rows[0].cloned(),
            after: rows[1].cloned(),
            is_moved,
            weight: by(&own_work) / cores + by(&on_span),
            on_span,
            own_work,
        }
    };
    let pairs = matching.pairs.iter();
    let pairs = pairs.map(|pair| change(Some(pair.before), Some(pair.after), pair.is_moved));
    let lost = matching.lost.iter();
    let lost = lost.map(|&row| change(Some(row), None, false));
    let gained = matching.gained.iter();
    let gained = gained.map(|&row| change(None, Some(row), false));
    let mut changes: Vec<SiteChange> = pairs.chain(lost).chain(gained).collect();
    changes.sort_by(|one, other| other.weight.total_cmp(&one.weight));
    changes
}

/// A figure of a site in each run.
pub(super) fn readings(
    runs: &[HashMap<RowKey<'_>, &SiteRow>],
    row: Option<&SiteRow>,
    figure: impl Fn(&SiteRow) -> f64,
) -> Vec<Reading> {
    let of_run = |rows: &HashMap<RowKey<'_>, &SiteRow>| {
        let found = row.and_then(|row| rows.get(&row_key(row)));
        Reading::exactly(found.map_or(0.0, |row| figure(row)))
    };
    runs.iter().map(of_run).collect()
}

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
            Self::Span => reading(totals.span.map(nanos), totals.span),
            Self::BurdenedSpan => reading(totals.burdened_span.map(nanos), totals.burdened_span),
            Self::Parallelism => reading(totals.parallelism, totals.span),
            Self::BurdenedParallelism => reading(totals.burdened_parallelism, totals.burdened_span),
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

fn nanos(span: Span) -> f64 {
    span.time().as_nanos() as f64
}

/// The interval counts if that of the span matters.
fn reading(figure: Reading, span: Estimate<Span>) -> Reading {
    match span.is_wide() {
        true => figure,
        false => Reading::exactly(figure.value),
    }
}
