//! What a thread does when functions report their calls.

use super::measured::FUNCTIONS;
use crate::constructs::{region, serial};
use crate::path::frame::{Frame, Role};
use crate::stack::own_stack;
use crate::state::stop;
use crate::thread::functions::{key, CachedCall};
use crate::thread::{self, Thread};
use crate::tree::call::Kind;
use crate::tree::{Edge, FunctionCall, Site};
use std::ptr;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The function of that number has been entered, and its return address is at `slot`. Called by the
/// trampolines.
///
/// # Safety
/// An aligned word can be read at `slot`.
pub unsafe extern "C" fn entered(function: u32, slot: usize) {
    at_event(slot, |thread| {
        let over = over(thread, slot);
        thread.end_strand(thread.settings.get().function_cost);
        leave(thread, over);
        // SAFETY: an aligned word can be read at `slot` (`# Safety`).
        let return_address = unsafe { ptr::read(slot as *const usize) };
        // SAFETY: the present frame of this thread is alive, and `node` never changes.
        let node = unsafe { (*thread.frame()).node };
        let edge = edge(thread, node, return_address, function as usize, || {
            let known = FUNCTIONS.get().and_then(|all| all.get(function as usize));
            Some(FunctionCall {
                from: return_address,
                to: known.copied().unwrap_or(0),
                code: 0,
            })
        });
        let frame = serial::enter(thread, edge);
        // SAFETY: `serial` has just put the frame into a place of its own, and nobody else refers
        // to it.
        unsafe { (*frame).slot = slot };
        thread.continue_strand();
    });
}

/// The function whose return address is at `slot` returns, or makes a tail call. Called by the
/// trampolines.
pub extern "C" fn left(_: u32, slot: usize) {
    at_event(slot, |thread| {
        let over = over(thread, slot);
        if !over.is_null() {
            thread.end_strand(thread.settings.get().function_cost);
            leave(thread, over);
            thread.continue_strand();
        }
    });
}

/// How long an event waits for the end of a pause. Whoever pauses may need a lock that is held
/// here, such as an allocator's: then the event is left out.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// Runs `f` if an event of the function whose return address is at `slot` belongs to the running
/// strand.
#[inline(always)]
pub(super) fn at_event(slot: usize, f: impl FnOnce(&Thread)) {
    let thread = thread::current();
    if thread.is_null() {
        return;
    }
    // SAFETY: it is not null, so it points at the calling thread's data, which are never freed.
    let thread = unsafe { &*thread };
    let mut wait = None;
    if stop::is_paused() && !thread.busy.load(Ordering::Relaxed) {
        wait = Some(thread.begin_pause());
        stop::await_resumption(LONGEST_PAUSE);
    }
    thread::guarded_if_free(thread, |thread| {
        wait.into_iter().for_each(|since| thread.end_pause(since));
        if thread.is_running() && stack_start(thread) <= slot && slot < thread.base() {
            f(thread);
        }
    });
}

#[inline(always)]
fn stack_start(thread: &Thread) -> usize {
    match thread.functions.stack_start.get() {
        0 => find_stack_start(thread),
        start => start,
    }
}

#[cold]
#[inline(never)]
fn find_stack_start(thread: &Thread) -> usize {
    let start = match own_stack::own_stack() {
        // If it is unknown, no address is on the stack.
        (0, 0) => usize::MAX,
        (start, _) => start.max(1),
    };
    thread.functions.stack_start.set(start);
    start
}

/// The outermost of the present task's functions that are over when a function returns through
/// `slot`, or has just been called with its return address there; null if there are none.
#[inline(always)]
fn over(thread: &Thread, slot: usize) -> *mut Frame {
    let mut over = ptr::null_mut();
    for frame in calls(thread) {
        // SAFETY: `calls` yields frames of the present task, so they are alive; `slot` is written
        // by this thread alone.
        if unsafe { (*frame).slot } > slot {
            break;
        }
        over = frame;
    }
    over
}

/// The calls of functions in the present task, from the innermost out, without those on another
/// stack, of whoever handed a frame over. Call [`stack_start`] before.
#[inline(always)]
pub(super) fn calls(thread: &Thread) -> impl Iterator<Item = *mut Frame> {
    let stack_start = thread.functions.stack_start.get();
    let mut here = thread.present();
    std::iter::from_fn(move || {
        while !here.is_null() {
            // SAFETY: the present frame of a thread and its parents are alive, and only this thread
            // writes what is read.
            let (role, slot, parent) = unsafe { ((*here).role, (*here).slot, (*here).parent) };
            if role == Role::Branch {
                break;
            }
            let frame = std::mem::replace(&mut here, parent.cast_mut());
            if slot >= stack_start {
                return Some(frame);
            }
        }
        None
    })
}

/// Ends the function of frame `over`, if there is one, and everything begun in it except regions.
#[inline(always)]
pub(super) fn leave(thread: &Thread, over: *mut Frame) {
    if over.is_null() {
        return;
    }
    if ptr::eq(thread.present(), over) {
        serial::leave(thread, over);
    } else {
        region::leave_around(thread, over);
    }
}

/// Where the call of the function with this number, or this address, leads; `call` describes it for
/// its site.
#[inline(always)]
pub(super) fn edge(
    thread: &Thread,
    node: u32,
    return_address: usize,
    function: usize,
    call: impl FnOnce() -> Option<FunctionCall>,
) -> Edge {
    let cached = thread.functions.call(node, return_address, function).get();
    if cached.return_address == return_address && cached.function == function && cached.node == node
    {
        return cached.edge;
    }
    look_up(thread, node, return_address, function, call)
}

#[cold]
#[inline(never)]
fn look_up(
    thread: &Thread,
    node: u32,
    return_address: usize,
    function: usize,
    call: impl FnOnce() -> Option<FunctionCall>,
) -> Edge {
    let edge = if thread.is_aside.get() {
        // Like most calls: to another node, an instance that no other of its site contains.
        Edge {
            node: thread::ASIDE[0],
            top: true,
        }
    } else {
        thread.enter_serial(node, key(return_address, function), || Site {
            call: call(),
            ..Site::of(Kind::Function)
        })
    };
    let cached = thread.functions.call(node, return_address, function);
    cached.set(CachedCall {
        return_address,
        function,
        node,
        edge,
    });
    edge
}
