//! Functions measured exactly: each call is a serial instance of its site, the pair of return address
//! and function.
//!
//! The compiler leaves room at the entry and the exits of functions ("sleds"). What stands in the file that
//! `WORKSPAN_FUNCTIONS` names (`list`) is filled with calls at the start (`patch`), before any other thread runs; they
//! come here by way of the `trampolines`.
//!
//! A call is named by the stack address of its return address, its *slot*, which its frame keeps. Stacks grow downwards, so:
//!
//! * A function that has unwound tells nothing, but its slot is below the stack from then on, or taken by another call. It
//!   is ended at the next event, or with the branch or task around it, whichever comes first.
//! * An exit that no frame has the slot of is of a function that was entered unseen, before the start or outside any task.
//! * A tail call ends the function that makes it; the next one has the same slot and returns to the same place.
//! * What a waiting thread runs meanwhile is in frames of its own, of other tasks, and above on the same stack.
//! * Events on another stack (of a signal handler, of a coroutine) are let alone: slots there tell nothing of this one.
//!
//! Functions compiled with `-finstrument-functions` tell of themselves by calls of hooks (`hooks`).
//!
//! Events in the engine's own work, as of an allocator that the program brings, find the thread busy and are let alone.

#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
mod hooks;
mod list;
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
mod patch;
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
mod trampolines;

#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
pub use hooks::{entered_by_hook, left_by_hook};

use crate::call::Kind;
use crate::frame::{Frame, Role};
use crate::thread::{self, Thread};
use crate::tree::{Edge, FunctionCall, Site};
use crate::{message, region, serial, stop};
use std::cell::{Cell, OnceCell};
use std::ffi::OsStr;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::OnceLock;
use std::time::Duration;

/// Addresses of the functions, by number.
static FUNCTIONS: OnceLock<Vec<usize>> = OnceLock::new();

/// Are functions measured that call hooks?
static HAVE_HOOKS: AtomicBool = AtomicBool::new(false);

/// How many functions are measured by their sleds.
pub(crate) fn measured() -> usize {
    FUNCTIONS.get().map_or(0, Vec::len)
}

/// Are any functions measured?
pub(crate) fn are_measured() -> bool {
    measured() > 0 || HAVE_HOOKS.load(Ordering::Relaxed)
}

/// Lets the functions that `file` lists tell of their calls. Says on standard error why not, if that is so.
///
/// # Safety
/// No other thread runs.
pub(crate) unsafe fn start(file: &OsStr) {
    // SAFETY: the caller's promise.
    if let Err(problem) = unsafe { patch_listed(file) } {
        message::say(format_args!("functions are not measured: {problem}"));
    }
}

#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
unsafe fn patch_listed(file: &OsStr) -> Result<(), String> {
    let shown = file.to_string_lossy();
    let text = std::fs::read_to_string(file).map_err(|error| format!("{shown}: {error}"))?;
    let listed = list::parse(&text).ok_or_else(|| format!("{shown} is not understood"))?;
    HAVE_HOOKS.store(listed.has_hooks, Ordering::Relaxed);
    trampolines::prepare();
    let mut functions = Vec::new();
    let mut problem = None;
    for module in &listed.modules {
        // SAFETY: the caller's promise; the trampolines have been prepared.
        let base = unsafe { patch::patch(module) }.unwrap_or_else(|why| {
            let path = module.path.as_deref().unwrap_or("the program");
            problem = Some(format!("{path}: {why}"));
            0
        });
        functions.extend(module.functions.iter().map(|address| base + address));
    }
    let _ = FUNCTIONS.set(functions);
    problem.map_or(Ok(()), Err)
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux", not(miri))))]
unsafe fn patch_listed(_: &OsStr) -> Result<(), String> {
    Err("that is possible on x86-64 Linux alone".into())
}

/// Two functions that do nothing, the second of which tells of its calls; none where no function can.
pub(crate) fn nothing() -> Option<[unsafe extern "C" fn(); 2]> {
    #[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
    return match are_measured() {
        true if measured() > 0 => Some(trampolines::nothing()),
        true => Some(hooks::nothing()),
        false => None,
    };
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux", not(miri))))]
    None
}

/// What a thread keeps for functions.
#[derive(Default)]
pub(crate) struct Functions {
    /// The lowest address of the thread's stack; 0: not asked for yet.
    stack_start: Cell<usize>,
    calls: OnceCell<Box<[Cell<CachedCall>; CALLS]>>,
}

const CALLS: usize = 1024;

/// Where a call at a node of the call tree leads.
#[derive(Clone, Copy, Default)]
struct CachedCall {
    return_address: usize,
    function: usize,
    node: u32,
    edge: Edge,
}

impl Functions {
    /// Forgets the stack: the data goes to another thread.
    pub(crate) fn reset(&self) {
        self.stack_start.set(0);
    }

    /// Forgets where calls lead, for a new session.
    pub(crate) fn clear(&self) {
        for call in self.calls.get().into_iter().flat_map(|calls| calls.iter()) {
            call.set(CachedCall::default());
        }
    }

    fn call(&self, node: u32, return_address: usize, function: usize) -> &Cell<CachedCall> {
        let calls = self.calls.get_or_init(|| {
            let calls: Vec<_> = (0..CALLS).map(|_| Cell::default()).collect();
            match calls.into_boxed_slice().try_into() {
                Ok(calls) => calls,
                Err(_) => unreachable!("as many as the type says"),
            }
        });
        &calls[(key(return_address, function) ^ u64::from(node).wrapping_mul(0x9E37_79B9)) as usize
            % CALLS]
    }
}

/// A number for a call site.
#[inline(always)]
fn key(return_address: usize, function: usize) -> u64 {
    let mixed = (return_address as u64 ^ (function as u64).rotate_left(40))
        .wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ (mixed >> 32)
}

/// The function of that number has been entered, and its return address is at `slot`. The trampolines call it.
///
/// # Safety
/// A word can be read at `slot`.
pub unsafe extern "C" fn entered(function: u32, slot: usize) {
    at_event(slot, |thread| {
        let over = over(thread, slot);
        thread.end_strand(thread.settings.get().function_cost);
        leave(thread, over);
        // SAFETY: the caller's promise.
        let return_address = unsafe { ptr::read(slot as *const usize) };
        // SAFETY: the present frame of this thread.
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
        // SAFETY: just made, for this thread.
        unsafe { (*frame).slot = slot };
        thread.continue_strand();
    });
}

/// The function whose return address is at `slot` returns, or makes a tail call. The trampolines call it.
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

/// How long an event waits in a pause. Whoever pauses may need a lock that is held here, as of an allocator: then the event is
/// left out.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// Runs `f` if an event of the function whose return address is at `slot` is one of the running strand.
#[inline(always)]
fn at_event(slot: usize, f: impl FnOnce(&Thread)) {
    let thread = thread::current();
    if thread.is_null() {
        return;
    }
    // SAFETY: a thread's data is never freed.
    let thread = unsafe { &*thread };
    let mut wait = None;
    if stop::is_paused() && !thread.busy.load(Ordering::Relaxed) {
        wait = Some(thread.begin_pause());
        stop::await_resumption(LONGEST_PAUSE);
    }
    stop::guarded_if_free(thread, |thread| {
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
    let start = match thread::own_stack() {
        // Where it is not known no address is in the stack.
        (0, 0) => usize::MAX,
        (start, _) => start.max(1),
    };
    thread.functions.stack_start.set(start);
    start
}

/// The outermost of the functions of the present task that are over when one returns to `slot`, or has been called from
/// there; null if there are none.
#[inline(always)]
fn over(thread: &Thread, slot: usize) -> *mut Frame {
    let mut over = ptr::null_mut();
    for frame in calls(thread) {
        // SAFETY: of the present task, so it is alive.
        if unsafe { (*frame).slot } > slot {
            break;
        }
        over = frame;
    }
    over
}

/// The calls of functions in the present task, from the innermost out. Of another stack, of whoever handed a frame over, there is
/// none among them. [`stack_start`] has been asked.
#[inline(always)]
fn calls(thread: &Thread) -> impl Iterator<Item = *mut Frame> {
    let stack_start = thread.functions.stack_start.get();
    let mut here = thread.present();
    std::iter::from_fn(move || {
        while !here.is_null() {
            // SAFETY: the present frame of a thread and its parents are alive.
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

/// Ends the function of frame `over`, if that is one, and all that was begun in it but regions.
#[inline(always)]
fn leave(thread: &Thread, over: *mut Frame) {
    if over.is_null() {
        return;
    }
    if ptr::eq(thread.present(), over) {
        serial::leave(thread, over);
    } else {
        region::leave_around(thread, over);
    }
}

/// Where the call leads of the function that has this number, or this address; `call` is what is to be told of it.
#[inline(always)]
fn edge(
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
        // As most calls: to another node, of an instance that no other contains.
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
