//! What the oracle knows of tasks and regions.

use crate::graph::Vertex;

use super::oracle::Site;

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

    /// Must a task that accesses a place in this way follow one that accesses it in that? (15.9.5.) Tasks of a
    /// `mutexinoutset` come in any order.
    pub fn follows(self, earlier: Self) -> bool {
        self == Access::Out || self != earlier
    }
}

/// A task: explicit, implicit, or initial.
pub struct Task {
    /// What it has done last.
    pub at: Vertex,
    /// The constructs that it is in, the innermost last.
    pub stack: Vec<Site>,
    pub parent: Option<TaskId>,
    /// Of its implicit task.
    pub region: RegionId,
    /// The region that it has come upon last.
    pub region_within: Option<RegionId>,
    /// The task groups that it is in, also those that it has begun.
    pub groups: Vec<GroupId>,
    /// The code of those that it has begun.
    pub own_groups: Vec<u64>,
    /// With the piece in which each was created.
    pub children: Vec<(TaskId, Option<Piece>)>,
    pub places: Vec<(u64, Access)>,
    pub worksharing: Option<Worksharing>,
    pub worksharings: usize,
    /// Barriers that it has come to, and gone on after.
    pub arrived: usize,
    pub passed: usize,
    pub is_explicit: bool,
    pub is_final: bool,
    pub is_undeferred: bool,
    pub has_begun: bool,
    pub has_ended: bool,
    /// What the program takes it for.
    pub program_task: Option<u64>,
}

/// A part of a worksharing construct: the number of that in its task, and its own in that.
pub type Piece = (usize, usize);

pub struct Worksharing {
    pub start: Vertex,
    /// Where the pieces have ended that are over.
    pub ends: Vec<Vertex>,
    pub was_told_of_piece: bool,
}

pub struct Region {
    pub start: Vertex,
    /// Of the task that came upon it.
    pub stack: Vec<Site>,
    pub code: u64,
    pub threads: u32,
    pub members: Vec<TaskId>,
    /// By number: who came when to a barrier, and where all went on.
    pub barriers: Vec<(Vec<Vertex>, Option<Vertex>)>,
}

impl Task {
    /// The piece of a worksharing construct that is being executed.
    pub fn piece(&self) -> Option<Piece> {
        let worksharing = self.worksharing.as_ref()?;
        Some((self.worksharings, worksharing.ends.len()))
    }

    /// The children that the task has created so far; in a piece, those that this has created, as `docs/openmp.md` says.
    pub fn children_before(&self) -> impl Iterator<Item = TaskId> + '_ {
        let piece = self.piece();
        (self.children.iter())
            .filter(move |(_, of)| piece.is_none() || *of == piece)
            .map(|(child, _)| *child)
    }

    /// Must the task follow a sibling that was created earlier?
    pub fn follows(&self, earlier: &Task) -> bool {
        self.places.iter().any(|(place, access)| {
            (earlier.places.iter()).any(|(other, before)| place == other && access.follows(*before))
        })
    }
}
