//! A flame graph by one of its quantities.

use super::{Flame, FlameWeight};
use crate::Nanos;

/// A quantity that frames can be as wide as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlameMeasure {
    /// The work.
    Work,
    /// The critical path.
    Span,
    /// The longest path with the burden.
    BurdenedSpan,
    /// Samples on the work.
    Samples,
}

impl FlameMeasure {
    /// Every measure.
    pub const ALL: [Self; 4] = [Self::Work, Self::Span, Self::BurdenedSpan, Self::Samples];

    /// The name that reports use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Work => "work",
            Self::Span => "span",
            Self::BurdenedSpan => "burdened span",
            Self::Samples => "samples",
        }
    }

    /// Whether it is a time, and no count.
    pub const fn is_time(self) -> bool {
        !matches!(self, Self::Samples)
    }

    /// What `weight` has of it: nanoseconds, or periods of samples.
    fn of(self, weight: &FlameWeight) -> f64 {
        let nanos = |time: Nanos| time.shown() as f64;
        match self {
            Self::Work => nanos(weight.work.time()),
            Self::Span => nanos(weight.span.time()),
            Self::BurdenedSpan => nanos(weight.burdened_span.time()),
            Self::Samples => weight.samples,
        }
    }
}

/// What the frames of a flame graph have of a measure: whole nanoseconds, or whole samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredFlame {
    /// The measure.
    pub measure: FlameMeasure,
    /// Of each frame, its own part: what none of those that stand on it has.
    pub own: Vec<u64>,
    /// Of each frame, the sum of its own part and of those that stand on it.
    pub whole: Vec<u64>,
}

impl MeasuredFlame {
    /// What the program has.
    pub fn total(&self) -> u64 {
        self.whole.first().copied().unwrap_or(0)
    }
}

impl Flame {
    /// The measures that are known of the profile.
    pub fn measures(&self) -> impl Iterator<Item = FlameMeasure> {
        let is_known = |measure: &FlameMeasure| match measure {
            FlameMeasure::Work | FlameMeasure::Span => true,
            FlameMeasure::BurdenedSpan => self.has_burdened,
            FlameMeasure::Samples => self.has_samples,
        };
        FlameMeasure::ALL.into_iter().filter(is_known)
    }

    /// What the frames have of `measure`. Samples that stand for parts of a period are rounded so that sums of them stay true
    /// to one sample.
    pub fn measured(&self, measure: FlameMeasure) -> MeasuredFlame {
        let of = |index: usize| measure.of(&self.frames[index].weight);
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
    use crate::{
        FrameId, NodeId, Profile, SampledStack, Samples, Span, StackFrame, Work, example, flame,
        site_rows,
    };

    fn flame_of(profile: &Profile) -> Flame {
        flame(profile, &site_rows(profile), None, usize::MAX)
    }

    /// The quicksort, its join sampled in three functions, a part of a period in each.
    fn sampled() -> Profile {
        let mut profile = example::quicksort();
        let frame = |name: &str| StackFrame {
            function: Some(name.to_owned()),
            user_code: true,
            ..StackFrame::default()
        };
        let stack = |frame| SampledStack {
            node: NodeId(1),
            frames: vec![FrameId(frame)],
            on_work: 1.4,
            on_span: 0.7,
        };
        profile.samples = Some(Samples {
            rate: 1_000,
            frames: ["one", "two", "three"].map(frame).to_vec(),
            stacks: (0..3).map(stack).collect(),
            ..Samples::default()
        });
        profile
    }

    #[test]
    fn own_parts_sum_up_to_the_profile_and_to_whole_samples() {
        let profile = sampled();
        let flame = flame_of(&profile);
        let of = |measure| flame.measured(measure);
        assert_eq!(of(FlameMeasure::Work).total(), 1_060_000_000);
        assert_eq!(of(FlameMeasure::Span).total(), 98_000_000);
        // 4.2 of a period.
        let samples = of(FlameMeasure::Samples);
        assert_eq!((samples.total(), &samples.own[3..]), (4, &[1, 2, 1][..]));
        for measure in flame.measures() {
            let measured = of(measure);
            assert_eq!(measured.own.iter().sum::<u64>(), measured.total());
        }
    }

    #[test]
    fn a_time_divides_without_a_rest() {
        let mut profile = sampled();
        profile.tree[1].on_work.local_work = Work::from_nanos(10);
        let work = flame_of(&profile).measured(FlameMeasure::Work);
        // The program, the function around the join, the join, and what stands on it.
        assert_eq!(work.own, [21_400_000, 0, 0, 3, 4, 3]);
    }

    #[test]
    fn a_debt_is_the_callers_and_a_rest_the_programs() {
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
    fn only_what_is_known_is_a_measure() {
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
