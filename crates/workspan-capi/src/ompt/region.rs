//! What is kept with a parallel region.

use workspan_rt::events::{At, Construct, Loop, Task, Team};
use workspan_rt::Kind;

/// A parallel region, or a league of teams.
pub(super) struct Region {
    team: Team,
    code: usize,
}

impl Region {
    /// `task`, which the calling thread runs, comes upon a region for so many threads.
    pub fn begin(task: &Task, code: usize, threads: usize) -> Option<Self> {
        let construct = Construct {
            kind: Kind::Parallel,
            at: At::Code(code),
        };
        Team::begin(task, &construct, threads).map(|team| Self { team, code })
    }

    /// The code that has begun it.
    pub fn code(&self) -> usize {
        self.code
    }

    /// The implicit task of a number.
    pub fn member(&self, index: usize) -> Task {
        self.team.member(index)
    }

    /// The share that an implicit task has of the region's worksharing construct of a number.
    pub fn begin_share(
        &self,
        member: &Task,
        number: usize,
        construct: &Construct<'_>,
    ) -> Option<Loop> {
        self.team.begin_share(member, number, construct)
    }

    /// An implicit task comes to a barrier.
    pub fn arrive(&self, member: &Task) {
        self.team.arrive(member);
    }

    /// An implicit task goes on after a barrier.
    pub fn pass(&self, member: &Task) {
        self.team.pass(member);
    }

    /// All implicit tasks have come to the barrier at the end, and all tasks have ended.
    pub fn end(self) {
        self.team.end();
    }
}
