//! How closely the strands were timed.

use serde::{Deserialize, Serialize};

use crate::{Nanos, Work};

/// How closely the strands were timed, and how uncertain that makes the span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// Where the clock was read.
    pub kind: TimingKind,
    /// How far the true span may be from the one given, on either side.
    pub span_open: Nanos,
    /// How far the true burdened span may be from the one given, on either side.
    pub burdened_span_open: Nanos,
    /// The part of the work that was timed in shared stretches.
    pub shared_work: Work,
}

named! {
    /// Where the clock was read.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum TimingKind {
        /// At every boundary between strands.
        #[default]
        Exact = "exact",
        /// Around subtrees of tiny tasks, whose time is divided evenly among their strands.
        Shared = "shared",
    }
}
