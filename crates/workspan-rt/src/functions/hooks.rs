//! Functions that call hooks: `-finstrument-functions` of gcc and clang.
//!
//! The compiler has each function call `__cyg_profile_func_enter` first and `__cyg_profile_func_exit` last, with its address and
//! its return address; also functions that it then inlines, which have the return address of the function around them. The hook
//! is called as any function, so no register is the program's to keep.
//!
//! A call is named by its *slot* as one with sleds is. Where the slot is the hook's frame pointers tell: if the function has
//! one, its return address stands above what that points at. So code compiled with frame pointers is told *exactly*. Then:
//!
//! * A frame with a slot below is of a function that has unwound (`longjmp`; of clang also an exception), and is ended.
//! * One at the same slot with the same return address is of the function around an inlined one, unless it was entered by the same
//!   code: no code is passed twice in a function without the exit in between, so that one has unwound, too.
//! * One at the same slot with another return address has unwound.
//!
//! Otherwise the stack pointer stands for the slot. It lies in the function's frame, so frames below it are over; of others it
//! is the exit that tells, which ends the innermost frame of its function and all in it.

use super::{at_event, calls, edge, leave, HAVE_HOOKS};
use crate::frame::{Frame, Hooked};
use crate::serial;
use crate::thread::Thread;
use crate::tree::FunctionCall;
use std::arch::{asm, global_asm};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::Ordering;

/// What a hook finds on the stack: its caller's frame pointer, and its return address.
type OwnFrame = [usize; 2];

/// What makes a function have a frame pointer, with whatever options it is compiled: a variable that is aligned more strictly
/// than the stack is can be found from nothing else.
#[repr(align(64))]
struct Aligned {
    _byte: u8,
}

/// The frame of the function that this is inlined into, of which no caller is the compiler's.
macro_rules! own_frame {
    () => {{
        let aligned = MaybeUninit::<Aligned>::uninit();
        let frame: *const OwnFrame;
        // SAFETY: reads a register. That the variable is asked for keeps it, and with it the frame.
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
/// Called as its compiler's functions call it, inlined into a function of that type.
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
    /// Is that the slot, and not only in the function's frame?
    is_exact: bool,
    hooked: Hooked,
    code: usize,
}

impl Event {
    /// Of the hook whose frame is `own`, on the stack of `thread`.
    fn of(thread: &Thread, own: *const OwnFrame, function: usize, return_address: usize) -> Self {
        let stack = own as usize + size_of::<usize>();
        // SAFETY: the hook's own frame.
        let [frame, code] = unsafe { *own };
        // A hook that is called last of all may stand in its function's place.
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

    /// The outermost of the calls that are over when this function is entered; null if there are none.
    fn over_at_entry(&self, thread: &Thread) -> *mut Frame {
        let mut over = ptr::null_mut();
        for frame in calls(thread) {
            // SAFETY: of the present task, so it is alive.
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

    /// The call that this exit is of, or the outermost within it that is over; null if there is none.
    fn over_at_exit(&self, thread: &Thread) -> *mut Frame {
        let mut over = ptr::null_mut();
        for frame in calls(thread) {
            // SAFETY: as above.
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
        // SAFETY: the present frame of this thread.
        let node = unsafe { (*thread.frame()).node };
        let code = event.code;
        // Calls of inlined functions differ by their code alone, others by their return address alone.
        let place = return_address ^ code.rotate_left(32);
        let edge = edge(thread, node, place, function, || {
            Some(FunctionCall {
                from: return_address,
                to: function,
                code,
            })
        });
        let frame = serial::enter(thread, edge);
        // SAFETY: just made, for this thread.
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

unsafe extern "C" fn enter_nothing(function: usize, return_address: usize) {
    // SAFETY: called as by a compiler's function.
    unsafe { entered_by_hook(function, return_address) }
}

unsafe extern "C" fn leave_nothing(function: usize, return_address: usize) {
    // SAFETY: as above.
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
