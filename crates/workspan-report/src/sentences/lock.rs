//! How far a lock limits a program and its changes, in sentences.

use workspan_model::{LockLimit, LockRow, Metric};

use crate::figures::{amount_in_words, ratio};

/// How far the lock limits one program, as it is and changed.
pub(crate) fn lock_limit(limit: &LockLimit, metric: &Metric) -> String {
    let estimated = if limit.is_estimated {
        " (as much of the record as of the whole work)"
    } else {
        ""
    };
    let begin = format!(
        "One lock is held for {}{estimated}, by one thread at a time: no number of cores makes the program more than {} times as \
         fast",
        amount_in_words(limit.held.time(), metric),
        ratio(limit.before)
    );
    let [kept, saved] = limit.after.ends();
    if kept == limit.before && saved == kept {
        return format!("{begin}, changed or not.");
    }
    let saved = match saved {
        f64::INFINITY => "there is none".to_owned(),
        most => format!("it is {}", ratio(most)),
    };
    format!(
        "{begin} as it is. Changed, that limit is {} if no time is saved under the lock, as predictions and lower bounds have \
         it; {saved} if all that is saved is saved there, as upper bounds have it.",
        ratio(kept)
    )
}

/// How far the lock limits any change of the program.
pub(crate) fn limit_of_changes(lock: &LockRow, metric: &Metric) -> String {
    format!(
        "One lock is held for {}, by one thread at a time: no number of cores makes the program more than {} times as fast, \
         however parallel its code becomes. \
         What is done under the lock may be what becomes faster: upper bounds have it so, predictions and lower bounds do \
         not.",
        amount_in_words(lock.held.time(), metric),
        ratio(lock.most_speedup)
    )
}
