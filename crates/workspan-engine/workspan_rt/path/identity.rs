//! Which thread it is.

/// Distinguishes the data of one thread from those of all others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity(*const ());

impl Identity {
    /// The identity of the data at `thread`.
    #[inline(always)]
    pub(crate) fn of(thread: *const ()) -> Self {
        Self(thread)
    }
}
