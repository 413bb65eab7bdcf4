//! The result of sampling: stacks, and how much of them lies on the work and on the span.

use serde::{Deserialize, Serialize};

use crate::{Estimate, Location, Nanos, NodeId};

/// The samples of a run: each thread's stack, taken at a fixed rate of its processor time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// Requested samples per second of a thread's processor time; 0 if sampling was off.
    pub rate: u32,
    /// Why there are no samples, or what limits them.
    pub note: Option<String>,
    /// The number of samples taken. Late ones stand for several periods; if `None`, each stands for
    /// one.
    #[serde(default)]
    pub taken: Option<u64>,
    /// The distinct frames of all stacks.
    pub frames: Vec<StackFrame>,
    /// The distinct stacks.
    pub stacks: Vec<SampledStack>,
    /// The stack of each site at the moment it was first reached, innermost first, down to where
    /// the task began: this is how the stacks of its tasks continue. Empty if none was taken.
    #[serde(default)]
    pub around_sites: Vec<Vec<FrameId>>,
    /// The distinct stacks of threads while they ran no strand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<OutsideStack>,
}

impl Samples {
    /// The number of periods of the rate that a sample stands for, on average.
    pub(crate) fn periods_per_sample(&self) -> f64 {
        let periods: f64 = self.stacks.iter().map(|stack| stack.on_work).sum();
        match self.taken {
            Some(taken) if taken > 0 => (periods / taken as f64).max(1.0),
            _ => 1.0,
        }
    }
}

/// Index of a [`StackFrame`] in [`Samples::frames`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FrameId(pub u32);

impl FrameId {
    /// The index, for slices.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A function on a stack, and the place in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StackFrame {
    /// The function's readable name; `None` if symbols do not give one.
    pub function: Option<String>,
    /// The line that was running, or from which the next inner frame was called.
    pub location: Option<Location>,
    /// Where the function is defined.
    pub definition: Option<Location>,
    /// Whether the function was inlined into that of the next outer frame.
    pub inlined: bool,
    /// Whether it is the user's code: outside the standard library, rayon and foreign libraries.
    pub user_code: bool,
    /// Whether samples were taken at an atomic instruction of it, which is the innermost frame.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_atomic: bool,
    /// Whether samples were taken there where a loop waits for another thread, by an instruction for
    /// that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spins: bool,
}

/// The innermost frame of the program on a stack, or if there is none, that of a library outside
/// rayon and the standard library.
pub(crate) fn programs_frame<'a>(
    frames: impl Iterator<Item = &'a StackFrame> + Clone,
) -> Option<&'a StackFrame> {
    let user = frames.filter(|frame| frame.user_code);
    let is_own = |frame: &&StackFrame| {
        let location = frame.location.as_ref();
        location.is_some_and(|location| !location.is_downloaded())
    };
    let has_line = |frame: &&StackFrame| frame.location.is_some();
    let of_any = || user.clone().find(has_line);
    (user.clone().find(is_own).or_else(of_any)).or_else(|| user.clone().next())
}

/// A stack, and how often it was seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampledStack {
    /// The node of the call tree whose strand ran; the stack continues at the node's spawn sites.
    pub node: NodeId,
    /// The frames, from the innermost to the one in which the task began.
    pub frames: Vec<FrameId>,
    /// The samples, each counted with the number of periods that it stands for.
    pub on_work: f64,
    /// The part of them that lies on the critical path.
    pub on_span: f64,
    /// The periods of elapsed time that they stand for: those of the work, divided by the number of
    /// strands that ran at that moment. A strand that waits runs, unless the engine notes the wait
    /// (futexes and sleep). 0 for all stacks of an older profile.
    #[serde(default)]
    pub elapsed: f64,
    /// Which thread the previous sample at the cache line of each came from.
    #[serde(default, skip_serializing_if = "LineUse::is_unknown")]
    pub line: LineUse,
}

/// Which thread the previous sample at the cache line of an atomic instruction came from.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum LineUse {
    /// It is not known, or there is no such instruction.
    #[default]
    Unknown,
    /// That of this sample.
    Own,
    /// Another one, at the word of this sample.
    Shared,
    /// Another one, at another word.
    Apart,
}

impl LineUse {
    const fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }
}

impl SampledStack {
    /// For how many periods in all `threads` threads had no strand while this ran (blame shifting,
    /// Tallent and Mellor-Crummey 2009).
    pub(crate) fn idle_meanwhile(&self, threads: u32) -> f64 {
        (f64::from(threads) * self.elapsed - self.on_work).max(0.0)
    }
}

/// The two-sided 95% quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Samples, as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct SampleSize {
    /// How many
    pub samples: f64,
    // (Σw)²/Σw² (Kish, *Survey Sampling*, 1965).
    /// How many samples of equal weight say as much: what intervals are computed with
    #[serde(rename = "effective_samples")]
    pub effective: f64,
    /// The time that they stand for, in nanoseconds: the work without its waits, of the sites that have
    /// samples
    #[serde(rename = "time_amount", serialize_with = "Nanos::serialize_shown")]
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub time: Nanos,
}

/// A part of some samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct SampleShare {
    /// How many samples
    pub samples: f64,
    /// Their share of the time
    #[serde(flatten, with = "ShareKeys")]
    pub share: Estimate<f64>,
    /// The time, in nanoseconds
    #[serde(rename = "time_amount", serialize_with = "Nanos::serialize_shown")]
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub time: Nanos,
}

/// The share of samples, by its names in JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(remote = "Estimate<f64>")]
struct ShareKeys {
    /// Share of the time. The samples of a site stand for that site's time in equal parts
    #[serde(rename = "share")]
    value: f64,
    /// Lower end of the share's confidence interval of 95% (Wilson)
    #[serde(rename = "lower")]
    low: f64,
    /// Its upper end
    #[serde(rename = "upper")]
    high: f64,
}

/// The weight of samples: their number, and the time in nanoseconds that they stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SampleWeight {
    pub(crate) samples: f64,
    pub(crate) nanos: f64,
}

impl SampleWeight {
    pub(crate) fn add(&mut self, other: Self) {
        self.samples += other.samples;
        self.nanos += other.nanos;
    }
}

impl SampleSize {
    /// The size of samples that are grouped by the time that each of them stands for.
    pub(crate) fn new(groups: impl IntoIterator<Item = SampleWeight>) -> Self {
        let (mut samples, mut nanos, mut squares) = (0.0, 0.0, 0.0);
        for group in groups {
            if group.samples > 0.0 {
                samples += group.samples;
                nanos += group.nanos;
                squares += group.nanos * group.nanos / group.samples;
            }
        }
        Self {
            samples,
            effective: if squares > 0.0 {
                nanos * nanos / squares
            } else {
                0.0
            },
            time: Nanos::from_nanos_f64(nanos),
        }
    }

    /// The share of a part of these samples.
    pub(crate) fn share(self, part: SampleWeight) -> SampleShare {
        if self.effective <= 0.0 || self.time <= Nanos::ZERO {
            return SampleShare {
                samples: part.samples,
                share: Estimate {
                    high: 1.0,
                    ..Estimate::default()
                },
                time: Nanos::ZERO,
            };
        }
        let share = (part.nanos / self.time.as_nanos() as f64).clamp(0.0, 1.0);
        SampleShare {
            samples: part.samples,
            share: wilson(share, self.effective),
            time: Nanos::from_nanos_f64(part.nanos),
        }
    }
}

/// The 95% confidence interval of a share that was seen in `samples` samples (E. B. Wilson,
/// *Probable Inference, the Law of Succession, and Statistical Inference*, JASA 22, 1927):
/// (p + z²/2n ± z √(p(1 - p)/n + z²/4n²)) / (1 + z²/n).
///
/// It assumes that the samples are independent. Those that a timer takes at regular intervals
/// spread more evenly over anything that does not repeat at the timer's rate, so the interval tends
/// to be too wide rather than too narrow.
fn wilson(share: f64, samples: f64) -> Estimate<f64> {
    let z2_n = Z * Z / samples;
    let middle = share + z2_n / 2.0;
    let spread = Z * (share * (1.0 - share) / samples + z2_n / (4.0 * samples)).sqrt();
    let end = |end: f64| (end / (1.0 + z2_n)).clamp(0.0, 1.0);
    // At the ends of the scale, rounding must not leave the share outside.
    Estimate::exactly(share).with([middle - spread, middle + spread].map(end))
}

/// A stack of a thread that ran no strand, and how often it was seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutsideStack {
    /// The frames, from the innermost to the one in which the thread began.
    pub frames: Vec<FrameId>,
    /// The samples, each counted with the number of periods that it stands for.
    pub periods: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_interval(share: f64, samples: f64, lower: f64, upper: f64) {
        let found = wilson(share, samples);
        let close = |one: f64, other: f64| (one - other).abs() < 5e-5;
        assert!(
            close(found.low, lower) && close(found.high, upper),
            "{share} of {samples}: {found:?}"
        );
    }

    #[test]
    fn intervals_computed_by_hand() {
        // z²/n = 0.038415; (0.519207 ± 1.95996 √(0.0025 + 0.000096036)) / 1.038415.
        assert_interval(0.5, 100.0, 0.40383, 0.59617);
        // z²/n = 0.384146; (0.192073 ± 1.95996 √(0.00960365)) / 1.384146: 0 to z²/(n + z²).
        assert_interval(0.0, 10.0, 0.0, 0.27753);
        // z²/n = 0.0096036; (0.624802 ± 1.95996 √(0.000589 + 0.0000060023)) / 1.0096036.
        assert_interval(0.62, 400.0, 0.57151, 0.66622);
        assert_interval(1.0, 10.0, 0.72247, 1.0);
    }

    fn weight(samples: f64, nanos: f64) -> SampleWeight {
        SampleWeight { samples, nanos }
    }

    #[test]
    fn equal_weights_make_the_effective_size_the_number_of_samples() {
        let size = SampleSize::new([weight(30.0, 300.0), weight(70.0, 700.0)]);
        assert_eq!((size.samples, size.effective), (100.0, 100.0));
        let share = size.share(weight(50.0, 500.0));
        assert_eq!((share.samples, share.share.value), (50.0, 0.5));
        assert_eq!(share.time, Nanos::from_nanos(500));
        assert!(
            (share.share.half_width() - 0.09617).abs() < 5e-5,
            "{share:?}"
        );
    }

    #[test]
    fn few_samples_of_much_time_say_little() {
        // (100 + 900)² / (10 · 10² + 10 · 90²) = 10⁶ / 82,000.
        let size = SampleSize::new([weight(10.0, 100.0), weight(10.0, 900.0)]);
        assert!((size.effective - 1e6 / 82e3).abs() < 1e-9, "{size:?}");
        // Time without a sample says nothing.
        assert_eq!(SampleSize::new([weight(0.0, 100.0)]), SampleSize::default());
    }

    #[test]
    fn without_samples_any_share_is_possible() {
        let share = SampleSize::default().share(weight(0.0, 0.0));
        assert_eq!(share.share.ends(), [0.0, 1.0]);
        assert_eq!(share.time, Nanos::ZERO);
    }

    #[test]
    fn more_than_all_is_all() {
        let size = SampleSize::new([weight(3.0, 100.0)]);
        let share = size.share(weight(3.0, 100.000_1));
        assert_eq!((share.share.value, share.share.high), (1.0, 1.0));
    }
}
