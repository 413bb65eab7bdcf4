//! Totals over the whole program.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::run::lock::{LockedPart, most_speedup};
use crate::{Estimate, Nanos, Span, SpeedupLimits, TaskingOverhead, Work};

/// The ends of an interval, as files have them.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Ends<T> {
    lower: T,
    /// An infinite one is written as `null`, which is no number to read.
    upper: Option<T>,
    /// Of a span: whether it is wide enough to matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    is_open: Option<bool>,
}

/// How files have a figure: its value under one key, the ends of its interval under another one.
macro_rules! file_keys {
    ($($keys:ident: $type:ty, $value:literal, $ends:literal, $no_limit:expr $(, $is_wide:path)?;)+) => {$(
        mod $keys {
            use super::*;

            #[derive(Default, Serialize, Deserialize)]
            #[serde(default)]
            struct Keys {
                #[serde(rename = $value)]
                value: $type,
                #[serde(rename = $ends)]
                ends: Ends<$type>,
            }

            pub(super) fn serialize<S: Serializer>(
                &figure: &Estimate<$type>,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                let ends = Ends {
                    lower: figure.low,
                    upper: Some(figure.high),
                    is_open: None$(.or(Some($is_wide(figure))))?,
                };
                let value = figure.value;
                Keys { value, ends }.serialize(serializer)
            }

            pub(super) fn deserialize<'de, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Estimate<$type>, D::Error> {
                let Keys { value, ends } = Keys::deserialize(deserializer)?;
                let (low, high) = (ends.lower, ends.upper.unwrap_or($no_limit));
                Ok(Estimate { value, low, high })
            }
        }
    )+};
}

file_keys! {
    span_keys: Span, "span", "span_interval", Span::ZERO, Estimate::<Span>::is_wide;
    burdened_span_keys:
        Span, "burdened_span", "burdened_span_interval", Span::ZERO, Estimate::<Span>::is_wide;
    parallelism_keys: f64, "parallelism", "parallelism_interval", f64::INFINITY;
    burdened_parallelism_keys:
        f64, "burdened_parallelism", "burdened_parallelism_interval", f64::INFINITY;
}

/// Totals over the whole program: the quantities of Cilkview's report (Fig. 6), and more from the
/// runtime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Totals {
    /// Work T₁.
    pub work: Work,
    /// Span T∞; just the span itself if every strand was timed separately.
    #[serde(flatten, with = "span_keys")]
    pub span: Estimate<Span>,
    /// Burdened span T̂∞.
    #[serde(flatten, with = "burdened_span_keys")]
    pub burdened_span: Estimate<Span>,
    /// H: the total time for which the lock that was held longest was held
    /// ([`Lock::held`](crate::Lock::held)).
    pub locked: Work,
    /// T₁/T∞; 1 for a program without span.
    #[serde(flatten, with = "parallelism_keys")]
    pub parallelism: Estimate<f64>,
    /// T₁/T̂∞; 1 for a program without span.
    #[serde(flatten, with = "burdened_parallelism_keys")]
    pub burdened_parallelism: Estimate<f64>,
    /// The share of the work that was timed in shared stretches.
    pub shared_share: f64,
    /// Tasks created.
    pub spawns: u64,
    /// Waits for tasks.
    pub syncs: u64,
    /// Work per maximal strand.
    pub average_strand: Nanos,
    /// Cost of creating and scheduling tasks.
    pub tasking_overhead: TaskingOverhead,
    /// Time that strands spent in voluntary waits; part of the work.
    pub blocked: Nanos,
    /// Tasks that ran on another thread than their spawner.
    pub stolen: u64,
    /// Instances of parallel constructs.
    pub constructs: u64,
    /// From the start of the process to the writing of the profile.
    pub elapsed: Nanos,
}

impl Totals {
    /// The greatest possible speedup, whatever the number of cores: T₁/max(T∞, H), by the span law
    /// (Cilkview §2, inequality 4) and by the lock that is held for H
    /// ([`Lock::held`](crate::Lock::held)).
    pub fn most_speedup(&self) -> Estimate<f64> {
        let locked = LockedPart::exactly(self.locked).most_speedup(self.work);
        self.parallelism.at_most(locked)
    }

    /// The parallelism that remains with the runtime's costs and locks: T₁/(T̂∞ + H). While threads
    /// wait for the lock that is held for H, one of them works under it. So greedy scheduling takes
    /// at most T₁/P + T∞ + H, if no other lock is waited for.
    pub fn burdened_bound(&self) -> Estimate<f64> {
        let locked = LockedPart::exactly(self.locked).most_speedup(self.work);
        self.burdened_parallelism.in_series_with(locked)
    }

    /// What bounds the speedup, without regard to phases.
    pub fn speedup_limits(&self) -> SpeedupLimits {
        SpeedupLimits::new(self.most_speedup(), self.burdened_bound())
    }

    /// T₁/H; infinite for a program without locks.
    pub fn most_speedup_by_locks(&self) -> f64 {
        most_speedup(self.work, self.locked)
    }
}
