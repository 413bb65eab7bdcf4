//! The result of sampling: stacks, and how much of them lies on the work and on the span.

use serde::{Deserialize, Serialize};

use crate::{Location, NodeId};

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
}
