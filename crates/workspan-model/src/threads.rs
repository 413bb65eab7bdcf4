//! What threads did: where their time went, what they waited for, and at which locks.

pub(crate) mod contention;
pub(crate) mod efficiency;
pub(crate) mod lock_row;
pub(crate) mod placement;
pub(crate) mod standstill;
pub(crate) mod time;
