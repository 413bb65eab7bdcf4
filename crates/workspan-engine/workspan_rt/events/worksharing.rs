//! Pieces of one construct that are parallel to one another: iterations or chunks of a loop,
//! sections.

use super::instance::{Instance, Shared};
use super::task::Task;
use crate::thread::{with, Thread};
use crate::tree::construct::Construct;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// A construct whose pieces may run in parallel, each on any thread.
pub struct Loop {
    instance: Arc<Instance>,
    owner: Task,
    spawner: *const Thread,
    shared: Option<Arc<Shared>>,
    has_pieces: AtomicBool,
}

// SAFETY: `spawner` is only compared, never followed; every other field is `Send`.
unsafe impl Send for Loop {}
// SAFETY: `spawner` is only compared, never followed; every other field is `Sync`.
unsafe impl Sync for Loop {}

impl Loop {
    /// The strand of `task`, which the calling thread runs, ends in the construct; the task is left
    /// until the construct's [end](Loop::end). `None` with the engine off.
    pub fn begin(task: &Task, construct: &Construct) -> Option<Self> {
        let (instance, spawner) = task.begin_instance("a loop", construct, None)?;
        Some(Self {
            instance,
            owner: task.clone(),
            spawner,
            shared: None,
            has_pieces: AtomicBool::new(false),
        })
    }

    /// Begins the share that `task` has of a construct which others share. From the construct's
    /// node, `shared` finds the construct and whether it is new.
    pub(super) fn begin_as(
        task: &Task,
        construct: &Construct,
        shared: impl FnOnce((u32, bool)) -> (Arc<Shared>, bool),
    ) -> Option<Self> {
        let (instance, spawner, shared) = task.begin_share(construct, shared)?;
        Some(Self {
            instance,
            owner: task.clone(),
            spawner,
            shared: Some(shared),
            has_pieces: AtomicBool::new(false),
        })
    }

    /// A piece, to be entered on the thread that runs it, and ended there.
    pub fn piece(&self) -> Task {
        let is_first = !self.has_pieces.swap(true, Ordering::Relaxed);
        let burden = with(|thread| thread.settings.get().burden);
        // The first piece needs no thief.
        let burden = burden.filter(|_| !is_first).unwrap_or(0);
        let start = self.instance.start.burdened_by(burden);
        Task::part_of(self.instance.clone(), start, self.spawner, !is_first)
    }

    /// All pieces have ended: the calling thread enters the construct's task again, after the
    /// longest of them.
    pub fn end(&self) {
        self.owner.end_instance(
            "the end of a loop",
            &self.instance,
            |thread, parent| match &self.shared {
                Some(shared) => self.instance.finish_share(thread, parent, shared),
                None => self.instance.finish(thread, parent),
            },
        );
    }
}
