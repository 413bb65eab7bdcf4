//! Accounts of paths through the task dag: how long a path is, what it went through, and how paths
//! meet.

pub(crate) mod beginning;
pub(crate) mod executed;
pub(crate) mod frame;
pub(crate) mod group;
pub(crate) mod identity;
pub(crate) mod log;
pub(crate) mod longest;
pub(crate) mod open_frames;
pub(crate) mod segment;
pub(crate) mod spawn_point;
pub(crate) mod stretch;
pub(crate) mod to_end;
