//! How far a lock limits a program and its changes, in sentences.

use workspan_model::{LockLimit, LockRow, Metric};

use super::template::{filled, said, words};
use crate::notation::figures::{amount_in_words, ratio};

/// How far the lock limits one program, as it is and changed.
pub(crate) fn lock_limit(limit: &LockLimit, metric: &Metric) -> String {
    let [kept, saved] = limit.after.ends();
    let name = match saved {
        saved if kept == limit.before && saved == kept => "same",
        f64::INFINITY => "without_end",
        _ => "changed",
    };
    let recorded = words(
        "lock",
        if limit.is_estimated {
            "estimated"
        } else {
            "whole"
        },
    );
    let begin = filled(recorded, &|_| {
        Some(amount_in_words(limit.held.time(), metric))
    });
    said!(
        "lock",
        name,
        begin = begin,
        most = ratio(limit.before),
        kept = ratio(kept),
        saved = ratio(saved),
    )
}

/// How far the lock limits any change of the program.
pub(crate) fn limit_of_changes(lock: &LockRow, metric: &Metric) -> String {
    said!(
        "lock",
        "any_change",
        held = amount_in_words(lock.held.time(), metric),
        most = ratio(lock.most_speedup),
    )
}
