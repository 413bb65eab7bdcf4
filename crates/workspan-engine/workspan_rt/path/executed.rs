//! What was done in an instance, on its longest path or off it.

use std::ops::{AddAssign, Sub};

/// The sum over all strands and constructs of an instance, and over those that it awaits.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Executed {
    /// Ticks of strands.
    pub(crate) work: i64,
    /// Tasks created.
    pub(crate) spawns: i64,
    /// Waits for tasks.
    pub(crate) syncs: i64,
}

impl Executed {
    /// Adds `forks` forks, each of which creates one task and waits for it.
    #[inline(always)]
    pub(crate) fn add_forks(&mut self, forks: i64) {
        self.spawns += forks;
        self.syncs += forks;
    }
}

impl AddAssign for Executed {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.work += other.work;
        self.spawns += other.spawns;
        self.syncs += other.syncs;
    }
}

impl Sub for Executed {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            work: self.work - other.work,
            spawns: self.spawns - other.spawns,
            syncs: self.syncs - other.syncs,
        }
    }
}
