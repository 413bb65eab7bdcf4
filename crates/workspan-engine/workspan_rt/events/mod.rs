//! For runtimes that report what they do by calls, instead of letting closures be wrapped: OpenMP's
//! tools interface, a compiler's hooks, the C API.
//!
//! * [`Task`]: a task spawned by the running one. Any thread may *enter* it (begin or resume it),
//!   *leave* it (suspend it) and end it.
//! * [`Team`]: a parallel region, whose members wait for one another at barriers.
//! * [`Gathering`]: tasks that are awaited together, whoever spawned them.
//! * [`Loop`]: pieces that are parallel to one another (a loop's chunks, sections), on whatever
//!   thread they run.
//! * [`acquired`] and [`released`]: locks, which threads hold one after another.
//!
//! Nothing is assumed about the order in which threads come to run things: a task's frame is on the
//! heap, its path is a chain (`path/segment.rs`) from its spawn on, and whoever awaits it continues
//! after the longest path. So the graph need not be series-parallel: a task may also follow others
//! ([`Task::follow`]).
//!
//! Calls may come in any order. One that does not fit has no effect but a message, once for each
//! kind of mistake. A task's data belong to the thread on which it is entered. A thread enters a
//! task by a compare-and-swap of its state, so only one does at a time.

mod block;
mod cost;
mod entered;
mod gathering;
mod hub;
mod instance;
pub(crate) mod lock;
mod point;
mod recorded;
mod region;
mod scope;
mod start;
mod task;
mod team;
mod worksharing;

pub use crate::tree::construct::{At, Construct};
pub use gathering::Gathering;
pub use lock::{acquire, acquired, released, renewed};
pub use task::Task;
pub use team::Team;
pub use worksharing::Loop;

pub use cost::{calibrate_once, Workload};

use crate::system::message;
use crate::thread::with;
use std::sync::atomic::{AtomicU32, Ordering};

/// A call that does not fit what came before.
#[derive(Clone, Copy)]
#[repr(u32)]
pub(crate) enum Mistake {
    NotEntered = 1,
    EnteredTwice = 2,
    ScopeNotBegun = 4,
    NotOfTeam = 8,
    EndedTwice = 16,
    ThreadBusy = 32,
    OfOtherThread = 64,
}

static SAID: AtomicU32 = AtomicU32::new(0);

impl Mistake {
    /// Reports what went wrong, unless that kind of mistake was reported before.
    #[cold]
    pub(crate) fn report(self, what: &str) {
        if SAID.fetch_or(self as u32, Ordering::Relaxed) & self as u32 != 0 {
            return;
        }
        let problem = match self {
            Self::NotEntered => "that the thread does not run",
            Self::EnteredTwice => "that runs already, or has ended",
            Self::ScopeNotBegun => "that has no scope open",
            Self::NotOfTeam => "that is no member of the team, or not at a barrier",
            Self::EndedTwice => "that has ended before",
            Self::ThreadBusy => "while the thread runs another",
            Self::OfOtherThread => "that another thread is to go on with",
        };
        message::say(format_args!(
            "the runtime's interface told of {what} of a task {problem}; the call is left out of the profile"
        ));
    }
}

/// The calling thread begins to wait for something other than its own tasks, such as a lock: no
/// work until [`pause_end`].
pub fn pause_begin() {
    with(|thread| {
        if thread.is_running() {
            thread.end_ordinary_strand();
        }
    });
}

/// The wait that [`pause_begin`] began is over.
pub fn pause_end() {
    with(|thread| {
        if !thread.present().is_null() && !thread.is_running() {
            thread.start_strand_after_wait();
        }
    });
}
