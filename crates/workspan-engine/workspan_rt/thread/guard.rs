//! The guard around a thread's bookkeeping: its side of the protocol of
//! [`stop`](crate::state::stop).

use crate::state::stop::{
    await_resumption, is_on_fenced, is_on_unfenced, is_paused, mode, ON, STOPPING,
};
use crate::system::sync::{compiler_fence, fence, sleep, Ordering};
use crate::thread::Thread;
use std::time::Duration;

/// Runs `f`, the bookkeeping of `thread` (the caller's own), unless the engine is off.
#[inline(always)]
pub(crate) fn guarded<R>(thread: &Thread, f: impl FnOnce(&Thread) -> R) -> Option<R> {
    thread.busy.store(true, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    if !is_on_unfenced() {
        return guarded_slowly(thread, f);
    }
    let result = f(thread);
    thread.busy.store(false, Ordering::Release);
    Some(result)
}

/// As [`guarded`], for what may come in the middle of the bookkeeping itself or of the writing:
/// then it does nothing. It never waits.
#[inline(always)]
pub(crate) fn guarded_if_free(thread: &Thread, f: impl FnOnce(&Thread)) {
    if thread.busy.load(Ordering::Relaxed) {
        return;
    }
    thread.busy.store(true, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    if is_on_unfenced() || is_on_fenced() {
        f(thread);
    }
    thread.busy.store(false, Ordering::Release);
}

#[cold]
fn guarded_slowly<R>(thread: &Thread, f: impl FnOnce(&Thread) -> R) -> Option<R> {
    thread.leave_program();
    fence(Ordering::SeqCst);
    let mut wait = None;
    while is_paused() {
        thread.busy.store(false, Ordering::Release);
        wait.get_or_insert_with(|| thread.begin_pause());
        await_resumption(Duration::MAX);
        thread.busy.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }
    let result = (mode() == ON).then(|| {
        wait.into_iter().for_each(|since| thread.end_pause(since));
        f(thread)
    });
    thread.busy.store(false, Ordering::Release);
    while mode() == STOPPING {
        sleep(Duration::from_millis(1));
    }
    thread.enter_program();
    result
}
