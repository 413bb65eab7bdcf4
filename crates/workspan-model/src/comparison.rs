//! Two profiles of a program, before a change and after it.

mod basis;
mod change;
mod mismatch;
mod quantity;
mod rank_sum;
mod side;
mod sites;
mod threshold;

use crate::{Metric, Profile, SpeedupBounds, speedup_bounds_within};

pub use basis::Basis;
pub use change::{COMPARISON_CONFIDENCE, ChangeKind, FigureChange};
pub use mismatch::{Incomparable, Mismatch, mismatches};
pub use quantity::Quantity;
use side::Side;
pub use sites::SiteChange;
pub use threshold::{
    Checked, Threshold, ThresholdError, ThresholdLimit, ThresholdOutcome, check_thresholds,
};

/// The change below which nothing is told of figures that vary, unless the user chooses another.
pub const LEAST_CHANGE: f64 = 0.02;

/// How two profiles are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ComparisonOptions {
    /// Whether each run of one was made beside the run of the same number of the other.
    pub is_paired: bool,
    /// The change that is worth telling, as a share; [`LEAST_CHANGE`] unless it is chosen, and any of figures that repeat exactly.
    pub least_change: Option<f64>,
}

/// Two profiles of a program, before a change and after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What its amounts are of.
    pub metric: Metric,
    /// What it rests on.
    pub basis: Basis,
    /// The change that is worth telling, as a share.
    pub least_change: f64,
    /// The totals, in the order of [`Quantity::ALL`].
    pub totals: Vec<(Quantity, FigureChange)>,
    /// Bounds on the speedup before and after, each against the one core of its own profile, on 1, 2, 4, … 256 cores and on
    /// those assumed.
    pub speedup: Vec<(SpeedupBounds, SpeedupBounds)>,
    /// The sites of both, those first of which the change matters most ([`SiteChange::weight`]).
    pub sites: Vec<SiteChange>,
    /// What else differs between the runs than the program.
    pub mismatches: Vec<Mismatch>,
}

/// What two profiles say of the change between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonVerdict {
    /// Work, span or burdened span has grown, and none has shrunk.
    Worse,
    /// One of them has shrunk, and none has grown.
    Better,
    /// One has grown and one has shrunk.
    Mixed,
    /// None has changed.
    Same,
    /// No change is certain, and none of some size can be ruled out.
    Open,
    /// There are too few runs to tell.
    Unknown,
}

/// Compares two profiles, the first of which is of before.
///
/// # Errors
/// When their figures are of different things, or are to be paired and are not as many.
///
/// # Panics
/// When a profile is not valid.
pub fn compare(
    before: &Profile,
    after: &Profile,
    options: ComparisonOptions,
) -> Result<Comparison, Incomparable> {
    let sides = [before, after].map(Side::of);
    let basis = Basis::of(&sides, options.is_paired)?;
    let usual = match basis {
        Basis::Exact => 0.0,
        _ => LEAST_CHANGE,
    };
    let least_change = options.least_change.unwrap_or(usual);
    let totals = Quantity::ALL.map(|quantity| {
        let [before, after] = sides
            .each_ref()
            .map(|side| side.totals(|totals| quantity.of_totals(totals)));
        let change = FigureChange::of(&before, &after, basis, least_change, change::relative);
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

    /// The totals of which a change is certain.
    pub fn certain(&self) -> impl Iterator<Item = (Quantity, &FigureChange)> {
        let totals = self
            .totals
            .iter()
            .map(|(quantity, change)| (*quantity, change));
        totals.filter(|(_, change)| change.kind.is_certain())
    }

    /// What work, span and burdened span say together.
    pub fn verdict(&self) -> ComparisonVerdict {
        let kinds = Quantity::COSTS.map(|quantity| self.total(quantity).kind);
        let any = |kind| kinds.contains(&kind);
        match (any(ChangeKind::Grown), any(ChangeKind::Shrunk)) {
            (true, true) => ComparisonVerdict::Mixed,
            (true, false) => ComparisonVerdict::Worse,
            (false, true) => ComparisonVerdict::Better,
            (false, false) if any(ChangeKind::Unknown) => ComparisonVerdict::Unknown,
            (false, false) if any(ChangeKind::Open) => ComparisonVerdict::Open,
            (false, false) => ComparisonVerdict::Same,
        }
    }
}

/// The bounds that the runs shown of both give, on the cores of either's table.
fn speedups(sides: &[Side<'_>; 2]) -> Vec<(SpeedupBounds, SpeedupBounds)> {
    let shown = sides.each_ref().map(Side::shown);
    let powers = std::iter::successors(Some(1), |cores| Some(cores * 2));
    let mut cores: Vec<u32> = powers.take_while(|&cores| cores <= 256).collect();
    let assumed = sides.each_ref().map(|side| side.profile.run.assumed_cores);
    cores.extend(assumed.into_iter().filter(|&cores| cores > 1));
    cores.sort_unstable();
    cores.dedup();
    let bounds = |side: usize, cores| {
        let totals = &shown[side];
        speedup_bounds_within(
            totals.parallelism_interval,
            totals.burdened_parallelism_interval,
            cores,
        )
    };
    let cores = cores.into_iter();
    cores
        .map(|cores| (bounds(0, cores), bounds(1, cores)))
        .collect()
}

#[cfg(test)]
mod tests;
