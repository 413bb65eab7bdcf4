//! What is kept with a parallel region.

use std::sync::atomic::{AtomicU64, Ordering};

use workspan_rt::events::{At, Construct, Loop, Task, Team};
use workspan_rt::Kind;

/// A parallel region, or a league of teams.
pub(super) struct Region {
    team: Team,
    code: usize,
    /// Of one inside another: tells it from all others.
    number: Option<u64>,
}

/// How many regions have begun inside others.
static INNER: AtomicU64 = AtomicU64::new(0);

impl Region {
    /// `task`, which the calling thread runs, comes upon a region for so many threads, perhaps inside another.
    pub fn begin(task: &Task, code: usize, threads: usize, is_inner: bool) -> Option<Self> {
        let construct = Construct {
            kind: Kind::Parallel,
            at: At::Code(code),
        };
        let team = Team::begin(task, &construct, threads)?;
        // Addresses of the program are below.
        let number = || u64::MAX - INNER.fetch_add(1, Ordering::Relaxed);
        Some(Self {
            team,
            code,
            number: is_inner.then(number),
        })
    }

    /// Of one inside another a number that no other has. Regions of the initial task follow one another.
    pub fn inner_number(&self) -> Option<u64> {
        self.number
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
