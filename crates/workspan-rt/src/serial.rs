//! Instances that run in place, on the path of the strand that enters them: calls of functions, named regions.
//!
//! Such an instance has a frame of its own, and its caller's is blocked meanwhile, as for a branch of a fork. Who enters
//! it leaves it, on the same thread; if nobody does, because of a panic or a forgotten guard, it ends with the branch or
//! task around it ([`Thread::come_back_to`]).

use crate::frame::{Frame, Role};
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
    let frame = Box::into_raw(Box::new(frame));
    thread.frame.store(frame, Ordering::Relaxed);
    frame
}

/// Is the instance of `frame` still to be ended? It is the innermost or contains it.
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

/// Lets the path go on in `parent` after the instance of `frame`, which has ended.
pub(crate) fn close(thread: &Thread, parent: &mut Frame, frame: &mut Frame) {
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
    parent.continue_after(frame, ended);
    parent.effort += effort;
    parent.set_burdened(burdened);
    parent.open.set(open);
}
