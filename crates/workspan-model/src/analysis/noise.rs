//! How far the machine may have moved the span of one run.

use crate::dag::Levelled;
use crate::quantity::estimate::Factors;
use crate::{Dag, Nanos, Profile, Totals};

/// A strand that is like no other may be off by this share, whatever others show.
const TOLERANCE: f64 = 0.03;

/// It is not off by more than this, even if what looks alike differs more.
const MOST_DELAY: f64 = 0.1;

/// Code that runs once finds cold caches and untouched pages, more so right after the profiler has
/// started: it is read too long by up to this share, if it is short, …
const COLD_SHARE: f64 = 0.25;

/// … and by no more than this.
const MOST_COLD: Nanos = Nanos::from_nanos(50_000);

/// How far the spans of one run may be from those of the program, as factors.
///
/// Work averages delays out, a span collects them: it is a maximum over paths. Of n equal strands,
/// delayed by independent amounts of standard deviation σ, the longest takes about σ√(2 ln n) more
/// than the mean (David and Nagaraja, *Order Statistics*, 3rd ed., §10.5), so that the parallelism
/// is too low, whatever n is. One run cannot tell delays from strands that truly differ. But the
/// truth lies between two readings of it: either all differences are true, and the span is the
/// measured one; or strands that do the same take the same time, and it is that of the
/// [levelled](Dag::levelled) dag. Strands that are like no other may be delayed
/// more than the mean, or less, by as much as those that are, which widens both ends.
///
/// Over several runs the first end is that of the run with the most parallelism, as delays only
/// lengthen strands, and each run has others; but no further than the second reading goes, since runs
/// may also differ in what they do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Noise {
    /// Of the span.
    pub(crate) span: Factors,
    /// Of the burdened span.
    pub(crate) burdened_span: Factors,
    /// The most strands that the structure allows at a time, and so the greatest parallelism.
    pub(crate) at_once: f64,
}

impl Factors {
    const NONE: Self = Self {
        least: 1.0,
        most: 1.0,
    };

    /// For a `measured` span that would be `even` if strands that do the same took the same time.
    fn new(measured: i64, even: i64, levelled: &Levelled<'_>) -> Self {
        let Levelled { apart, lone, .. } = levelled;
        let measured = measured.max(1) as f64;
        let ratio = even.max(1) as f64 / measured;
        let most_cold = levelled.measured().ticks_of(MOST_COLD.as_nanos() as f64) as f64;
        let cold = (*lone as f64 * COLD_SHARE).clamp(0.0, most_cold) / measured;
        let least = ratio.min(1.0) / (1.0 + apart.high.clamp(TOLERANCE, MOST_DELAY));
        Self {
            least: (least - cold).max(0.0),
            most: ratio.max(1.0) * (1.0 + apart.low.clamp(TOLERANCE, MOST_DELAY)),
        }
    }

    /// If another run shows that the parallelism is `gain` times this run's, of which delays explain
    /// as much as the `even` span is shorter than the `measured` one.
    fn with_better(self, gain: f64, measured: i64, even: i64) -> Self {
        let explained = measured.max(1) as f64 / even.max(1) as f64;
        let most = self.most / gain.min(explained).max(1.0);
        Self {
            least: self.least.min(most / (1.0 + TOLERANCE).powi(2)),
            most,
        }
    }
}

/// The levelled dag of a run whose strands may have been delayed: counts, and programs without tasks,
/// are not noisy, and a truncated dag says nothing of what came after it.
pub(crate) fn levelled<'a>(profile: &Profile, dag: Option<&'a Dag>) -> Option<Levelled<'a>> {
    dag.filter(|dag| is_noisy(profile) && !dag.is_truncated)
        .map(Dag::levelled)
}

/// Whether the intervals of the totals have two ends in spite of delays. If not, the span is at most
/// that of its interval, and the parallelism at least that.
pub(crate) fn shows_delays(profile: &Profile, levelled: Option<&Levelled<'_>>) -> bool {
    levelled.is_some() || !is_noisy(profile)
}

fn is_noisy(profile: &Profile) -> bool {
    profile.run.metric.is_time() && profile.tree.iter().any(|node| node.on_work.spawns > 0)
}

impl Noise {
    /// None.
    pub(crate) const NONE: Self = Self {
        span: Factors::NONE,
        burdened_span: Factors::NONE,
        at_once: f64::INFINITY,
    };

    /// Without a levelled dag nothing shows how much shorter the span may be: its measured length is
    /// then no lower end ([`shows_delays`]).
    pub(crate) fn new(profile: &Profile, levelled: Option<&Levelled<'_>>) -> Self {
        if !is_noisy(profile) {
            return Self::NONE;
        }
        let Some(levelled) = levelled else {
            let factors = Factors {
                most: 1.0 + TOLERANCE,
                ..Factors::NONE
            };
            return Self {
                span: factors,
                burdened_span: factors,
                ..Self::NONE
            };
        };
        let (measured, even) = (levelled.measured().totals(), levelled.totals());
        let factors = |measured, even, parallelism: fn(&Totals) -> f64| {
            let factors = Factors::new(measured, even, levelled);
            factors.with_better(best_over_shown(profile, parallelism), measured, even)
        };
        Self {
            span: factors(measured.span, even.span, |totals| totals.parallelism.value),
            burdened_span: factors(measured.burdened_span, even.burdened_span, |totals| {
                totals.burdened_parallelism.value
            }),
            at_once: levelled.measured().most_at_once() as f64,
        }
    }
}

/// The greatest `figure` of several runs over that of the shown one; 1 for a single run.
fn best_over_shown(profile: &Profile, figure: fn(&Totals) -> f64) -> f64 {
    let Some(repetition) = &profile.repetition else {
        return 1.0;
    };
    let figures = || repetition.runs.iter().map(|run| figure(&run.totals));
    let shown = figure(&repetition.runs[repetition.shown].totals);
    figures().fold(shown, f64::max) / shown
}

#[cfg(test)]
mod tests;
