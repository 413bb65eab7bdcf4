//! The program without its parallelism: `WORKSPAN_ELISION=1`.
//!
//! Every call runs what it is given in place, one thing after another on the calling thread, as if
//! that were the only thread of every pool: `current_num_threads` is 1 and `current_thread_index`
//! is 0. No thread is started. What a sequential program cannot do the way rayon does:
//!
//! * A spawned task runs where it is spawned, before the spawner continues. A task that waits for
//!   what its spawner does afterwards, or for a sibling, waits forever; and a chain of tasks each
//!   of which spawns the next one is as deep on the stack as it is long.
//! * Pools have no threads of their own: handlers of their starts and ends, and functions that
//!   start threads, are not called, and there is no stack of the requested size.
//! * Threads that the program starts itself still run in parallel, each as thread 0 of the same
//!   pools.
//! * `build_global` succeeds the first time, even after a parallel call.
//!
//! Results and panics are rayon's. A `join` runs its right branch even if the left one panics, and
//! passes the left one's panic on; a scope runs all its tasks and its body to the end, and passes
//! the first panic on; a detached task's panic goes to the pool's handler (for `rayon::spawn`, the
//! global pool's), and without one it ends the process.

use rayon_core_real as real;
use std::any::Any;
use std::io;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::{Mutex, OnceLock, PoisonError};

pub(crate) type PanicHandler = dyn Fn(Box<dyn Any + Send>) + Send + Sync;

#[inline]
pub(crate) fn join<RA, RB>(left: impl FnOnce() -> RA, right: impl FnOnce() -> RB) -> (RA, RB) {
    match catch_unwind(AssertUnwindSafe(left)) {
        Ok(left) => (left, right()),
        Err(panic) => {
            let _ = catch_unwind(AssertUnwindSafe(right));
            resume_unwind(panic)
        }
    }
}

/// The first panic of a scope's body and tasks.
#[derive(Default)]
pub(crate) struct Panics(Mutex<Option<Box<dyn Any + Send>>>);

impl Panics {
    /// Runs a part of the scope. `None` if it panics.
    pub(crate) fn catch<R>(&self, part: impl FnOnce() -> R) -> Option<R> {
        match catch_unwind(AssertUnwindSafe(part)) {
            Ok(result) => Some(result),
            Err(panic) => {
                let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert(panic);
                None
            }
        }
    }

    /// Runs a scope, whose body is `body`.
    pub(crate) fn scope<R>(body: impl FnOnce(&Self) -> R) -> R {
        let panics = Self::default();
        let result = panics.catch(|| body(&panics));
        let first = panics
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        match (first, result) {
            (None, Some(result)) => result,
            (Some(panic), _) => resume_unwind(panic),
            (None, None) => unreachable!("a body without a result has panicked"),
        }
    }
}

/// A pool without threads.
#[derive(Default)]
pub(crate) struct Pool {
    panic_handler: Option<Box<PanicHandler>>,
}

static GLOBAL: OnceLock<Pool> = OnceLock::new();

impl Pool {
    pub(crate) fn new(panic_handler: Option<Box<PanicHandler>>) -> Self {
        Self { panic_handler }
    }

    /// Makes this the global pool.
    ///
    /// # Errors
    /// Rayon's, if there is a global pool already.
    pub(crate) fn make_global(self) -> Result<(), real::ThreadPoolBuildError> {
        // Only rayon can make the error. Its own global pool never comes into being: the first
        // thread fails to start, and rayon tries only once.
        let never = |_: real::ThreadBuilder| Err(io::Error::from(io::ErrorKind::Unsupported));
        let real = real::ThreadPoolBuilder::new().num_threads(1);
        let failed = real.spawn_handler(never).build_global();
        if GLOBAL.set(self).is_err() {
            failed?;
        }
        Ok(())
    }

    /// The global pool.
    pub(crate) fn global() -> &'static Self {
        static DEFAULT: Pool = Pool {
            panic_handler: None,
        };
        GLOBAL.get().unwrap_or(&DEFAULT)
    }

    /// Runs a detached task.
    pub(crate) fn run_detached(&self, task: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(task)) {
            let handled = self
                .panic_handler
                .as_ref()
                .is_some_and(|handler| catch_unwind(AssertUnwindSafe(|| handler(panic))).is_ok());
            if !handled {
                eprintln!("Rayon: detected unexpected panic; aborting");
                std::process::abort();
            }
        }
    }
}
