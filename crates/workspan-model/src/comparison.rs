//! Compares two profiles of a program, from before and after a change.

mod change;
mod mismatch;
mod rank_sum;
mod sites;
mod threshold;

use change::Side;

use crate::quantity::speedup::table_cores;
use crate::{Metric, Profile, SpeedupBounds, SpeedupLimits};

pub use change::{Basis, COMPARISON_CONFIDENCE, ChangeKind, FigureChange};
pub use mismatch::{Incomparable, Mismatch, mismatches};
pub use sites::{Quantity, SiteChange};
pub use threshold::{
    Checked, Threshold, ThresholdError, ThresholdLimit, ThresholdOutcome, check_thresholds,
};

/// The smallest change that is reported of figures that vary, as a share, unless the user chooses
/// another.
pub const LEAST_CHANGE: f64 = 0.02;

/// How two profiles are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ComparisonOptions {
    /// Whether each run of one profile was made next to the run of the same number of the other.
    pub is_paired: bool,
    /// The smallest change worth reporting, as a share. By default [`LEAST_CHANGE`], or any change
    /// of figures that repeat exactly.
    pub least_change: Option<f64>,
}

/// The comparison of two profiles of a program, from before and after a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The metric of its amounts.
    pub metric: Metric,
    /// What it is based on.
    pub basis: Basis,
    /// The smallest change worth reporting, as a share.
    pub least_change: f64,
    /// The totals, in the order of [`Quantity::ALL`].
    pub totals: Vec<(Quantity, FigureChange)>,
    /// Bounds on the speedup before and after, each over one core of its own profile, on 1, 2, 4, …
    /// 256 cores and on the assumed cores of both.
    pub speedup: Vec<(SpeedupBounds, SpeedupBounds)>,
    /// The sites of both, those whose change matters most ([`SiteChange::weight`]) first.
    pub sites: Vec<SiteChange>,
    /// What differs between the runs besides the program.
    pub mismatches: Vec<Mismatch>,
}

named! {
    /// What two profiles show of the change between them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ComparisonVerdict {
        /// Work, span or burdened span has grown, and none has shrunk.
        Worse = "worse",
        /// One of them has shrunk, and none has grown.
        Better = "better",
        /// One has grown and one has shrunk.
        Mixed = "mixed",
        /// None has changed.
        Same = "same",
        /// No change is certain, but a change that is worth reporting cannot be ruled out.
        Inconclusive = "open",
        /// There are too few runs to tell.
        Unknown = "unknown",
    }
}

/// Compares the profile from before a change with the one from after it.
///
/// # Errors
/// If their figures measure different things, or their runs are to be paired and differ in number.
///
/// # Panics
/// If a profile is invalid.
pub fn compare(
    before: &Profile,
    after: &Profile,
    options: ComparisonOptions,
) -> Result<Comparison, Incomparable> {
    let sides = [before, after].map(Side::new);
    let basis = Basis::new(sides.each_ref(), options.is_paired)?;
    let default = match basis {
        Basis::Exact => 0.0,
        _ => LEAST_CHANGE,
    };
    let least_change = options.least_change.unwrap_or(default);
    let totals = Quantity::ALL.map(|quantity| {
        let [before, after] = sides
            .each_ref()
            .map(|side| side.totals(|totals| quantity.read_totals(totals)));
        let change = FigureChange::new(&before, &after, basis, least_change, change::relative);
        (quantity, change)
    });
    Ok(Comparison {
        metric: after.run.metric.clone(),
        basis,
        least_change,
        totals: totals.to_vec(),
        speedup: speedups(&sides),
        sites: sites::changes(&sides, basis, least_change),
        mismatches: mismatch::mismatches(before, after),
    })
}

impl Comparison {
    /// The change of a total.
    pub fn total(&self, quantity: Quantity) -> &FigureChange {
        let mut totals = self.totals.iter();
        let found = totals.find(|(other, _)| *other == quantity);
        &found.expect("each has a change").1
    }

    /// The totals whose change is certain.
    pub fn certain(&self) -> impl Iterator<Item = (Quantity, &FigureChange)> {
        let totals = self
            .totals
            .iter()
            .map(|(quantity, change)| (*quantity, change));
        totals.filter(|(_, change)| change.kind.is_certain())
    }

    /// What work, span and burdened span show together.
    pub fn verdict(&self) -> ComparisonVerdict {
        let kinds = Quantity::COSTS.map(|quantity| self.total(quantity).kind);
        let any = |kind| kinds.contains(&kind);
        match (any(ChangeKind::Grown), any(ChangeKind::Shrunk)) {
            (true, true) => ComparisonVerdict::Mixed,
            (true, false) => ComparisonVerdict::Worse,
            (false, true) => ComparisonVerdict::Better,
            (false, false) if any(ChangeKind::Unknown) => ComparisonVerdict::Unknown,
            (false, false) if any(ChangeKind::Inconclusive) => ComparisonVerdict::Inconclusive,
            (false, false) => ComparisonVerdict::Same,
        }
    }
}

/// The bounds of the run shown of each profile, on the cores of either's table.
fn speedups(sides: &[Side<'_>; 2]) -> Vec<(SpeedupBounds, SpeedupBounds)> {
    let shown = sides.each_ref().map(Side::shown);
    let assumed = sides.each_ref().map(|side| side.profile.run.assumed_cores);
    let [before, after] =
        shown.map(|totals| SpeedupLimits::new(totals.parallelism, totals.burdened_parallelism));
    let cores = table_cores(1, &assumed).into_iter();
    cores
        .map(|cores| (before.on(cores), after.on(cores)))
        .collect()
}

#[cfg(test)]
mod tests;
