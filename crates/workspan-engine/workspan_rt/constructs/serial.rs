//! Instances that run in place, on the path of the strand that enters them: calls of functions,
//! named regions.
//!
//! Such an instance has a frame of its own; its caller's frame is blocked meanwhile, as for a
//! branch of a fork. Whoever enters the instance leaves it, on the same thread. If nobody does,
//! because of a panic or a forgotten guard, it ends with the branch or task around it
//! ([`Thread::come_back_to`]).

use crate::path::beginning::Beginning;
use crate::path::frame::{Frame, Role};
use crate::path::open_frames::open_from;
use crate::record::Item;
use crate::thread::Thread;
use crate::tree::Edge;
use std::ptr;
use std::sync::atomic::Ordering;

/// Begins an instance at the node that `edge` leads to, after the strand that `thread` has just
/// ended. The instance's frame is the present one from here on.
pub(crate) fn enter(thread: &Thread, edge: Edge) -> *mut Frame {
    thread.cell(edge.node).count.add(1);
    begin(thread, edge)
}

/// [`enter`] for an instance that was interrupted and continues.
pub(crate) fn enter_again(thread: &Thread, edge: Edge) -> *mut Frame {
    let frame = begin(thread, edge);
    // SAFETY: `begin` has just put the frame into a place of its own, and nobody else refers to it.
    unsafe { (*frame).begin_again() };
    frame
}

fn begin(thread: &Thread, edge: Edge) -> *mut Frame {
    let parent = thread.frame();
    // SAFETY: the parent is this thread's present frame, in place and blocked until the instance
    // ends, which frees the new one (`Thread::come_back_to`).
    let mut frame = unsafe { Frame::after(parent, edge.node, 0) };
    frame.role = Role::Serial;
    frame.top = edge.top;
    if thread.records() {
        // What is in the instance is not merged with what precedes it.
        // SAFETY: the parent is this thread's present frame, so it is alive, and nobody else writes
        // it.
        let begin = thread.record_begin(unsafe { &*parent }, Item::Nothing);
        frame.recorded = begin.position;
    }
    let frame = thread.spare_frames.place(frame);
    thread.frame.store(frame, Ordering::Relaxed);
    frame
}

/// Does the instance of `frame`, which has not ended, belong to the present branch? It is the
/// innermost or contains it.
pub(crate) fn is_running(thread: &Thread, frame: *mut Frame) -> bool {
    let mut here = thread.present();
    while !here.is_null() && !ptr::eq(here, frame) {
        // SAFETY: the present frame of a thread and its parents are alive, and what is read never
        // changes.
        let (role, parent) = unsafe { ((*here).role, (*here).parent) };
        if role == Role::Branch {
            return false;
        }
        here = parent.cast_mut();
    }
    !here.is_null()
}

/// Ends the instance of `frame`, which is running, and all that were entered in it, after the
/// strand that `thread` has just ended.
pub(crate) fn leave(thread: &Thread, frame: *mut Frame) {
    // SAFETY: the instance is running, as callers have seen, so its frame is alive, and `parent`
    // never changes.
    let parent = unsafe { (*frame).parent }.cast_mut();
    thread.come_back_to(parent);
}

/// The nodes of the top instances that are open from `frame` outwards, and the work done in each so
/// far.
pub(crate) fn open_tops(frame: *mut Frame) -> Vec<(u32, i64)> {
    let mut work = 0;
    let mut tops = Vec::new();
    for (frame, _) in open_from(frame) {
        // SAFETY: `open_from` yields frames of a thread that are alive, and the world is stopped,
        // so nobody writes them.
        let frame = unsafe { &*frame };
        work += frame.executed.work;
        if frame.role != Role::Continues && frame.top && !frame.interrupted {
            tops.push((frame.node, work));
        }
    }
    tops
}

/// Ends all instances that are open in the present branch or task of `thread`, at the end of the
/// session. The frames stay: constructs that never end may point at them.
pub(crate) fn end_all(thread: &Thread) {
    for (frame, parent) in open_from(thread.present()) {
        thread.frame.store(parent, Ordering::Relaxed);
        // SAFETY: the world is stopped, and the longest path is known already: nobody else looks at
        // the two frames, which are alive and differ.
        let (frame, parent) = unsafe { (&mut *frame, &mut *parent) };
        match frame.role {
            Role::Serial | Role::Region => thread.close_serial(parent, frame),
            _ => parent.take_over(frame),
        }
    }
}

impl Thread {
    /// Lets the path continue in `parent` after the instance of `frame`, which has ended.
    pub(crate) fn close_serial(&self, parent: &mut Frame, frame: &mut Frame) {
        if frame.role == Role::Region {
            let mut regions = self.regions.take();
            regions.forget(frame);
            self.regions.set(regions);
        }
        let burdened = frame.burdened();
        let open = frame.open.get();
        let ended = frame.ended();
        let executed = frame.executed;
        if frame.top {
            let ticks = frame.depth - parent.depth;
            let origin = parent.origin();
            self.record_top(frame.node, ticks, frame, origin);
            // An instance that continues is counted when it ends.
            if frame.interrupted {
                self.cell(frame.node).top_count.add(-1);
            }
        }
        let (recorded, node) = (frame.recorded, frame.node);
        let begin = Beginning::at(recorded, parent);
        parent.continue_after(frame, ended);
        parent.executed += executed;
        parent.set_burdened(burdened);
        parent.open.set(open);
        if recorded != 0 && self.records() {
            self.record_end(&begin, parent, Some(node), Item::Nothing);
        }
    }
}
