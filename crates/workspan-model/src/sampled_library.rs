//! What sampled stacks show below the user's code: acquiring locks, freeing memory.

use std::collections::BTreeMap;

use crate::{FrameId, Location, NodeId, Profile, SampledStack, Samples, StackFrame};

/// A lock that samples found threads at.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledLock {
    /// The user's line that acquires it.
    pub location: Option<Location>,
    /// The user's function that acquires it.
    pub function: Option<String>,
    /// The share of all samples that were taken while a thread acquired it; a thread that sleeps
    /// is not sampled, so it waits for at least that share.
    pub share: f64,
}

/// Functions that acquire a lock, by the last segment of their path.
const LOCKING: [&str; 20] = [
    "lock_contended",
    "read_contended",
    "write_contended",
    "lock_slow",
    "lock_shared_slow",
    "lock_exclusive_slow",
    "pthread_mutex_lock",
    "__pthread_mutex_lock",
    "___pthread_mutex_lock",
    "pthread_rwlock_rdlock",
    "__pthread_rwlock_rdlock",
    "___pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "__pthread_rwlock_wrlock",
    "___pthread_rwlock_wrlock",
    "pthread_spin_lock",
    "__lll_lock_wait",
    "__lll_lock_wait_private",
    "futex_lock_pi",
    "__pthread_mutex_lock_full",
];

/// Functions that free memory, by the last segment of their path.
const FREEING: [&str; 14] = [
    "free",
    "cfree",
    "__libc_free",
    "__GI___libc_free",
    "_int_free",
    "_int_free_chunk",
    "munmap",
    "__munmap",
    "madvise",
    "__madvise",
    "drop_in_place",
    "__rust_dealloc",
    "dealloc",
    "operator delete(void*)",
];

/// Paths of modules whose functions do nothing but acquire and release locks.
const LOCK_MODULES: [&str; 6] = [
    "std::sys::sync::mutex::",
    "std::sys::sync::rwlock::",
    "std::sync::poison::mutex::",
    "std::sync::poison::rwlock::",
    "parking_lot::",
    "lock_api::",
];

/// The lock that most samples were taken at, if there are any.
///
/// A mutex of Rust that is free is acquired in the caller's code, so its functions show only where
/// a thread has to wait. A lock of C is acquired by a call either way: it counts if threads wait.
pub(crate) fn sampled_lock(profile: &Profile, waits: bool) -> Option<SampledLock> {
    let samples = profile.samples.as_ref()?;
    let mut places: BTreeMap<(Option<&Location>, Option<&str>), f64> = BTreeMap::new();
    let mut all = 0.0;
    for stack in &samples.stacks {
        all += stack.on_work;
        let inner = library_frames(samples, stack);
        let locks = |frame: &&StackFrame| {
            let name = frame.function.as_deref().unwrap_or_default();
            is_one_of(&LOCKING, name) && (waits || !name.contains("pthread"))
                || waits && is_of_lock_module(name)
        };
        if !inner.iter().any(locks) {
            continue;
        }
        let caller = frames(samples, &stack.frames).find(|frame| frame.user_code);
        let place = caller.map_or((None, None), |frame| {
            (frame.location.as_ref(), frame.function.as_deref())
        });
        *places.entry(place).or_default() += stack.on_work;
    }
    let (place, weight) = places
        .into_iter()
        .max_by(|one, other| one.1.total_cmp(&other.1))?;
    (weight > 0.0).then(|| SampledLock {
        location: place.0.cloned(),
        function: place.1.map(str::to_owned),
        share: weight / all,
    })
}

/// The share of the samples on the critical path at `nodes` that free memory.
pub(crate) fn freeing_share(profile: &Profile, nodes: impl Fn(NodeId) -> bool) -> f64 {
    let Some(samples) = &profile.samples else {
        return 0.0;
    };
    let (mut all, mut freeing) = (0.0, 0.0);
    for stack in samples.stacks.iter().filter(|stack| nodes(stack.node)) {
        all += stack.on_span;
        let mut inner = library_frames(samples, stack).into_iter();
        if inner.any(|frame| is_one_of(&FREEING, frame.function.as_deref().unwrap_or_default())) {
            freeing += stack.on_span;
        }
    }
    if all > 0.0 { freeing / all } else { 0.0 }
}

/// The share of the samples on the work at `nodes` that `par_bridge` takes under its lock: waiting
/// for it, and in the serial iterator.
pub(crate) fn bridge_lock_share(profile: &Profile, nodes: impl Fn(NodeId) -> bool) -> f64 {
    let Some(samples) = &profile.samples else {
        return 0.0;
    };
    let (mut all, mut locked) = (0.0, 0.0);
    for stack in samples.stacks.iter().filter(|stack| nodes(stack.node)) {
        all += stack.on_work;
        let names: Vec<&str> = frames(samples, &stack.frames)
            .map(|frame| frame.function.as_deref().unwrap_or_default())
            .collect();
        let bridge = names
            .iter()
            .position(|name| name.contains("rayon::iter::par_bridge::"));
        let called = bridge.and_then(|at| at.checked_sub(1)).map(|at| names[at]);
        if called.is_some_and(|name| name.ends_with("::next") || is_of_lock_module(name)) {
            locked += stack.on_work;
        }
    }
    if all > 0.0 { locked / all } else { 0.0 }
}

fn frames<'a>(samples: &'a Samples, frames: &'a [FrameId]) -> impl Iterator<Item = &'a StackFrame> {
    frames.iter().map(|id| &samples.frames[id.index()])
}

/// The frames inside of the user's innermost code.
fn library_frames<'a>(samples: &'a Samples, stack: &'a SampledStack) -> Vec<&'a StackFrame> {
    frames(samples, &stack.frames)
        .take_while(|frame| !frame.user_code)
        .collect()
}

fn is_one_of(names: &[&str], function: &str) -> bool {
    let last = function.rsplit("::").next().unwrap_or_default();
    names.contains(&last)
}

fn is_of_lock_module(function: &str) -> bool {
    LOCK_MODULES
        .iter()
        .any(|module| function.starts_with(module))
}
