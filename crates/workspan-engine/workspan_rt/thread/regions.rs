//! The regions of a thread.

use crate::path::executed::Executed;
use crate::path::frame::Frame;
use crate::system::message;
use crate::tree::Place;
use std::collections::{HashMap, VecDeque};
use std::ops::AddAssign;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

/// The regions of a thread.
#[derive(Default)]
pub(crate) struct Regions {
    /// Those that are running, in the order in which they began. Their frames are alive.
    pub(crate) open: Vec<Open>,
    /// Those that have ended, in the order of their ends; not all, if a node had too many.
    ended: Vec<Instance>,
    /// By node: the sum over what has ended.
    sums: HashMap<u32, Sum>,
    /// The last regions that ended with what was around them: their tokens, and their names and
    /// places.
    cut: VecDeque<(u64, String)>,
    last_token: u64,
}

/// How many regions that ended with what was around them are remembered.
const CUT: usize = 16;

/// All tokens up to this one have been given to threads.
static FIRST_TOKEN: AtomicU64 = AtomicU64::new(0);

/// How many tokens a thread is given at once.
const TOKENS: u64 = 1 << 40;

/// A region that is running.
pub(crate) struct Open {
    pub(crate) token: u64,
    pub(crate) key: u64,
    pub(crate) place: (String, Place),
    pub(crate) frame: *mut Frame,
    pub(crate) start: i64,
    pub(crate) begun: Standing,
    /// Where it stood before it was last interrupted, and the part of that which no outer instance
    /// of the region contained.
    pub(crate) before: Standing,
    pub(crate) top_before: Standing,
}

/// Lengths of a path in ticks, and what was done.
#[derive(Clone, Copy, Default)]
pub(crate) struct Standing {
    pub(crate) depth: i64,
    pub(crate) burdened: i64,
    pub(crate) open: i64,
    pub(crate) executed: Executed,
}

impl Standing {
    pub(crate) fn of(frame: &Frame) -> Self {
        Self {
            depth: frame.depth,
            burdened: frame.burdened(),
            open: frame.open.get(),
            executed: frame.executed,
        }
    }

    /// This, and what lies between `begin` and `end`.
    pub(crate) fn and(self, begin: Self, end: Self) -> Self {
        let mut executed = end.executed - begin.executed;
        executed += self.executed;
        Self {
            depth: self.depth + end.depth - begin.depth,
            burdened: self.burdened + end.burdened - begin.burdened,
            open: self.open + end.open - begin.open,
            executed,
        }
    }
}

/// An instance that has ended. Lengths are in ticks; `start` and `end` are moments
/// (`constructs/region.rs`).
#[derive(Clone, Copy)]
pub(crate) struct Instance {
    pub(crate) node: u32,
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) span: i64,
    pub(crate) burdened: i64,
    pub(crate) open: i64,
    pub(crate) executed: Executed,
}

/// All instances of a node that have ended.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sum {
    count: u64,
    /// For those that no outer instance of the region contained: ticks of their burdened paths, and
    /// how uncertain (`open`) these are.
    pub(crate) top_burdened: i64,
    pub(crate) top_open: i64,
    /// What was done in those.
    pub(crate) top_executed: Executed,
}

impl AddAssign for Sum {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.top_burdened += other.top_burdened;
        self.top_open += other.top_open;
        self.top_executed += other.top_executed;
    }
}

impl Regions {
    pub(crate) fn sums(&self) -> &HashMap<u32, Sum> {
        &self.sums
    }

    pub(crate) fn ended(&self) -> &[Instance] {
        &self.ended
    }

    /// A number that no other region of the process has.
    pub(crate) fn next_token(&mut self) -> u64 {
        if self.last_token % TOKENS == 0 {
            // Relaxed: nothing but the number is communicated.
            self.last_token = FIRST_TOKEN.fetch_add(TOKENS, Ordering::Relaxed);
        }
        self.last_token += 1;
        self.last_token
    }

    /// Reports that the region of `token`, which is to end, is not open here.
    #[cold]
    pub(crate) fn report(&self, token: u64) {
        match self.cut.iter().find(|(cut, _)| *cut == token) {
            Some((_, region)) => message::say(format_args!(
                "the region {region} ends after what was around it: it has ended with that"
            )),
            None => message::say(format_args!(
                "a region ends on a thread that has not begun it, or ends again: nothing ends"
            )),
        }
    }

    pub(crate) fn keep(&mut self, instance: Instance, top: Standing, most: u64) {
        let sum = self.sums.entry(instance.node).or_default();
        if sum.count < most {
            self.ended.push(instance);
        }
        *sum += Sum {
            count: 1,
            top_burdened: top.burdened,
            top_open: top.open,
            top_executed: top.executed,
        };
    }

    /// Forgets the region of `frame`, which ends with what is around it, or in
    /// [`end`](crate::constructs::region::end).
    pub(crate) fn forget(&mut self, frame: *const Frame) {
        let at = (self.open.iter()).rposition(|open| ptr::eq(open.frame, frame));
        if let Some(at) = at {
            let Open { token, place, .. } = self.open.remove(at);
            let (name, Place { file, line, .. }) = place;
            self.cut.truncate(CUT - 1);
            self.cut
                .push_front((token, format!("`{name}` of {file}:{line}")));
        }
    }
}
