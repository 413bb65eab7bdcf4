//! Functions that call hooks: `-finstrument-functions` of gcc and clang.
//!
//! The compiler has each function call `__cyg_profile_func_enter` first and
//! `__cyg_profile_func_exit` last, with its address and its return address. That includes functions
//! which it then inlines; those pass the return address of the function around them. A hook is
//! called like any function, so it need not preserve registers for the program.
//!
//! A call is identified by its *slot*, like one with sleds. The hook's frame pointers lead to it:
//! if the function keeps a frame pointer, its return address is stored above what that points at.
//! So for code compiled with frame pointers the slot is known *exactly*. Then:
//!
//! * A frame with a slot below belongs to a function that has unwound (`longjmp`; with clang also
//!   an exception), and is ended.
//! * A frame with the same slot and the same return address belongs to the function around an
//!   inlined one, unless it was entered by the same code: no code is passed twice in a function
//!   without the exit in between, so that one has unwound, too.
//! * A frame with the same slot and another return address has unwound.
//!
//! Otherwise the stack pointer stands in for the slot. It lies in the function's frame, so frames
//! below it are over. The others end by an exit, which ends the innermost frame of its function and
//! everything in it.

use super::events::{at_event, calls, edge, leave};
use super::measured::HAVE_HOOKS;
use crate::constructs::serial;
use crate::path::frame::{Frame, Hooked};
use crate::thread::Thread;
use crate::tree::FunctionCall;
use std::arch::{asm, global_asm};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::Ordering;

/// What a hook finds on the stack: its caller's frame pointer, and its own return address.
type OwnFrame = [usize; 2];

/// Makes a function keep a frame pointer, whatever options it is compiled with: a variable aligned
/// more strictly than the stack can be found from nothing else.
#[repr(align(64))]
struct Aligned {
    _byte: u8,
}

/// The frame of the function that this is inlined into, none of whose callers the compiler sees.
macro_rules! own_frame {
    () => {{
        let aligned = MaybeUninit::<Aligned>::uninit();
        let frame: *const OwnFrame;
        // SAFETY: it reads a register. Since the address of `aligned` is asked for, the function
        // keeps a frame pointer, which is in `rbp`.
        unsafe {
            asm!(
                "mov {frame}, rbp",
                frame = out(reg) frame,
                in("r11") aligned.as_ptr(),
                options(nostack, preserves_flags)
            );
        }
        frame
    }};
}

/// `__cyg_profile_func_enter`.
///
/// # Safety
/// It is inlined into a function of that type, which code with hooks calls with the address of the
/// function and of its return: what is read is that function's own frame, and the stack above it.
#[inline(always)]
pub unsafe fn entered_by_hook(function: usize, return_address: usize) {
    if HAVE_HOOKS.load(Ordering::Relaxed) {
        enter(own_frame!(), function, return_address);
    }
}

/// `__cyg_profile_func_exit`.
///
/// # Safety
/// As [`entered_by_hook`].
#[inline(always)]
pub unsafe fn left_by_hook(function: usize, return_address: usize) {
    if HAVE_HOOKS.load(Ordering::Relaxed) {
        exit(own_frame!(), function, return_address);
    }
}

/// Where on the stack a hook was called, and for which call.
struct Event {
    slot: usize,
    /// Is that the slot itself, and not just a place in the function's frame?
    is_exact: bool,
    hooked: Hooked,
    code: usize,
}

impl Event {
    /// The event of the hook whose frame is `own`, on the stack of `thread`.
    fn of(thread: &Thread, own: *const OwnFrame, function: usize, return_address: usize) -> Self {
        let stack = own as usize + size_of::<usize>();
        // SAFETY: `own` is the frame pointer of the hook, which has not returned, so these two
        // words are there.
        let [frame, code] = unsafe { *own };
        // A hook that is tail-called may have taken its function's place.
        let slot = if code == return_address {
            Some(stack)
        } else {
            let slot = frame.wrapping_add(size_of::<usize>());
            let is_on_stack =
                frame % size_of::<usize>() == 0 && frame > stack && slot < thread.base();
            // SAFETY: between the stack pointer and the end of the thread's stack all can be read.
            let holds = || unsafe { *(slot as *const usize) } == return_address;
            (is_on_stack && holds()).then_some(slot)
        };
        Self {
            slot: slot.unwrap_or(stack),
            is_exact: slot.is_some(),
            hooked: Hooked {
                function: function as u32,
                from: return_address as u32,
                code: code as u32,
            },
            code,
        }
    }

    /// The outermost of the calls that are over when this function is entered; null if there are
    /// none.
    fn over_at_entry(&self, thread: &Thread) -> *mut Frame {
        let mut over = ptr::null_mut();
        for frame in calls(thread) {
            // SAFETY: `calls` yields frames of the present task, so they are alive; only this
            // thread writes what is read.
            let (slot, hooked) = unsafe { ((*frame).slot, (*frame).hooked) };
            if slot > self.slot {
                break;
            }
            let has_unwound = || hooked.from != self.hooked.from || hooked.code == self.hooked.code;
            if slot < self.slot || self.is_exact && has_unwound() {
                over = frame;
            }
        }
        over
    }

    /// The call that this exit ends, or else the outermost call within it that is over; null if
    /// there is none.
    fn over_at_exit(&self, thread: &Thread) -> *mut Frame {
        let mut over = ptr::null_mut();
        for frame in calls(thread) {
            // SAFETY: `calls` yields frames of the present task, so they are alive; only this
            // thread writes what is read.
            let (slot, hooked) = unsafe { ((*frame).slot, (*frame).hooked) };
            let is_here = !self.is_exact || slot == self.slot;
            if is_here && hooked.function == self.hooked.function {
                return frame;
            }
            if self.is_exact && slot > self.slot {
                break;
            }
            if slot < self.slot {
                over = frame;
            }
        }
        over
    }
}

#[inline(never)]
fn enter(own: *const OwnFrame, function: usize, return_address: usize) {
    at_event(own as usize, |thread| {
        let event = Event::of(thread, own, function, return_address);
        let over = event.over_at_entry(thread);
        thread.end_strand(thread.settings.get().function_cost);
        leave(thread, over);
        // SAFETY: the present frame of this thread is alive, and `node` never changes.
        let node = unsafe { (*thread.frame()).node };
        let code = event.code;
        // Calls of inlined functions differ only by their code, others only by their return
        // address.
        let place = return_address ^ code.rotate_left(32);
        let edge = edge(thread, node, place, function, || {
            Some(FunctionCall {
                from: return_address,
                to: function,
                code,
            })
        });
        let frame = serial::enter(thread, edge);
        // SAFETY: `serial` has just put the frame into a place of its own, and nobody else refers
        // to it.
        unsafe {
            (*frame).slot = event.slot;
            (*frame).hooked = event.hooked;
        }
        thread.continue_strand();
    });
}

#[inline(never)]
fn exit(own: *const OwnFrame, function: usize, return_address: usize) {
    at_event(own as usize, |thread| {
        let event = Event::of(thread, own, function, return_address);
        let over = event.over_at_exit(thread);
        if !over.is_null() {
            thread.end_strand(thread.settings.get().function_cost);
            leave(thread, over);
            thread.continue_strand();
        }
    });
}

/// Two functions that do nothing, the second of which calls hooks.
pub(super) fn nothing() -> [unsafe extern "C" fn(); 2] {
    [workspan_unhooked_nothing, workspan_hooked_nothing]
}

extern "C" {
    fn workspan_unhooked_nothing();
    fn workspan_hooked_nothing();
}

/// # Safety
/// As [`entered_by_hook`]: for `workspan_hooked_nothing`.
unsafe extern "C" fn enter_nothing(function: usize, return_address: usize) {
    // SAFETY: `workspan_hooked_nothing` calls this as a compiler's functions call their hook
    // (`# Safety`).
    unsafe { entered_by_hook(function, return_address) }
}

/// # Safety
/// As [`entered_by_hook`]: for `workspan_hooked_nothing`.
unsafe extern "C" fn leave_nothing(function: usize, return_address: usize) {
    // SAFETY: `workspan_hooked_nothing` calls this as a compiler's functions call their hook
    // (`# Safety`).
    unsafe { left_by_hook(function, return_address) }
}

global_asm!(
    ".pushsection .text.workspan_hooked_nothing,\"ax\",@progbits",
    ".p2align 4",
    ".hidden workspan_unhooked_nothing",
    ".globl workspan_unhooked_nothing",
    "workspan_unhooked_nothing:",
    "push rbp",
    "mov rbp, rsp",
    "pop rbp",
    "ret",
    ".p2align 4",
    ".hidden workspan_hooked_nothing",
    ".globl workspan_hooked_nothing",
    "workspan_hooked_nothing:",
    "push rbp",
    "mov rbp, rsp",
    "lea rdi, [rip + workspan_hooked_nothing]",
    "mov rsi, [rbp + 8]",
    "call {enter}",
    "lea rdi, [rip + workspan_hooked_nothing]",
    "mov rsi, [rbp + 8]",
    "call {leave}",
    "pop rbp",
    "ret",
    ".popsection",
    enter = sym enter_nothing,
    leave = sym leave_nothing,
);
