//! The protocols between the engine's threads, under every order of their steps and every value that the memory model
//! lets a load see. `ci/loom` runs this.
//!
//! The modules are the engine's own sources; only what they take from [`sync`] is loom's here. Their unit tests cannot
//! run so, which is why `ci/loom` asks for `models` alone.
#![cfg(loom)]
// The modules are here for a part of what they can do.
#![allow(dead_code)]

#[path = "../../src/effort.rs"]
mod effort;
#[path = "../../src/frame.rs"]
mod frame;
#[path = "../../src/log.rs"]
mod log;
#[path = "../../src/longest.rs"]
mod longest;
#[path = "../../src/segment.rs"]
mod segment;
#[path = "../../src/stop.rs"]
mod stop;
#[path = "../../src/idle/wait.rs"]
mod wait;

mod models;
mod sync;

/// As much of the engine's `table` as these modules know.
mod table {
    use loom::sync::atomic::{AtomicI64, Ordering};

    pub(crate) struct Counter(AtomicI64);

    impl Counter {
        pub(crate) fn new(n: i64) -> Self {
            Self(AtomicI64::new(n))
        }

        pub(crate) fn get(&self) -> i64 {
            self.0.load(Ordering::Relaxed)
        }

        pub(crate) fn set(&self, n: i64) {
            self.0.store(n, Ordering::Relaxed);
        }
    }
}

/// As much of the engine's `thread` as these modules know.
mod thread {
    use loom::cell::UnsafeCell;
    use loom::sync::atomic::AtomicBool;

    pub(crate) struct Thread {
        pub(crate) busy: AtomicBool,
        /// Stands for all that a thread writes in its bookkeeping.
        pub(crate) account: UnsafeCell<u32>,
    }

    impl Thread {
        pub(crate) fn begin_pause(&self) -> i64 {
            0
        }

        pub(crate) fn end_pause(&self, _: i64) {}

        pub(crate) fn leave_program(&self) {}

        pub(crate) fn enter_program(&self) {}
    }
}
