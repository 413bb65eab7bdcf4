//! Which scheduler is simulated.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A scheduler that steals work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scheduler {
    /// Rayon's: who spawns goes on and offers the task. Who waits in a sync runs other tasks meanwhile, on top of its stack,
    /// and goes on when what it waits for has ended and what it took up meanwhile, too.
    #[default]
    Rayon,
    /// Cilk's: who spawns runs the task and offers its own continuation. The last to arrive at a sync goes on there.
    Cilk,
}

/// There is no scheduler of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no scheduler `{0}`: `rayon` and `cilk` are known")]
pub struct UnknownScheduler(String);

impl Scheduler {
    /// Each of them.
    pub const ALL: [Self; 2] = [Self::Rayon, Self::Cilk];

    /// The name that files and options use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rayon => "rayon",
            Self::Cilk => "cilk",
        }
    }
}

impl FromStr for Scheduler {
    type Err = UnknownScheduler;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|one| one.name() == text);
        found.ok_or_else(|| UnknownScheduler(text.to_owned()))
    }
}
