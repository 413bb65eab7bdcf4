//! What is summed up of a call site: over which executions, and how recursion counts.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Span, Work, parallelism};

/// Over which executions of a call site figures are summed up (Cilkprof §2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum On {
    /// Over all of them: the on-work profile.
    Work,
    /// Over those on the critical path: the on-span profile.
    Span,
}

impl On {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Work, Self::Span];

    /// The name that options and files use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Work => "work",
            Self::Span => "span",
        }
    }
}

/// Which executions of a call site count, and what of them, so that recursion counts nothing twice (Cilkprof §6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeasureKind {
    /// Whole executions with no outer execution of the same call site: says how parallel the site is.
    TopCallSite,
    /// Of these, those made by the outermost execution of the function around the site: compares the sites of one
    /// function.
    TopCaller,
    /// Every execution, without what it calls: says where the time goes.
    Local,
}

impl MeasureKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::TopCallSite, Self::TopCaller, Self::Local];

    /// The name that options and reports use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TopCallSite => "top-call-site",
            Self::TopCaller => "top-caller",
            Self::Local => "local",
        }
    }
}

impl fmt::Display for MeasureKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// A measure of a call site: sums over a set of its executions. What the profile does not tell is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Measure {
    /// How many executions.
    pub count: Option<u64>,
    /// The sum of their works.
    pub work: Option<Work>,
    /// The sum of their spans.
    pub span: Option<Span>,
    /// `work / span`; `None` too when there is no span to divide by.
    pub parallelism: Option<f64>,
}

impl Measure {
    /// The measure of these sums.
    pub fn of(count: Option<u64>, work: Option<Work>, span: Option<Span>) -> Self {
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
