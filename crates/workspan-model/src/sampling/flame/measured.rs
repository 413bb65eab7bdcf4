//! A flame graph measured by one of its quantities.

use super::{Flame, FlameWeight};
use crate::Nanos;

named! {
    /// A quantity that the width of frames can stand for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum FlameMeasure {
        /// The work.
        Work = "work",
        /// The critical path.
        Span = "span",
        /// The longest burdened path.
        BurdenedSpan = "burdened span",
        /// Samples on the work.
        Samples = "samples",
    }
}

impl FlameMeasure {
    /// Whether it is a time rather than a count.
    pub const fn is_time(self) -> bool {
        !matches!(self, Self::Samples)
    }

    /// The quantity of a weight: nanoseconds, or periods of samples.
    fn quantity_of(self, weight: &FlameWeight) -> f64 {
        let nanos = |time: Nanos| time.shown() as f64;
        match self {
            Self::Work => nanos(weight.work.time()),
            Self::Span => nanos(weight.span.time()),
            Self::BurdenedSpan => nanos(weight.burdened_span.time()),
            Self::Samples => weight.samples,
        }
    }
}

/// The quantities of the frames of a flame graph by one measure: whole nanoseconds, or whole
/// samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredFlame {
    /// The measure.
    pub measure: FlameMeasure,
    /// For each frame, its own part, without the frames that stand on it.
    pub own: Vec<u64>,
    /// For each frame, the sum of its own part and of those that stand on it.
    pub whole: Vec<u64>,
}

impl MeasuredFlame {
    /// The quantity of the whole program.
    pub fn total(&self) -> u64 {
        self.whole.first().copied().unwrap_or(0)
    }
}

impl Flame {
    /// The measures that are known for the profile.
    pub fn measures(&self) -> impl Iterator<Item = FlameMeasure> {
        let is_known = |measure: &FlameMeasure| match measure {
            FlameMeasure::Work | FlameMeasure::Span => true,
            FlameMeasure::BurdenedSpan => self.has_burdened,
            FlameMeasure::Samples => self.has_samples,
        };
        FlameMeasure::ALL.into_iter().filter(is_known)
    }

    /// The quantities of the frames by `measure`. Fractions of samples are rounded so that their
    /// sums stay accurate to one sample.
    pub fn measured(&self, measure: FlameMeasure) -> MeasuredFlame {
        let of = |index: usize| measure.quantity_of(&self.frames[index].weight);
        let mut exact: Vec<f64> = (0..self.frames.len()).map(of).collect();
        for (index, frame) in self.frames.iter().enumerate() {
            if let Some(parent) = frame.parent {
                exact[parent] -= of(index);
            }
        }
        let mut sum = 0.0_f64;
        let own = exact.into_iter().map(|part| {
            let before = sum.round();
            sum += part.max(0.0);
            (sum.round() - before) as u64
        });
        let own: Vec<u64> = own.collect();
        let mut whole = own.clone();
        for (index, frame) in self.frames.iter().enumerate().rev() {
            if let Some(parent) = frame.parent {
                whole[parent] += whole[index];
            }
        }
        MeasuredFlame {
            measure,
            own,
            whole,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Profile, Span, Work, example, flame, site_rows};

    fn flame_of(profile: &Profile) -> Flame {
        flame(profile, &site_rows(profile), None, usize::MAX)
    }

    /// The quicksort, its join sampled in three functions, with a fraction of a period in each.
    fn sampled() -> Profile {
        let mut profile = example::quicksort();
        let stacks = [&[0], &[1], &[2]].map(|frames| (1, &frames[..], 1.4, 0.7));
        profile.samples = Some(example::samples(&["one", "two", "three"], &stacks));
        profile
    }

    #[test]
    fn own_parts_add_up_to_the_profile_and_to_whole_samples() {
        let profile = sampled();
        let flame = flame_of(&profile);
        let of = |measure| flame.measured(measure);
        assert_eq!(of(FlameMeasure::Work).total(), 1_060_000_000);
        assert_eq!(of(FlameMeasure::Span).total(), 98_000_000);
        // 4.2 periods.
        let samples = of(FlameMeasure::Samples);
        assert_eq!((samples.total(), &samples.own[3..]), (4, &[1, 2, 1][..]));
        for measure in flame.measures() {
            let measured = of(measure);
            assert_eq!(measured.own.iter().sum::<u64>(), measured.total());
        }
    }

    #[test]
    fn a_time_divides_without_a_remainder() {
        let mut profile = sampled();
        profile.tree[1].on_work.local_work = Work::from_nanos(10);
        let work = flame_of(&profile).measured(FlameMeasure::Work);
        // The program, the function around the join, the join, and what stands on it.
        assert_eq!(work.own, [21_400_000, 0, 0, 3, 4, 3]);
    }

    #[test]
    fn a_debt_goes_to_the_caller_and_a_remainder_to_the_program() {
        let mut profile = sampled();
        profile.tree[1].on_work.local_work = Work::from_nanos(-400_000);
        profile.tree[1].on_span.local_span = Span::from_nanos(76_599_998);
        let flame = flame_of(&profile);
        let work = flame.measured(FlameMeasure::Work);
        assert_eq!((work.own[0], work.total()), (21_000_000, 21_000_000));
        let span = flame.measured(FlameMeasure::Span);
        assert_eq!((span.own[0], span.total()), (21_400_002, 98_000_000));
    }

    #[test]
    fn only_known_quantities_are_measures() {
        let profile = example::quicksort();
        let rows = site_rows(&profile);
        let measures: Vec<FlameMeasure> = flame_of(&profile).measures().collect();
        assert_eq!(measures, [FlameMeasure::Work, FlameMeasure::Span]);
        let dag = example::quicksort_dag();
        let flame = flame(&profile, &rows, Some(&dag), usize::MAX);
        let burdened = flame.measured(FlameMeasure::BurdenedSpan);
        let exact = dag.time_of(dag.totals().burdened_span);
        assert_eq!(burdened.total(), exact.shown());
    }
}
