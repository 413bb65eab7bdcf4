//! Instances that run in place, on the path of the strand that enters them: calls of functions, named regions.
//!
//! Such an instance has a frame of its own, and its caller's is blocked meanwhile, as for a branch of a fork. Who enters
//! it leaves it, on the same thread; if nobody does, because of a panic or a forgotten guard, it ends with the branch or
//! task around it ([`Thread::come_back_to`]).

use crate::frame::{Frame, Role};
use crate::record::{Beginning, Item};
use crate::region;
use crate::thread::Thread;
use crate::tree::Edge;
use std::ptr;
use std::sync::atomic::Ordering;

/// Begins an instance at the node that `edge` leads to, after the strand that `thread` has just ended. The present frame
/// is that of the instance from here on.
pub(crate) fn enter(thread: &Thread, edge: Edge) -> *mut Frame {
    thread.cell(edge.node).count.add(1);
    begin(thread, edge)
}

/// The same of an instance that was interrupted and goes on.
pub(crate) fn enter_again(thread: &Thread, edge: Edge) -> *mut Frame {
    let frame = begin(thread, edge);
    // SAFETY: just made.
    unsafe { (*frame).begin_again() };
    frame
}

fn begin(thread: &Thread, edge: Edge) -> *mut Frame {
    let parent = thread.frame();
    // SAFETY: the parent is blocked until the instance ends.
    let mut frame = unsafe { Frame::after(parent, edge.node, 0) };
    frame.role = Role::Serial;
    frame.top = edge.top;
    if thread.records() {
        // What is in the instance is not merged with what is before it.
        // SAFETY: the parent is the present frame of this thread.
        let begin = thread.record_begin(unsafe { &*parent }, Item::Nothing);
        frame.recorded = begin.position;
    }
    let frame = thread.spare_frames.place(frame);
    thread.frame.store(frame, Ordering::Relaxed);
    frame
}

/// Is the instance of `frame`, which has not ended, one of the present branch? It is the innermost or contains it.
pub(crate) fn is_running(thread: &Thread, frame: *mut Frame) -> bool {
    let mut here = thread.present();
    while !here.is_null() && !ptr::eq(here, frame) {
        // SAFETY: the present frame of a thread and its parents are alive.
        let (role, parent) = unsafe { ((*here).role, (*here).parent) };
        if role == Role::Branch {
            return false;
        }
        here = parent.cast_mut();
    }
    !here.is_null()
}

/// Ends the instance of `frame`, which is running, and all that were entered in it, after the strand that `thread` has
/// just ended.
pub(crate) fn leave(thread: &Thread, frame: *mut Frame) {
    // SAFETY: the frame is alive until it is closed.
    let parent = unsafe { (*frame).parent }.cast_mut();
    thread.come_back_to(parent);
}

/// The branch or task that `frame` is part of.
pub(crate) fn branch_of(frame: *mut Frame) -> *mut Frame {
    open_from(frame).last().map_or(frame, |(_, outer)| outer)
}

/// The frames from `frame` outwards up to the branch or task around it, each with its parent.
fn open_from(frame: *mut Frame) -> impl Iterator<Item = (*mut Frame, *mut Frame)> {
    let mut here = frame;
    std::iter::from_fn(move || {
        // SAFETY: a thread's frame and its parents are alive.
        let (role, parent) = unsafe { ((*here).role, (*here).parent) };
        let inner = std::mem::replace(&mut here, parent.cast_mut());
        (role != Role::Branch).then_some((inner, here))
    })
}

/// The nodes of the top instances that are open from `frame` outwards, and the work done in each so far.
pub(crate) fn open_tops(frame: *mut Frame) -> Vec<(u32, i64)> {
    let mut work = 0;
    let mut tops = Vec::new();
    for (frame, _) in open_from(frame) {
        // SAFETY: as in `open_from`.
        let frame = unsafe { &*frame };
        work += frame.effort.work;
        if frame.role != Role::Continues && frame.top && !frame.interrupted {
            tops.push((frame.node, work));
        }
    }
    tops
}

/// Ends all instances that `thread` has open in its present branch or task, at the end of the session. The frames stay:
/// constructs that never end may point at them.
pub(crate) fn end_all(thread: &Thread) {
    for (frame, parent) in open_from(thread.present()) {
        thread.frame.store(parent, Ordering::Relaxed);
        // SAFETY: the world is stopped, and the path of the parent is known: nobody else looks at either.
        let (frame, parent) = unsafe { (&mut *frame, &mut *parent) };
        match frame.role {
            Role::Serial | Role::Region => close(thread, parent, frame),
            _ => parent.take_over(frame),
        }
    }
}

/// Lets the path go on in `parent` after the instance of `frame`, which has ended.
pub(crate) fn close(thread: &Thread, parent: &mut Frame, frame: &mut Frame) {
    if frame.role == Role::Region {
        region::forget(thread, frame);
    }
    let burdened = frame.burdened();
    let open = frame.open.get();
    let ended = frame.ended();
    let effort = frame.effort;
    if frame.top {
        let ticks = frame.depth - parent.depth;
        let origin = parent.origin();
        thread.record_top(frame.node, ticks, frame, origin);
        // An instance that goes on is counted when it ends.
        if frame.interrupted {
            thread.cell(frame.node).top_count.add(-1);
        }
    }
    let (recorded, node) = (frame.recorded, frame.node);
    let begin = Beginning::at(recorded, parent);
    parent.continue_after(frame, ended);
    parent.effort += effort;
    parent.set_burdened(burdened);
    parent.open.set(open);
    if recorded != 0 && thread.records() {
        thread.record_end(&begin, parent, Some(node), Item::Nothing);
    }
}
