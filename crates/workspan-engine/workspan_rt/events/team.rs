//! A parallel region, and the barriers in it.

use super::instance::Instance;
use super::task::Task;
use super::worksharing::Loop;
use super::Mistake;
use crate::thread::{with, Thread};
use crate::tree::construct::Construct;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// A parallel region. A handle: clones refer to the same team.
#[derive(Clone)]
pub struct Team(Arc<Inner>);

struct Inner {
    instance: Arc<Instance>,
    encountering: Task,
    spawner: *const Thread,
    has_ended: AtomicBool,
}

// SAFETY: `spawner` is only compared, never followed; every other field is `Send`.
unsafe impl Send for Inner {}
// SAFETY: `spawner` is only compared, never followed; every other field is `Sync`.
unsafe impl Sync for Inner {}

impl Team {
    /// The strand of `task`, which the calling thread runs, ends in a parallel region of `threads`
    /// threads; the task is left until the region's [end](Team::end). `None` with the engine off.
    pub fn begin(task: &Task, construct: &Construct, threads: usize) -> Option<Self> {
        let (instance, spawner) =
            task.begin_instance("a parallel region", construct, Some(threads))?;
        Some(Self(Arc::new(Inner {
            instance,
            encountering: task.clone(),
            spawner,
            has_ended: AtomicBool::new(false),
        })))
    }

    /// The implicit task of one thread, to be entered there. Member 0 belongs to the thread that
    /// began the region.
    pub fn member(&self, index: usize) -> Task {
        let team = &*self.0;
        let mut start = team.instance.start.clone();
        let burden = with(|thread| thread.settings.get().burden);
        if index > 0 {
            start.burdened += burden.unwrap_or(0);
        }
        Task::part_of(team.instance.clone(), start, team.spawner, index > 0)
    }

    /// The strand of `member`, which the calling thread runs, ends at a barrier, possibly the one
    /// at the region's end.
    pub fn arrive(&self, member: &Task) {
        let arrived = member.is_part_of(&self.0.instance);
        if !arrived {
            return Mistake::NotOfTeam.report("a barrier");
        }
        member.leave_for("a barrier", |thread, standing| {
            // SAFETY: `leave_for` calls this while the thread runs the member, so it owns the
            // cells, and passes the frame in which the member's path stands.
            unsafe { self.0.instance.arrive(thread, &member.0, standing) };
        });
    }

    /// The barrier is over for `member`, which continues after the longest of all members and of
    /// the tasks they did not wait for. All have arrived. Does nothing after the region's end.
    pub fn pass(&self, member: &Task) {
        if self.0.has_ended.load(Ordering::Acquire) {
            return;
        }
        if !member.is_part_of(&self.0.instance) {
            return Mistake::NotOfTeam.report("a barrier's end");
        }
        member.enter_again("a barrier's end", |thread, standing| {
            if !member.0.is_at_barrier.load(Ordering::Relaxed) {
                return Mistake::NotOfTeam.report("a barrier's end");
            }
            // SAFETY: `enter_again` has made this thread the owner of the member's cells, and
            // passes the frame in which the member's path stands.
            unsafe { self.0.instance.pass(thread, &member.0, standing) };
        });
    }

    /// The share that `member`, which the calling thread runs, has of the region's worksharing
    /// construct `number`, counted from 0 in the order in which each member reaches them. The
    /// member is left until the [end](Loop::end) of the share.
    pub fn begin_share(&self, member: &Task, number: usize, construct: &Construct) -> Option<Loop> {
        if !member.is_part_of(&self.0.instance) {
            Mistake::NotOfTeam.report("a loop");
            return None;
        }
        Loop::begin_as(member, construct, |edge| {
            self.0.instance.shared(number, edge)
        })
    }

    /// The region is over: the calling thread enters the task that began it again, after the
    /// longest path. All members have arrived at the last barrier or ended.
    pub fn end(&self) {
        if self.0.has_ended.swap(true, Ordering::AcqRel) {
            return Mistake::EndedTwice.report("an end of a parallel region");
        }
        self.0.encountering.end_instance(
            "the end of a parallel region",
            &self.0.instance,
            |thread, parent| self.0.instance.finish(thread, parent),
        );
    }
}
