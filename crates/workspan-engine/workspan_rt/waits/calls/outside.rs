//! The functions of the C library by which threads wait for input, output and child processes.
//!
//! Most calls find what they ask for at once. So a wait is noted when it is over, and only if the
//! thread was off its processor for long: where [`rseq`](crate::system::rseq) shows that it was
//! not, a call costs a few loads, and else two readings of the clock.
//!
//! What the program sees of them stays as it is: results, `errno`, and that a thread may be
//! cancelled in them. That unwinds the frames here, which have nothing to drop. Some of these
//! functions may be called in a handler of a signal and in a child of fork(2), where dlsym(3) may
//! not: so all of them are looked up before `main`.

use super::keeping_errno;
use crate::clock;
use crate::state::stop;
use crate::system::c_function::CFunction;
use crate::thread::{self, Thread};
use crate::waits::{note_past, CHILD, OUTSIDE, SLEEP};
use std::ffi::{c_int, c_uint, c_ulong, c_void};
use std::mem::transmute;
use std::sync::atomic::Ordering;

/// Defines functions that stand before the C library's of these names, and note waits at an
/// address.
macro_rules! noted {
    ($($name:ident, $symbol:literal, $address:expr, ($($argument:ident: $type:ty),+) -> $result:ty;)+) => {
        #[allow(non_upper_case_globals)]
        mod next {
            use super::CFunction;

            $(pub(super) static $name: CFunction = CFunction::new($symbol);)+
        }

        /// Looks up the C library's functions.
        pub(super) fn look_up() {
            $(next::$name.find();)+
        }

        $(
            #[doc = concat!("Calls the C library's `", stringify!($name), "`.")]
            ///
            /// # Safety
            /// As that function.
            #[no_mangle]
            pub unsafe extern "C-unwind" fn $name($($argument: $type),+) -> $result {
                type Function = unsafe extern "C-unwind" fn($($type),+) -> $result;
                // SAFETY: the address is that of the C library's function of this name, whose type
                // this is.
                let function = unsafe { transmute::<*mut c_void, Function>(next::$name.address()) };
                let call = Call::begin();
                // SAFETY: the arguments are as the function wants them (`# Safety`), and go on
                // unchanged.
                let result = unsafe { function($($argument),+) };
                call.end($address);
                result
            }
        )+
    };
}

noted! {
    read, c"read", OUTSIDE, (descriptor: c_int, to: *mut c_void, length: usize) -> isize;
    write, c"write", OUTSIDE, (descriptor: c_int, from: *const c_void, length: usize) -> isize;
    recv, c"recv", OUTSIDE,
        (descriptor: c_int, to: *mut c_void, length: usize, flags: c_int) -> isize;
    recvfrom, c"recvfrom", OUTSIDE,
        (descriptor: c_int, to: *mut c_void, length: usize, flags: c_int, sender: *mut c_void,
            sender_length: *mut c_uint) -> isize;
    send, c"send", OUTSIDE,
        (descriptor: c_int, from: *const c_void, length: usize, flags: c_int) -> isize;
    accept, c"accept", OUTSIDE,
        (descriptor: c_int, peer: *mut c_void, peer_length: *mut c_uint) -> c_int;
    accept4, c"accept4", OUTSIDE,
        (descriptor: c_int, peer: *mut c_void, peer_length: *mut c_uint, flags: c_int) -> c_int;
    // Of none it sleeps.
    poll, c"poll", if number == 0 { SLEEP } else { OUTSIDE },
        (descriptors: *mut c_void, number: c_ulong, limit: c_int) -> c_int;
    epoll_wait, c"epoll_wait", OUTSIDE,
        (descriptor: c_int, events: *mut c_void, most: c_int, limit: c_int) -> c_int;
    waitpid, c"waitpid", CHILD, (process: c_int, status: *mut c_int, options: c_int) -> c_int;
    wait4, c"wait4", CHILD,
        (process: c_int, status: *mut c_int, options: c_int, usage: *mut c_void) -> c_int;
    waitid, c"waitid", CHILD,
        (kind: c_uint, process: c_uint, status: *mut c_void, options: c_int) -> c_int;
}

/// A call under way.
#[derive(Clone, Copy)]
struct Call {
    /// Whether it may have to be noted.
    is_seen: bool,
    /// When it began, if that is needed.
    began: Option<i64>,
}

impl Call {
    #[inline]
    fn begin() -> Self {
        let this = strand().filter(|_| clock::chosen().is_real_time());
        Self {
            is_seen: this.is_some(),
            began: this.and_then(|this| this.presence.before_call()),
        }
    }

    #[inline]
    fn end(self, address: u64) {
        let this = if self.is_seen { strand() } else { None };
        if let Some(this) = this.filter(|this| this.presence.may_have_waited(self.began)) {
            keeping_errno(|| note_past(this, address, this.presence.waited_in_call(self.began)));
        }
    }
}

/// The calling thread, if it runs a strand. Whoever writes the profile may stand in for a thread
/// that goes on meanwhile: so `None` then. Nor does the engine's own bookkeeping count.
#[inline]
fn strand() -> Option<&'static Thread> {
    if stop::mode() != stop::ON || stop::is_paused() {
        return None;
    }
    // SAFETY: null, or the calling thread's data, which are never freed.
    let this = unsafe { thread::current().as_ref() };
    this.filter(|this| this.is_running() && !this.busy.load(Ordering::Relaxed))
}
