//! Which parallel runtimes the program uses.

use super::process::is_ours;
use super::under_way::lock;
use crate::state::runtime::Runtime;
use std::sync::atomic::{AtomicU32, Ordering};

/// Notes that the program uses `runtime`, and its version as a person knows it (`LLVM 16.0.6`),
/// empty if unknown. If the runtime was noted before, the first known version stays. Noting it
/// again costs next to nothing.
pub fn note_runtime(runtime: Runtime, version: &str) {
    let mark = 1 << runtime as u32;
    // Relaxed: whoever does not see the mark yet notes the runtime again, which changes nothing.
    if !version.is_empty() || NOTED.load(Ordering::Relaxed) & mark == 0 {
        add(runtime, version);
        NOTED.fetch_or(mark, Ordering::Relaxed);
    }
}

/// The runtimes that the session knows of, one bit each.
static NOTED: AtomicU32 = AtomicU32::new(0);

/// For another session, which knows of none.
pub(crate) fn forget() {
    NOTED.store(0, Ordering::Relaxed);
}

/// Makes the session remember that the program uses `runtime`.
fn add(runtime: Runtime, version: &str) {
    if !is_ours() {
        return;
    }
    let mut guard = lock();
    let Some(session) = guard.as_mut() else {
        return;
    };
    let known = session
        .runtimes
        .iter_mut()
        .find(|(known, _)| *known == runtime);
    match known {
        Some((_, known)) if known.is_empty() => version.clone_into(known),
        Some(_) => {}
        None => session.runtimes.push((runtime, version.to_owned())),
    }
}
