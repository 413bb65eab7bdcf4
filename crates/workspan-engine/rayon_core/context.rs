//! What closures are told about where they run.

use rayon_core_real as real;
use std::fmt;
use std::marker::PhantomData;

/// Tells a closure how it was called; like rayon's `FnContext`.
pub struct FnContext {
    migrated: bool,
    /// Rayon's is neither `Send` nor `Sync`.
    marker: PhantomData<*mut ()>,
}

impl FnContext {
    #[inline]
    pub(crate) fn new(migrated: bool) -> Self {
        Self {
            migrated,
            marker: PhantomData,
        }
    }

    /// Does the closure run on another thread than the one that provided it?
    #[inline]
    pub fn migrated(&self) -> bool {
        self.migrated
    }
}

impl From<real::FnContext> for FnContext {
    #[inline]
    fn from(real: real::FnContext) -> Self {
        Self::new(real.migrated())
    }
}

impl fmt::Debug for FnContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FnContext")
            .field("migrated", &self.migrated)
            .finish_non_exhaustive()
    }
}

/// Tells a closure of `broadcast` which of the threads runs it; like rayon's `BroadcastContext`.
pub struct BroadcastContext<'a>(
    /// `None`: the only one.
    Option<real::BroadcastContext<'a>>,
    /// Rayon's is neither `Send` nor `Sync`.
    PhantomData<&'a mut dyn Fn()>,
);

impl BroadcastContext<'_> {
    /// The context of a broadcast to the calling thread alone.
    pub(crate) fn alone() -> Self {
        Self(None, PhantomData)
    }

    /// Index of the thread among those of the broadcast.
    #[inline]
    pub fn index(&self) -> usize {
        self.0.as_ref().map_or(0, real::BroadcastContext::index)
    }

    /// The number of threads of the broadcast.
    #[inline]
    pub fn num_threads(&self) -> usize {
        self.0
            .as_ref()
            .map_or(1, real::BroadcastContext::num_threads)
    }
}

impl<'a> From<real::BroadcastContext<'a>> for BroadcastContext<'a> {
    fn from(real: real::BroadcastContext<'a>) -> Self {
        Self(Some(real), PhantomData)
    }
}

impl fmt::Debug for BroadcastContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(real) => real.fmt(f),
            None => f
                .debug_struct("BroadcastContext")
                .field("index", &0)
                .field("num_threads", &1)
                .finish_non_exhaustive(),
        }
    }
}
