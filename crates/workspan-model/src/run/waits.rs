//! What strands waited for in calls of the kernel: futexes, through which locks, channels and
//! parked threads of Rust wait; sleep; input, output and child processes.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::samples::programs_frame;
use crate::{FrameId, Location, Nanos, NodeId, StackFrame};

/// The waits of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Waits {
    /// The distinct frames of all stacks.
    pub frames: Vec<StackFrame>,
    /// What was waited for.
    pub queues: Vec<Queue>,
    /// Where the program restricted threads to fewer processors than they had.
    #[serde(default)]
    pub restrictions: Vec<WaitPlace>,
}

/// One thing that strands waited for: an address, or the end of their sleep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Queue {
    /// Whether they slept.
    pub is_sleep: bool,
    /// What they waited for, where that need not be told by their code.
    #[serde(default)]
    pub awaited: Option<WaitCause>,
    /// For how long at least one thread waited.
    pub any: Nanos,
    /// The part of `any` in which none was woken since one had begun to wait: if it is for a lock,
    /// a thread held it. What a woken thread needs to get a processor is not in it.
    pub unwoken: Nanos,
    /// Where they waited.
    pub waits: Vec<WaitPlace>,
    /// Where threads woke others.
    pub wakes: Vec<WaitPlace>,
}

/// A stack on which threads waited, woke others, or were restricted to some processors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitPlace {
    /// The node of the call tree whose strand ran.
    pub node: NodeId,
    /// The frames, from the innermost to the one in which the task began.
    pub frames: Vec<FrameId>,
    /// How often.
    pub count: u64,
    /// For how long they waited, all together; zero of others.
    pub waited: Nanos,
    /// How many waited still when the profile was written.
    #[serde(default)]
    pub open: u64,
    /// For how long these had waited by then, all together.
    #[serde(default)]
    pub open_waited: Nanos,
}

named! {
    /// What a thread waits for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum WaitCause {
        /// A lock that another thread holds, or an initialisation that another one does.
        Lock = "lock",
        /// What another thread sends, or receives to make room.
        Channel = "channel",
        /// A condition that another thread makes true, as at a barrier.
        Condition = "condition",
        /// Being unparked by another thread.
        Park = "park",
        /// The end of its sleep.
        Sleep = "sleep",
        /// Something to read, or room to write.
        InputOutput = "input_output",
        /// The end of a child process.
        ChildProcess = "child_process",
        /// The parallel runtime, in whose own code it waits.
        Runtime = "runtime",
        /// The end of another thread.
        Thread = "thread",
    }
}

impl WaitCause {
    /// What other threads end by sending, notifying or unparking.
    pub const MESSAGES: [Self; 3] = [Self::Channel, Self::Condition, Self::Park];

    /// What the kernel ends, mostly for what happens outside of the process.
    pub const OUTSIDE: [Self; 2] = [Self::InputOutput, Self::ChildProcess];

    /// Whether it is one of the [messages](Self::MESSAGES).
    pub fn is_message(self) -> bool {
        Self::MESSAGES.contains(&self)
    }
}

/// Parts of the paths of functions that wait, and for what. The first that occurs inside of the
/// user's innermost code tells: channels and conditions lock and park, too.
const CAUSES: [(&str, WaitCause); 12] = [
    ("rayon_core::", WaitCause::Runtime),
    ("std::sync::mpmc::", WaitCause::Channel),
    ("std::sync::mpsc::", WaitCause::Channel),
    ("crossbeam_channel::", WaitCause::Channel),
    ("::condvar::", WaitCause::Condition),
    ("std::sys::sync::mutex::", WaitCause::Lock),
    ("std::sys::sync::rwlock::", WaitCause::Lock),
    ("std::sys::sync::once::", WaitCause::Lock),
    ("parking_lot::raw_", WaitCause::Lock),
    ("parking_lot::", WaitCause::Park),
    ("std::thread::", WaitCause::Park),
    ("thread_parking", WaitCause::Park),
];

/// Whether a function is a channel's, by its path.
pub(crate) fn is_of_channel(function: &str) -> bool {
    let mut channels = CAUSES
        .iter()
        .filter(|(_, cause)| *cause == WaitCause::Channel);
    channels.any(|(part, _)| function.contains(part))
}

/// Crates of locks and channels, which wait on behalf of who uses them.
const CRATES: [&str; 4] = [
    "crossbeam_channel::",
    "lock_api::",
    "parking_lot::",
    "parking_lot_core::",
];

/// Whether a frame is inside of the code that waits for something.
fn is_of_library(frame: &StackFrame) -> bool {
    let name = frame.function.as_deref().unwrap_or_default();
    let name = name.trim_start_matches('<');
    !frame.user_code || CRATES.iter().any(|of_crate| name.starts_with(of_crate))
}

/// Locks of this library wait at an address of the thread's own.
const PARKED_LOCKS: &str = "parking_lot::";

impl Waits {
    /// All places.
    pub(crate) fn places(&self) -> impl Iterator<Item = &WaitPlace> {
        let queues = self.queues.iter();
        let of_queues = queues.flat_map(|queue| queue.waits.iter().chain(&queue.wakes));
        of_queues.chain(&self.restrictions)
    }

    /// What threads wait for at `place` of `queue`; `None` if their code does not show it.
    pub fn cause(&self, queue: &Queue, place: &WaitPlace) -> Option<WaitCause> {
        if queue.is_sleep {
            return Some(WaitCause::Sleep);
        }
        if queue.awaited.is_some() {
            return queue.awaited;
        }
        let library = || self.library(place);
        let causes = CAUSES.iter();
        let found = causes
            .clone()
            .find(|(part, _)| library().any(|name| name.contains(part)));
        found.map(|(_, cause)| *cause)
    }

    /// Whether the lock that is waited for at `place` has an address of its own, and one holder at a
    /// time: readers hold theirs side by side.
    pub(crate) fn has_one_holder(&self, place: &WaitPlace) -> bool {
        let shared = |name: &str| name.starts_with(PARKED_LOCKS) || name.contains("::rwlock::");
        !self.library(place).any(shared)
    }

    /// Whether they wait at `place` while another thread makes something that is made once.
    pub(crate) fn is_initialisation(&self, place: &WaitPlace) -> bool {
        self.library(place)
            .any(|name| name.contains("std::sys::sync::once::"))
    }

    /// Whether they wait at `place` for the threads of `std::thread::scope` to end.
    pub(crate) fn is_for_scope(&self, place: &WaitPlace) -> bool {
        self.library(place)
            .any(|name| name.starts_with("std::thread::scoped::scope"))
    }

    pub(crate) fn frames_of(&self, place: &WaitPlace) -> Vec<&StackFrame> {
        let frames = place.frames.iter();
        frames.map(|id| &self.frames[id.index()]).collect()
    }

    /// The innermost line outside rayon, the standard library and crates of locks and channels.
    pub(crate) fn innermost_line(&self, place: &WaitPlace) -> Option<&Location> {
        let frames = place.frames.iter().map(|id| &self.frames[id.index()]);
        let mut user = frames.filter(|frame| !is_of_library(frame));
        user.find_map(|frame| frame.location.as_ref())
    }

    /// The innermost line of the program on a stack.
    pub(crate) fn user_line(&self, place: &WaitPlace) -> Option<&Location> {
        let frames = place.frames.iter().map(|id| &self.frames[id.index()]);
        programs_frame(frames)?.location.as_ref()
    }

    /// The line that most often ended waits in `queue`.
    pub(crate) fn waker(&self, queue: &Queue) -> Option<&Location> {
        let mut lines: BTreeMap<&Location, u64> = BTreeMap::new();
        for place in &queue.wakes {
            if let Some(line) = self.user_line(place) {
                *lines.entry(line).or_default() += place.count;
            }
        }
        let most = lines.into_iter().max_by_key(|(_, count)| *count)?;
        Some(most.0)
    }

    /// The lines that restricted threads to fewer processors.
    pub(crate) fn restricted_at(&self) -> BTreeSet<&Location> {
        let places = self.restrictions.iter();
        places.filter_map(|place| self.user_line(place)).collect()
    }

    /// The names of the functions inside of the user's innermost code.
    fn library(&self, place: &WaitPlace) -> impl Iterator<Item = &str> {
        let frames = place.frames.iter().map(|id| &self.frames[id.index()]);
        let inner = frames.take_while(|frame| is_of_library(frame));
        inner.filter_map(|frame| frame.function.as_deref())
    }
}
