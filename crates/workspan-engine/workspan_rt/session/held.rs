//! Locks that a copy of the process must find free.

use crate::state::settings::{self, Settings};
use crate::state::under_way::{self, Session};
use crate::{sampler, thread};
use std::sync::MutexGuard;

/// Everything that a thread may lock outside its bookkeeping, held so that a copy of the process
/// finds it free.
pub(crate) struct Held {
    _locks: (
        MutexGuard<'static, Option<Session>>,
        MutexGuard<'static, Settings>,
        sampler::Held,
        thread::AllHeld,
    ),
}

pub(crate) fn hold() -> Held {
    Held {
        _locks: (
            under_way::lock(),
            settings::lock(),
            // Before the list of threads: whoever ends all timers takes them in this order.
            sampler::hold(),
            thread::hold_all(),
        ),
    }
}
