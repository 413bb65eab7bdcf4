//! Which scheduler is simulated.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

named! {
    /// A scheduler that steals work.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Scheduler {
        /// Rayon's. A worker that spawns continues and offers the task to thieves. A worker that
        /// waits in a sync runs other tasks on top of its stack meanwhile. It continues when both
        /// what it waits for and what it took up meanwhile have ended.
        #[default]
        Rayon = "rayon",
        /// Cilk's. A worker that spawns runs the task and offers its own continuation to thieves.
        /// The last worker to arrive at a sync continues there.
        Cilk = "cilk",
    }
}

/// There is no scheduler of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no scheduler `{0}`: `rayon` and `cilk` are known")]
pub struct UnknownScheduler(String);

impl FromStr for Scheduler {
    type Err = UnknownScheduler;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|one| one.name() == text);
        found.ok_or_else(|| UnknownScheduler(text.to_owned()))
    }
}
