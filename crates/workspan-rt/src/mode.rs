//! What the process was started for.

use crate::{idle, message, session, stop};
use std::sync::atomic::{AtomicU8, Ordering};

/// How the calls of the runtime are to run.
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
    // While a session ends, its calls wait for that.
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

/// Reads `WORKSPAN_ELISION` and `WORKSPAN_IDLE`, with the latter also `WORKSPAN_ASSUME_CORES` and `WORKSPAN_THREADS`
/// (see [`session`]), and removes them, so that processes that the program starts do not inherit them. Before `main`.
pub(crate) fn start_from_environment() {
    let elision = std::env::var_os("WORKSPAN_ELISION");
    let output = std::env::var_os("WORKSPAN_IDLE");
    std::env::remove_var("WORKSPAN_ELISION");
    std::env::remove_var("WORKSPAN_IDLE");
    if std::env::var_os("WORKSPAN_PROFILE").is_some() {
        if elision.is_some() || output.is_some() {
            message::say(format_args!(
                "WORKSPAN_IDLE and WORKSPAN_ELISION do nothing while a profile is taken"
            ));
        }
        return;
    }
    if let Some(output) = output.filter(|output| !output.is_empty()) {
        session::choose_sizes(
            session::number("WORKSPAN_ASSUME_CORES"),
            session::number("WORKSPAN_THREADS"),
        );
        std::env::remove_var("WORKSPAN_ASSUME_CORES");
        std::env::remove_var("WORKSPAN_THREADS");
        idle::start(output.into());
        choose(Mode::Idle);
    }
    if elision.is_some_and(|value| !value.is_empty() && value != "0") {
        choose(Mode::Elision);
    }
}
