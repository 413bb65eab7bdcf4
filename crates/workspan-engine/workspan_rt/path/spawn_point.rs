//! Where tasks are spawned.

use crate::path::frame::Frame;
use crate::path::group::Group;
use crate::path::identity::Identity;
use crate::path::segment::Chain;

/// A point of a path at which tasks are spawned.
pub(crate) struct Point {
    pub(crate) chain: Chain,
    pub(crate) depth: i64,
    pub(crate) burdened: i64,
    pub(crate) open: i64,
    /// The node of the tasks, and that of the strand which spawns them.
    pub(crate) node: u32,
    pub(crate) from: u32,
    pub(crate) top: bool,
    /// See [`Frame::awaited_own`].
    pub(crate) awaited_own: i64,
    pub(crate) spawner: Identity,
    pub(crate) awaited: Awaited,
    /// Its name in the record; 0 if it has none.
    pub(crate) recorded: u64,
    /// The session number of the session that it belongs to.
    pub(crate) session: u64,
}

/// Who awaits a task.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Awaited {
    /// A group, which outlives the task.
    By(*const Group),
    /// The end of the program.
    Detached,
    /// The thread that joins it: the task is a thread of the program.
    Joined,
}

// SAFETY: the chain is a handle on segments, which may be sent; the group is `Sync` and outlives
// its tasks; and the spawner is only compared.
unsafe impl Send for Point {}

// SAFETY: nothing in a point changes, segments and the group are `Sync`, and the spawner is only
// compared.
unsafe impl Sync for Point {}

impl Point {
    /// Whether the path of `frame` leads on from here, through nothing but the frame's own strands,
    /// to a spawn of tasks of `node` that `awaited` awaits.
    #[inline]
    pub(crate) fn leads_to(&self, frame: &mut Frame, node: u32, awaited: Awaited) -> bool {
        self.node == node && self.awaited == awaited && frame.continues(&self.chain)
    }
}
