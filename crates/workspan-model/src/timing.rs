//! How closely the strands were timed.

use serde::{Deserialize, Serialize};

use crate::{Nanos, Work};

/// How closely the strands were timed, and how far that leaves the span open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// Where the clock was read.
    pub kind: TimingKind,
    /// How far the true span may lie from the one given, on either side.
    pub span_open: Nanos,
    /// How far the true burdened span may lie from the one given, on either side.
    pub burdened_span_open: Nanos,
    /// The part of the work that was timed in shared stretches.
    pub shared_work: Work,
}

/// Where the clock was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimingKind {
    /// At every boundary between strands.
    #[default]
    Exact,
    /// Around subtrees of tiny tasks, whose time is shared evenly among their strands.
    Shared,
}

impl TimingKind {
    /// The name that reports and files use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Shared => "shared",
        }
    }
}
