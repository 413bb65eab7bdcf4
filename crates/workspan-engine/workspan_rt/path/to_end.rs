//! What the end of the program awaits.

use crate::path::frame::Frame;
use crate::path::longest::Longest;
use std::sync::atomic::{AtomicI64, Ordering};

static DETACHED: Longest = Longest::new();

static DETACHED_RUNNING: AtomicI64 = AtomicI64::new(0);

/// The uncertainty of paths that left a stretch before it was known how long that took.
static ESCAPED: AtomicI64 = AtomicI64::new(0);

/// Makes every path uncertain by `ticks` more.
pub(crate) fn open_everywhere(ticks: i64) {
    ESCAPED.fetch_add(ticks, Ordering::Relaxed);
}

pub(crate) fn begin_detached() {
    DETACHED_RUNNING.fetch_add(1, Ordering::Relaxed);
}

pub(crate) fn end_detached(frame: Frame) {
    DETACHED_RUNNING.fetch_sub(1, Ordering::Relaxed);
    offer_to_end(frame);
}

/// Leaves the path of `frame` for the end of the program to await.
pub(crate) fn offer_to_end(frame: Frame) {
    DETACHED.offer(frame);
}

/// The same for a path, if there is one, a burdened length, and an uncertainty (`open`).
pub(crate) fn leave_to_end(path: Option<Frame>, burdened: i64, open: i64) {
    DETACHED.offer_lengths(burdened, open);
    if let Some(path) = path {
        DETACHED.offer(path);
    }
}

/// Forgets what is left from an earlier session.
pub(crate) fn forget() {
    DETACHED.take();
    DETACHED_RUNNING.store(0, Ordering::Relaxed);
    ESCAPED.store(0, Ordering::Relaxed);
}

/// How many detached tasks have not ended.
pub(crate) fn running() -> u64 {
    DETACHED_RUNNING.load(Ordering::Relaxed).max(0) as u64
}

/// What [`open_everywhere`] has added.
pub(crate) fn escaped() -> i64 {
    ESCAPED.load(Ordering::Relaxed)
}

/// The longest path that was left, the greatest burdened length, and the greatest uncertainty.
pub(crate) fn take() -> (Option<Frame>, i64, i64) {
    DETACHED.take()
}
