//! Kinds of strands, and how long those of each are at a node of the call tree.
//!
//! The strands of a recursion are not alike: its leaves may do all of the work, while those before
//! and after its forks do next to nothing. A path goes through one leaf and many of the others, so
//! a [stretch](crate::path::stretch) must not take all for equally long. What a strand is shows in
//! the boundaries at its two ends.
//!
//! How long a kind is comes from strands that were measured, in branches as small as those that
//! become stretches: the first ones of a node, and later one fork in [`SHARE`]. They are measured
//! to their ends, or those kinds would be missing that come on the way back. Single readings of
//! the clock are as imprecise as the strands are short. But a stretch as a whole is measured well,
//! and corrects the kinds together: they are *scaled*.
//!
//! How long each kind is among all strands that are measured, in branches of whatever size, serves to
//! tell apart long ones that the machine has interrupted.

use std::cell::Cell as Plain;

/// How many kinds there are.
pub(crate) const KINDS: usize = 4;

/// The boundary at which a strand of a fork's branch, or of a task, ends.
#[derive(Clone, Copy)]
pub(crate) enum End {
    /// A fork begins.
    Fork,
    /// The branch ends.
    Branch,
}

/// The kind of a strand: before the first fork of a branch or between two, a branch without a fork
/// or what comes after the last one.
#[derive(Clone, Copy)]
pub(crate) struct Kind(usize);

impl Kind {
    #[inline(always)]
    pub(crate) fn of(end: End, begins_branch: bool) -> Self {
        Self(2 * end as usize + usize::from(!begins_branch))
    }

    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..KINDS).map(Self)
    }

    /// Whether a fork begins where it ends.
    #[inline(always)]
    pub(crate) fn ends_at_fork(self) -> bool {
        self.0 / 2 == End::Fork as usize
    }

    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        // The compiler cannot know that there is no other.
        self.0 % KINDS
    }
}

/// Of so many forks in stretches that begin at a node, at least one is measured.
const SHARE: i32 = 1024;

/// The most that [`Kinds::credit`] grows to.
const MOST_CREDIT: i32 = 1024 * SHARE;

/// At most so many strands make up a mean. Later ones replace earlier ones.
const MEMORY: u16 = 256;

/// As many strands of each kind still count after a stretch that they do not explain.
const DOUBTED: u16 = 8;

/// A strand of a longer kind is like the others if it is longer by less than their length divided by
/// the one number, by less than the grain divided by the other, or by less than they are off their
/// mean, times the third.
const ALIKE: i64 = 8;
const ALIKE_OF_GRAIN: i64 = 4;
const SPREADS: i64 = 3;

/// Interruptions take less than the time of a node, the engine's included, divided by this, and the
/// grain times that.
const INTERRUPTED: i64 = 32;
const AT_FIRST: i64 = 5;
/// The grain times this: one that takes longer, a fifth of a millisecond, leaves a trace
/// ([`crate::system::presence`]).
const INTERRUPTION: i64 = 25;

/// How strands that were measured are taken, in ticks.
pub(crate) struct Rules {
    /// What a reading of the clock costs.
    pub(crate) reading: i64,
    /// The length up to which a single measurement says little.
    pub(crate) unsure: i64,
    /// The length up to which strands are tiny.
    pub(crate) grain: i64,
}

/// What a stretch as a whole shows of its strands.
pub(crate) struct Whole {
    /// Ticks that it took, and that its strands were taken to last.
    pub(crate) ticks: i64,
    pub(crate) taken: i64,
    /// What a reading of the clock in each of them would have cost.
    pub(crate) readings: i64,
    /// The share that strands at the node have of what all were taken to last.
    pub(crate) share: f32,
}

impl Whole {
    /// How many times as long as expected the node's strands were, with the readings. The less
    /// they have of the whole, the less it shows of them.
    fn factor(&self) -> f32 {
        let of_all =
            (self.ticks + self.readings) as f32 / (self.taken + self.readings).max(1) as f32;
        1.0 + (of_all - 1.0) * self.share
    }

    /// Whether its strands cannot be as expected.
    fn is_doubtful(&self) -> bool {
        !(0.67..1.5).contains(&self.factor()) && (self.ticks - self.taken).abs() > self.readings
    }
}

/// What one thread knows of the strands at a node. Only for that thread.
#[derive(Clone, Default)]
pub(crate) struct Kinds {
    /// The mean of those measured, in ticks.
    means: [Plain<f32>; KINDS],
    measured: [Plain<u16>; KINDS],
    /// How much longer they are in stretches, less 1.
    scale: Plain<f32>,
    /// The mean of all that were measured, in branches of whatever size, and that of how far each is
    /// off it, in ticks.
    everywhere: [Plain<f32>; KINDS],
    spread: [Plain<f32>; KINDS],
    measured_everywhere: [Plain<u16>; KINDS],
    /// How many forks have been measured, times [`SHARE`], less those that were not.
    credit: Plain<i32>,
    /// Ticks by which tiny strands and stretches took longer than their kinds explain, and those by
    /// which longer strands did. Lengths that vary much are no reason to doubt the tiny ones.
    excess: Plain<i64>,
    long_excess: Plain<i64>,
    /// Whether the last stretch took longer than they explain.
    is_odd: Plain<bool>,
    /// Ticks that the engine spent in stretches.
    spent: Plain<i64>,
}

impl Kinds {
    /// As if strands of all kinds had been measured, all of them of `ticks`.
    pub(crate) fn alike(ticks: i64) -> Self {
        let kinds = Self::default();
        for _ in 0..DOUBTED {
            Kind::all().for_each(|kind| kinds.learn(kind, ticks, 0));
        }
        kinds
    }

    /// Copies `other`.
    pub(crate) fn set(&self, other: &Self) {
        let Self {
            means,
            measured,
            scale,
            everywhere,
            spread,
            measured_everywhere,
            credit,
            excess,
            long_excess,
            is_odd,
            spent,
        } = self;
        for kind in 0..KINDS {
            means[kind].set(other.means[kind].get());
            measured[kind].set(other.measured[kind].get());
            everywhere[kind].set(other.everywhere[kind].get());
            spread[kind].set(other.spread[kind].get());
            measured_everywhere[kind].set(other.measured_everywhere[kind].get());
        }
        scale.set(other.scale.get());
        credit.set(other.credit.get());
        excess.set(other.excess.get());
        long_excess.set(other.long_excess.get());
        is_odd.set(other.is_odd.get());
        spent.set(other.spent.get());
    }

    /// Whether forks are to be measured now, of which the `first` are all measured.
    pub(crate) fn is_due(&self, first: i32) -> bool {
        self.credit.get() < first * SHARE
    }

    /// Learns from a strand that was measured in a branch as small as a stretch.
    pub(crate) fn learn(&self, kind: Kind, ticks: i64, reading: i64) {
        if kind.ends_at_fork() {
            let credit = self.credit.get() + SHARE;
            self.credit.set(credit.min(MOST_CREDIT));
        }
        let kind = kind.index();
        let before = self.measured[kind].get();
        self.measured[kind].set((before + 1).min(MEMORY));
        add_to_mean(&self.means[kind], before, ticks, reading);
    }

    /// Whether `excess`, ticks that tiny strands at the node do not explain, is the program's own
    /// doing, of `all` ticks at the node so far. The machine interrupts any program now and then, too
    /// briefly for the kernel to account for it. That takes little time in all, but there may be some
    /// on each path that is the longest for it.
    pub(crate) fn is_own(&self, excess: i64, grain: i64, all: i64) -> bool {
        self.is_own_beyond(&self.excess, excess, grain, all)
    }

    /// As [`Kinds::is_own`], if there was as much as in `before` so far.
    fn is_own_beyond(&self, before: &Plain<i64>, excess: i64, grain: i64, all: i64) -> bool {
        if excess > INTERRUPTION * grain {
            return true;
        }
        before.set(before.get() + excess);
        before.get() > AT_FIRST * grain + (all + self.spent.get()) / INTERRUPTED
    }

    /// As [`Kinds::is_own`], for what the strands of a stretch do not explain. Two such stretches in a
    /// row are no interruption: the program does something else by now.
    pub(crate) fn is_own_of_stretch(&self, excess: i64, grain: i64, all: i64) -> bool {
        let again = self.is_odd.replace(excess > 0);
        excess > 0 && (self.is_own(excess, grain, all) || again)
    }

    /// Counts ticks that the engine spent in a stretch that began at the node.
    pub(crate) fn spend(&self, ticks: i64) {
        self.spent.set(self.spent.get() + ticks);
    }

    /// What strands of each kind are taken to last, at least 1 tick, if a reading of the clock costs
    /// `reading`; `None` if that is not known.
    pub(crate) fn taken(&self, reading: i64) -> Option<[i64; KINDS]> {
        let estimate = |kind| self.estimate(kind, reading as f32).max(1);
        self.is_known().then(|| std::array::from_fn(estimate))
    }

    fn is_known(&self) -> bool {
        self.measured
            .iter()
            .any(|measured| measured.get() >= DOUBTED)
    }

    /// What a strand of `kind` is taken to last, if that is known.
    pub(crate) fn usual(&self, kind: Kind, reading: i64) -> Option<i64> {
        let kind = kind.index();
        (self.measured[kind].get() >= DOUBTED).then(|| self.estimate(kind, reading as f32))
    }

    /// What a strand of `kind` that was measured as `ticks` is taken to last on the path. A kind
    /// shorter than `unsure` counts as long as it usually is; which of the two it is must not depend
    /// on the measurement, or the longer ones would be chosen. A strand of another kind counts as
    /// measured. But one that is longer than its kind explains counts as usual, unless that is the
    /// program's [own](Kinds::is_own) doing.
    pub(crate) fn on_path(&self, kind: Kind, ticks: i64, rules: &Rules, all: i64) -> i64 {
        let (reading, grain) = (rules.reading, rules.grain);
        let short = self.usual(kind, reading);
        let (usual, most, excess) = match short.filter(|usual| *usual < rules.unsure) {
            Some(usual) => (
                usual,
                most(usual as f32, reading as f32) as i64,
                &self.excess,
            ),
            None => {
                let Some((usual, spread)) = self.usual_everywhere(kind) else {
                    return ticks;
                };
                let alike = (usual / ALIKE)
                    .max(grain / ALIKE_OF_GRAIN)
                    .max(SPREADS * spread);
                if ticks <= usual + alike {
                    return ticks;
                }
                (usual, usual + alike, &self.long_excess)
            }
        };
        if ticks > most && self.is_own_beyond(excess, ticks - usual, grain, all) {
            ticks
        } else {
            usual
        }
    }

    /// Counts a strand that was measured in a branch of whatever size.
    pub(crate) fn learn_everywhere(&self, kind: Kind, ticks: i64, reading: i64) {
        let kind = kind.index();
        let before = self.measured_everywhere[kind].get();
        self.measured_everywhere[kind].set((before + 1).min(MEMORY));
        let off = (ticks - self.everywhere[kind].get() as i64).abs();
        if before > 0 {
            add_to_mean(&self.spread[kind], before - 1, off, reading);
        }
        add_to_mean(&self.everywhere[kind], before, ticks, reading);
    }

    /// What a strand of `kind` lasts in branches of whatever size, and how far one is off that, if
    /// they are known.
    fn usual_everywhere(&self, kind: Kind) -> Option<(i64, i64)> {
        let kind = kind.index();
        let is_known = self.measured_everywhere[kind].get() >= DOUBTED;
        let of = |mean: &Plain<f32>| mean.get() as i64;
        is_known.then(|| (of(&self.everywhere[kind]), of(&self.spread[kind])))
    }

    /// The estimate of a kind, at least 0. A single reading of the clock may be off by about what it
    /// costs, always in the same direction. So the scale is that of the mean plus this cost: what it
    /// corrects is almost a constant for strands that are short against a reading, and a factor for
    /// those that are long.
    fn estimate(&self, kind: usize, reading: f32) -> i64 {
        let mean = match self.measured[kind].get() {
            0 => self.any_mean(),
            _ => self.means[kind].get(),
        };
        let estimate = mean + self.scale.get() * (mean + reading);
        // Rounded, without a call of the math library.
        (estimate.max(0.0) + 0.5) as i64
    }

    /// The mean of all strands measured.
    fn any_mean(&self) -> f32 {
        let (mut sum, mut all) = (0.0, 0.0);
        for (mean, measured) in self.means.iter().zip(&self.measured) {
            let measured = f32::from(measured.get());
            sum += measured * mean.get();
            all += measured;
        }
        if all > 0.0 {
            sum / all
        } else {
            0.0
        }
    }

    /// Learns from a stretch with `forks` forks at the node.
    pub(crate) fn learn_stretch(&self, whole: &Whole, forks: i64, first: i32) {
        let forks = i32::try_from(forks).unwrap_or(i32::MAX);
        let (enough, mut credit) = (first * SHARE, self.credit.get());
        if !whole.is_doubtful() {
            credit = credit.saturating_sub(forks);
        } else {
            // The program may do something else by now, so some forks are measured again.
            credit = credit.min(enough) - forks.min(SHARE) * (SHARE / 4);
            for measured in &self.measured {
                measured.set(measured.get().min(DOUBTED));
            }
        }
        // However long the stretch was, few forks are measured after it.
        self.credit.set(credit.max(enough - 16 * SHARE));
        // An eighth of the way, and a single stretch does not change it much.
        let step = 1.0 + (whole.factor().clamp(0.25, 4.0) - 1.0) / 8.0;
        let scale = (1.0 + self.scale.get()) * step;
        self.scale.set(scale.clamp(0.1, 10.0) - 1.0);
    }
}

/// Adds `ticks` to the `mean` of as many as were measured `before`.
fn add_to_mean(mean: &Plain<f32>, before: u16, ticks: i64, reading: i64) {
    let mut ticks = ticks as f32;
    if before >= DOUBTED {
        // An interruption is no strand of the program.
        ticks = ticks.min(most(mean.get(), reading as f32));
    }
    let count = (before + 1).min(MEMORY);
    mean.set(mean.get() + (ticks - mean.get()) / f32::from(count));
}

/// The most that a strand of a kind is measured to last whose mean is `mean`.
fn most(mean: f32, reading: f32) -> f32 {
    4.0 * (mean.max(0.0) + reading)
}

#[cfg(test)]
mod tests {
    use super::*;

    const READING: i64 = 30;
    const FIRST: i32 = 64;
    const RULES: Rules = Rules {
        reading: READING,
        unsure: 3 * READING,
        grain: 8_000,
    };

    fn kind(kind: usize) -> Kind {
        Kind(kind)
    }

    fn known(lengths: [i64; KINDS]) -> Kinds {
        let kinds = Kinds::default();
        for _ in 0..DOUBTED {
            for (number, length) in lengths.into_iter().enumerate() {
                kinds.learn(kind(number), length, READING);
            }
        }
        kinds
    }

    #[test]
    fn both_ends_determine_a_kind() {
        let kinds = [
            Kind::of(End::Fork, true),
            Kind::of(End::Fork, false),
            Kind::of(End::Branch, true),
            Kind::of(End::Branch, false),
        ];
        assert_eq!(kinds.map(Kind::index), [0, 1, 2, 3]);
    }

    #[test]
    fn each_kind_has_its_own_mean() {
        let kinds = known([5, 0, 500, 7]);
        assert_eq!(kinds.taken(READING), Some([5, 1, 500, 7]));
        assert_eq!(kinds.usual(kind(1), READING), Some(0));
        kinds.learn(kind(2), 509, READING);
        // (8 · 500 + 509) / 9
        assert_eq!(kinds.usual(kind(2), READING), Some(501));
    }

    #[test]
    fn nothing_is_known_of_few_strands() {
        let kinds = Kinds::default();
        kinds.learn(kind(0), 5, READING);
        assert_eq!(kinds.taken(READING), None);
        assert_eq!(kinds.usual(kind(0), READING), None);
    }

    #[test]
    fn a_kind_never_seen_is_like_the_mean_strand() {
        let kinds = Kinds::default();
        for _ in 0..DOUBTED {
            kinds.learn(kind(0), 10, READING);
            kinds.learn(kind(2), 30, READING);
        }
        assert_eq!(kinds.taken(READING), Some([10, 20, 30, 20]));
    }

    #[test]
    fn an_interruption_is_cut_off() {
        let kinds = known([5, 5, 20, 5]);
        kinds.learn(kind(2), 1_000_000, READING);
        // It counts as 4 · (20 + 30): (8 · 20 + 200) / 9.
        assert_eq!(kinds.usual(kind(2), READING), Some(40));
    }

    #[test]
    fn a_short_kind_counts_as_usual_however_long_it_was_measured() {
        let kinds = known([5, 5, 80, 100]);
        let on_path = |number, ticks| kinds.on_path(kind(number), ticks, &RULES, 1_000);
        assert_eq!([on_path(2, 10), on_path(2, 80), on_path(2, 300)], [80; 3]);
        // 4 · (80 + 30). The program is known to have longer strands now and then.
        assert!(kinds.is_own(9 * RULES.grain, RULES.grain, 1_000));
        assert_eq!([on_path(2, 440), on_path(2, 441)], [80, 441]);
        // Longer kinds are as measured.
        assert_eq!([on_path(3, 10), on_path(3, 300)], [10, 300]);
    }

    #[test]
    fn what_takes_little_of_a_nodes_time_is_an_interruption() {
        let kinds = known([5, 5, 80, 1_000]);
        let on_path = |number, ticks, all| kinds.on_path(kind(number), ticks, &RULES, all);
        // Five grains and a 32nd of the time, or more.
        kinds.spend(100_000);
        assert_eq!(on_path(2, 46_080, 92_000), 80);
        assert_eq!(on_path(2, 330, 92_000), 80);
        assert_eq!(on_path(2, 441, 92_000), 441);
    }

    #[test]
    fn a_long_strand_that_is_interrupted_counts_as_usual() {
        let kinds = Kinds::default();
        let on_path = |ticks| kinds.on_path(kind(2), ticks, &RULES, 100_000_000);
        assert_eq!(on_path(90_000), 90_000);
        for _ in 0..DOUBTED {
            kinds.learn_everywhere(kind(2), 80_000, READING);
        }
        // An eighth longer than usual, or more.
        assert_eq!([on_path(10), on_path(90_000)], [10, 90_000]);
        assert_eq!([on_path(90_001), on_path(280_000)], [80_000; 2]);
        // Longer than an interruption.
        assert_eq!(on_path(280_001), 280_001);
    }

    #[test]
    fn two_long_stretches_in_a_row_are_no_interruption() {
        let kinds = known([5, 5, 80, 1_000]);
        let is_own = |excess| kinds.is_own_of_stretch(excess, RULES.grain, 100_000_000);
        assert_eq!(
            [10_000, 0, 10_000, 10_000, 0].map(is_own),
            [false, false, false, true, false]
        );
    }

    #[test]
    fn stretches_correct_short_kinds_by_a_constant_and_long_ones_by_a_factor() {
        let kinds = known([5, 5, 5_000, 5]);
        // Twice as long as expected, readings included, is a step of an eighth.
        let whole = Whole {
            ticks: 2 * 5_015 + 120,
            taken: 5_015,
            readings: 120,
            share: 1.0,
        };
        kinds.learn_stretch(&whole, 1, FIRST);
        // 5 + 35/8, and 5000 + 5030/8
        assert_eq!(kinds.taken(READING), Some([9, 9, 5_629, 9]));
    }

    #[test]
    fn a_node_learns_by_its_share_of_a_stretch() {
        let twice_as_long = |share| Whole {
            ticks: 10_000,
            taken: 5_000,
            readings: 0,
            share,
        };
        let learnt = |share| {
            let kinds = known([1_000; KINDS]);
            kinds.learn_stretch(&twice_as_long(share), 1, FIRST);
            kinds.usual(kind(0), 0)
        };
        assert_eq!(learnt(1.0), Some(1_125));
        assert_eq!(learnt(0.25), Some(1_031));
        assert!(twice_as_long(1.0).is_doubtful() && !twice_as_long(0.25).is_doubtful());
    }

    #[test]
    fn one_fork_in_1024_is_measured() {
        let kinds = Kinds::default();
        let measure = |forks| (0..forks).for_each(|_| kinds.learn(kind(0), 5, READING));
        let whole = Whole {
            ticks: 1_000,
            taken: 1_000,
            readings: 0,
            share: 1.0,
        };
        assert!(kinds.is_due(FIRST));
        measure(FIRST);
        assert!(!kinds.is_due(FIRST));
        kinds.learn_stretch(&whole, 1024, FIRST);
        assert!(kinds.is_due(FIRST));
        measure(1);
        assert!(!kinds.is_due(FIRST));
        measure(1);
        kinds.learn_stretch(&whole, 1024, FIRST);
        assert!(!kinds.is_due(FIRST));
    }

    #[test]
    fn strands_are_measured_again_where_they_have_changed() {
        let kinds = known([5, 5, 5, 5]);
        (0..2 * FIRST).for_each(|_| kinds.learn(kind(0), 5, READING));
        let ten_times_as_long = Whole {
            ticks: 10_000,
            taken: 1_000,
            readings: 500,
            share: 1.0,
        };
        kinds.learn_stretch(&ten_times_as_long, 4, FIRST);
        assert!(kinds.is_due(FIRST));
        // A fork for four that were not.
        kinds.learn(kind(0), 50, READING);
        assert!(!kinds.is_due(FIRST));
    }
}
