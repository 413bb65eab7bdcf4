//! What threads wait for one another for: locks, cache lines, the runtime.

use workspan_model::{Analysis, Awaited, SampledLock};

use super::answer::ask_one_thread;
use crate::figures::percent;
use crate::place::phrase;

/// What may keep more threads from being faster, as samples show it.
pub(super) fn contention(analysis: &Analysis) -> Option<String> {
    let awaited = &analysis.awaited;
    if let Some(atomics) = &awaited.atomics {
        let place = match (&atomics.location, &atomics.function) {
            (Some(location), _) => format!(" at {location}"),
            (None, Some(function)) => format!(" in {function}"),
            (None, None) => String::new(),
        };
        let share = percent(atomics.share);
        if atomics.of_lock {
            return Some(format!(
                "{share} of the samples of the work are where the lock{place} is acquired or released: threads that do so wait for \
                 one another, and more of them wait more"
            ));
        }
        return Some(format!(
            "{share} of the samples of the work are at atomic operations{place}: threads that write the same cache line wait for \
             one another, and more of them wait more"
        ));
    }
    awaited.runtime_share.map(|share| {
        format!(
            "{} of the samples of the work are in the runtime itself, which shares out loops and tasks: the pieces are too small \
             for what that costs",
            percent(share)
        )
    })
}

/// What to try where threads write the same cache lines, in a few words and in a sentence.
pub(super) fn share_less(analysis: &Analysis) -> (&'static str, String) {
    (
        "Share less",
        format!(
            "Give each task a value of its own and combine them in the end; keep what different threads write on cache lines of \
             their own.{}",
            ask_one_thread(analysis)
        ),
    )
}

/// The lock that threads waited for, and what is known of it.
pub(super) fn lock_seen(analysis: &Analysis) -> String {
    let awaited = &analysis.awaited;
    if let Some(lock) = awaited.recorded.map(|row| &analysis.locks[row]) {
        return format!(
            "Threads waited for the lock of {}, under which {} of the work is done.",
            phrase(&analysis.sites[lock.places[0].0]),
            percent(lock.work_share),
        );
    }
    let lock = awaited
        .lock
        .as_ref()
        .map_or_else(|| "a lock".to_owned(), lock_of);
    if awaited.least_held > 0.0 {
        format!(
            "Threads waited for {lock}; {} of the work is done under it, if all waits are for it.",
            held(awaited),
        )
    } else {
        format!("Threads waited for {lock}.")
    }
}

/// Names the lock that threads waited for, if one was seen.
pub(super) fn at_lock(analysis: &Analysis) -> String {
    let lock = analysis.awaited.lock.as_ref();
    lock.map_or_else(String::new, |lock| {
        format!(", by samples for {}", lock_of(lock))
    })
}

/// The share of the work under the lock that tasks waited for, if it was one.
pub(super) fn held(awaited: &Awaited) -> String {
    likely(
        "at least",
        percent(awaited.least_held),
        percent(awaited.likely_held),
    )
}

/// A bound, and the likely figure within it.
pub(super) fn likely(bound: &str, at: String, likely: String) -> String {
    if at == likely {
        format!("{bound} {at}")
    } else {
        format!("{bound} {at}, likely {likely},")
    }
}

pub(super) fn lock_of(lock: &SampledLock) -> String {
    if lock.is_allocators {
        return match &lock.location {
            Some(location) => format!("the allocator's lock, called at {location}"),
            None => "the allocator's lock".to_owned(),
        };
    }
    match (&lock.location, &lock.function) {
        (Some(location), _) => format!("the lock at {location}"),
        (None, Some(function)) => format!("the lock in {function}"),
        (None, None) => "a lock".to_owned(),
    }
}
