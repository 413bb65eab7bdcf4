//! The means of communication between threads in the modules that `tests/loom` checks: there, these
//! names stand for loom's.

pub(crate) use std::cell::UnsafeCell;
pub(crate) use std::sync::atomic::{
    compiler_fence, fence, AtomicI64, AtomicPtr, AtomicU8, Ordering,
};
pub(crate) use std::sync::{Arc, Mutex, PoisonError};
pub(crate) use std::thread::sleep;
pub(crate) use std::time::Instant;
