//! What strands waited for, as far as calls of the kernel show it.

use crate::{Nanos, NodeId, Profile, Queue, SiteKind, WaitCause, WaitPlace};

/// Of each cause how long strands waited for it, in the order of [`WaitCause::ALL`].
pub(super) type ByCause = [Nanos; WaitCause::ALL.len()];

/// The waits of `profile` that are part of its work, by cause.
pub(super) fn by_cause(profile: &Profile) -> ByCause {
    let mut sums = ByCause::default();
    for queue in profile
        .waits
        .queues
        .iter()
        .filter(|queue| is_in_strands(queue))
    {
        let waits = queue.waits.iter();
        for place in waits.filter(|place| is_work(profile, place)) {
            if let Some(cause) = profile.waits.cause(queue, place) {
                sums[cause as usize] += place.waited;
            }
        }
    }
    sums
}

/// Waits for threads and calls are between strands.
fn is_in_strands(queue: &Queue) -> bool {
    !matches!(queue.awaited, Some(WaitCause::Runtime | WaitCause::Thread))
}

/// Threads of the program wait for one another, which is no work; so does the main thread for those
/// of a scope.
fn is_work(profile: &Profile, place: &WaitPlace) -> bool {
    let kind = |node: NodeId| profile.site_of(&profile.tree[node.index()]).kind;
    let mut kinds = profile.with_above(place.node).map(kind);
    match kinds.find(|kind| kind.is_parallel() || *kind == SiteKind::Thread) {
        Some(SiteKind::Thread) => false,
        Some(_) => true,
        None => !profile.waits.is_for_scope(place),
    }
}

/// Divides `whole`, in which strands waited, by what for, the longest part first; what no cause is
/// known of comes last. Of all waits, whose time is `all`, those of each cause keep their share.
pub(super) fn divided(
    whole: Nanos,
    all: Nanos,
    by_cause: &ByCause,
) -> Vec<(Option<WaitCause>, Nanos)> {
    let seen: Nanos = by_cause.iter().copied().sum();
    let all = all.max(seen);
    let mut left = whole;
    let mut parts = Vec::new();
    for (cause, waited) in WaitCause::ALL.into_iter().zip(by_cause) {
        let share = waited.share_of(all);
        let part = Nanos::from_nanos_f64(share * whole.as_nanos() as f64).min(left);
        left = left - part;
        parts.push((Some(cause), part));
    }
    parts.sort_by_key(|&(_, time)| std::cmp::Reverse(time));
    parts.push((None, left));
    parts.retain(|(_, time)| *time > Nanos::ZERO);
    parts
}
