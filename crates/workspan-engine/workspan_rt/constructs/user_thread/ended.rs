//! Threads that have ended and have not been awaited yet.

use crate::path::frame::Frame;
use crate::path::identity::Identity;
use crate::path::to_end;
use crate::record::Item;
use crate::thread::Thread;
use std::sync::{Mutex, PoisonError};

extern "C" {
    fn pthread_self() -> usize;
}

static ENDED: Mutex<Vec<Ended>> = Mutex::new(Vec::new());

/// A thread that has ended.
pub(super) struct Ended {
    /// The C library's name for it; 0 once another thread has that name.
    pub(super) name: usize,
    /// The thread that started it.
    starter: Identity,
    frame: Frame,
}

// SAFETY: the starter is only compared, and a `Frame` may be sent.
unsafe impl Send for Ended {}

/// Keeps the path of the calling thread, which is about to end.
pub(crate) fn end(frame: Frame, starter: Identity) {
    let name = this_thread();
    let mut ended = lock();
    // A thread that nobody joined had this name before. Its path stays, without a name.
    ended
        .iter_mut()
        .filter(|other| other.name == name)
        .for_each(|other| other.name = 0);
    ended.push(Ended {
        name,
        starter,
        frame,
    });
    // Of paths without a name only the longest matters, at the end of the program. They stay here
    // until there are more than 64 ended threads, with a name or without.
    let nameless = if ended.len() > 64 {
        take_where(&mut ended, |other| other.name == 0)
    } else {
        Vec::new()
    };
    drop(ended);
    nameless
        .into_iter()
        .for_each(|other| to_end::offer_to_end(other.frame));
}

/// Has a thread ended that `starter` started and nobody has joined yet?
pub(crate) fn any_ended(starter: &Thread) -> bool {
    lock()
        .iter()
        .any(|other| other.starter == starter.identity())
}

/// Lets `frame` of thread `starter` continue after every thread that `starter` started and that has
/// ended.
pub(crate) fn await_ended(frame: &mut Frame, starter: &Thread) {
    await_where(frame, starter, |other| other.starter == starter.identity());
}

/// Leaves every thread that has ended to the end of the program.
pub(crate) fn offer_ended() {
    let ended = take_where(&mut lock(), |_| true);
    ended
        .into_iter()
        .for_each(|other| to_end::offer_to_end(other.frame));
}

/// Lets `frame`, whose strands `this` thread runs, continue after the ended threads that `which`
/// selects.
pub(super) fn await_where(frame: &mut Frame, this: &Thread, which: impl Fn(&Ended) -> bool) {
    let awaited = take_where(&mut lock(), which);
    for mut other in awaited {
        if this.records() {
            let lane = other.frame.recorded;
            this.record_end_elsewhere(Item::Await { lane });
        }
        let burdened = frame.burdened().max(other.frame.burdened());
        frame.open.set(frame.open.get().max(other.frame.open.get()));
        if other.frame.depth > frame.depth {
            let ended = other.frame.ended();
            frame.continue_after(&mut other.frame, ended);
        }
        frame.set_burdened(burdened);
    }
}

fn take_where(ended: &mut Vec<Ended>, which: impl Fn(&Ended) -> bool) -> Vec<Ended> {
    let (taken, left) = ended.drain(..).partition(which);
    *ended = left;
    taken
}

fn lock() -> std::sync::MutexGuard<'static, Vec<Ended>> {
    ENDED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn this_thread() -> usize {
    // SAFETY: pthread_self(3) takes nothing and cannot fail.
    unsafe { pthread_self() }
}

/// Drops what is left of an earlier session.
pub(super) fn forget() {
    lock().clear();
}
