//! The protocols between the engine's threads, under every order of their steps and every value
//! that the memory model lets a load see. `ci/loom` runs this.
//!
//! The modules are the engine's own sources; only what they take from [`sync`] is loom's here.
//! Their unit tests cannot run like this, so `ci/loom` only runs `models`.
#![cfg(loom)]
// Only a part of the modules is used here.
#![allow(dead_code)]

#[path = "../../../workspan-engine/workspan_rt/path/executed.rs"]
mod executed;
#[path = "../../../workspan-engine/workspan_rt/path/frame.rs"]
mod frame;
#[path = "../../../workspan-engine/workspan_rt/thread/guard.rs"]
mod guard;
#[path = "../../../workspan-engine/workspan_rt/path/log.rs"]
mod log;
#[path = "../../../workspan-engine/workspan_rt/path/longest.rs"]
mod longest;
#[path = "../../../workspan-engine/workspan_rt/path/segment.rs"]
mod segment;
#[path = "../../../workspan-engine/workspan_rt/state/stop.rs"]
mod stop;
#[path = "../../../workspan-engine/workspan_rt/idle/wait.rs"]
mod wait;

mod models;
mod sync;

/// The part of the engine's `path` that is compiled here.
mod path {
    pub(crate) use crate::{executed, frame, log, segment};
}

/// The part of the engine's `state` that is compiled here.
mod state {
    pub(crate) use crate::stop;
}

/// The part of the engine's `system` that these modules use.
mod system {
    pub(crate) use crate::sync;

    pub(crate) mod tally {
        use loom::sync::atomic::{AtomicI64, Ordering};

        pub(crate) struct Tally(AtomicI64);

        impl Tally {
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
}

/// The part of the engine's `thread` that these modules use.
mod thread {
    use loom::cell::UnsafeCell;
    use loom::sync::atomic::AtomicBool;

    pub(crate) struct Thread {
        pub(crate) busy: AtomicBool,
        /// Stands for everything that a thread writes in its bookkeeping.
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
