//! What the process was started for.

use crate::state::stop;
use std::sync::atomic::{AtomicU8, Ordering};

/// How the calls of the runtime are to be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mode {
    /// As the runtime does it.
    Plain = 0,
    /// So that idle time is measured ([`crate::idle`]).
    Idle = 1,
    /// One after another on the calling thread: the sequential elision of the program.
    Elision = 2,
    /// So that a profile is taken ([`crate::session`]).
    Profile = 3,
}

/// The mode while no session is under way. Written before `main`, or by tests.
static WITHOUT_SESSION: AtomicU8 = AtomicU8::new(Mode::Plain as u8);

/// The present mode.
#[inline(always)]
pub fn mode() -> Mode {
    // Calls that come while a session is ending wait for its end.
    if stop::mode() != stop::OFF {
        return Mode::Profile;
    }
    match WITHOUT_SESSION.load(Ordering::Relaxed) {
        0 => Mode::Plain,
        1 => Mode::Idle,
        _ => Mode::Elision,
    }
}

/// Chooses what happens while no session is under way. Call before the runtime is used.
pub(crate) fn choose(mode: Mode) {
    WITHOUT_SESSION.store(mode as u8, Ordering::Relaxed);
}
