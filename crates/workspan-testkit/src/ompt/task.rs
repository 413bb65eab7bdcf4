//! The oracle's state of tasks and regions.

use crate::graph::Vertex;

use super::site::Site;

pub type TaskId = usize;
pub type RegionId = usize;
pub type GroupId = usize;

/// A kind of dependence (`ompt_dependence_type_t`).
#[derive(Clone, Copy, PartialEq)]
pub enum Access {
    In,
    Out,
    Mutexinoutset,
    Inoutset,
}

impl Access {
    pub fn of(kind: u32) -> Result<Self, String> {
        match kind {
            1 => Ok(Access::In),
            2 | 3 => Ok(Access::Out),
            4 => Ok(Access::Mutexinoutset),
            7 => Ok(Access::Inoutset),
            _ => Err(format!("dependence of kind {kind}")),
        }
    }

    /// Whether a task that accesses a place in this way must follow an `earlier` access (15.9.5).
    /// Tasks of a `mutexinoutset` may run in any order.
    pub fn follows(self, earlier: Self) -> bool {
        self == Access::Out || self != earlier
    }
}

/// A task: explicit, implicit, or initial.
pub struct Task {
    /// Its last vertex so far.
    pub at: Vertex,
    /// The constructs that it is in, the innermost last.
    pub stack: Vec<Site>,
    pub parent: Option<TaskId>,
    /// The region of its implicit task.
    pub region: RegionId,
    /// The region that it encountered last.
    pub region_within: Option<RegionId>,
    /// The task groups that it is in, including those that it has begun.
    pub groups: Vec<GroupId>,
    /// The code addresses of the groups that it has begun.
    pub own_groups: Vec<u64>,
    /// Each with the piece in which it was created.
    pub children: Vec<(TaskId, Option<Piece>)>,
    pub places: Vec<(u64, Access)>,
    pub worksharing: Option<Worksharing>,
    pub worksharings: usize,
    /// The number of barriers that it has arrived at, and that it has passed.
    pub arrived: usize,
    pub passed: usize,
    pub is_explicit: bool,
    pub is_final: bool,
    pub is_undeferred: bool,
    pub has_begun: bool,
    pub has_ended: bool,
    /// The program's number for it.
    pub program_task: Option<u64>,
}

/// A piece of a worksharing construct: the construct's number in its task, and its own number in
/// the construct.
pub type Piece = (usize, usize);

pub struct Worksharing {
    pub start: Vertex,
    /// The ends of the pieces that are over.
    pub ends: Vec<Vertex>,
    pub has_reported_piece: bool,
}

pub struct Region {
    pub start: Vertex,
    /// The stack of the task that encountered it.
    pub stack: Vec<Site>,
    pub code: u64,
    pub threads: u32,
    pub members: Vec<TaskId>,
    /// For each barrier, the vertices at which tasks arrived, and that at which all go on.
    pub barriers: Vec<(Vec<Vertex>, Option<Vertex>)>,
}

impl Task {
    /// The piece of a worksharing construct that is being executed.
    pub fn piece(&self) -> Option<Piece> {
        let worksharing = self.worksharing.as_ref()?;
        Some((self.worksharings, worksharing.ends.len()))
    }

    /// The children that the task has created so far; within a piece, only those created in it, as
    /// `docs/openmp.md` says.
    pub fn children_before(&self) -> impl Iterator<Item = TaskId> + '_ {
        let piece = self.piece();
        (self.children.iter())
            .filter(move |(_, created_in)| piece.is_none() || *created_in == piece)
            .map(|(child, _)| *child)
    }

    /// Whether the task must follow a sibling that was created earlier.
    pub fn follows(&self, earlier: &Task) -> bool {
        self.places.iter().any(|(place, access)| {
            (earlier.places.iter()).any(|(other, before)| place == other && access.follows(*before))
        })
    }
}
