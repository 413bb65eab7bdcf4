//! Sums over the executions of a call site: which executions, and how recursion counts.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Span, Work, parallelism};

named! {
    /// The executions of a call site over which figures are summed (Cilkprof §2).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum On {
        /// All of them: the on-work profile.
        Work = "work",
        /// Those on the critical path: the on-span profile.
        Span = "span",
    }
}

named! {
    /// Which executions of a call site count, and which part of each, so that recursion counts
    /// nothing twice (Cilkprof §6).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum MeasureKind {
        /// Whole executions with no outer execution of the same call site: how parallel the site
        /// is.
        TopCallSite = "top-call-site",
        /// Of these, those made by the outermost execution of the function around the site: for
        /// comparing the sites of one function.
        TopCaller = "top-caller",
        /// Every execution, without what it calls: where the time goes.
        Local = "local",
    }
}

impl fmt::Display for MeasureKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// A measure of a call site: sums over a set of its executions. `None` is what the profile does not
/// record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Measure {
    /// The number of executions.
    pub count: Option<u64>,
    /// The sum of their work.
    pub work: Option<Work>,
    /// The sum of their spans.
    pub span: Option<Span>,
    /// `work / span`; also `None` if there is no span to divide by.
    pub parallelism: Option<f64>,
}

impl Measure {
    /// A measure with these sums.
    pub fn new(count: Option<u64>, work: Option<Work>, span: Option<Span>) -> Self {
        Self {
            count,
            work,
            span,
            parallelism: work
                .zip(span)
                .and_then(|(work, span)| parallelism(work, span)),
        }
    }
}
