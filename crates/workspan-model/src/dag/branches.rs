//! The vertices that one task or branch runs one after another.

use super::{Dag, VertexId, VertexKind};

/// The branches of a dag: the main one, and one for each task and each side of a `join`.
pub(super) struct Branches {
    /// The number of each vertex's branch.
    branch_of: Vec<u32>,
    /// Each branch comes after the one that it forks from.
    branches: Vec<Branch>,
}

/// A path from a fork, or from the beginning of the program, to its sync.
#[derive(Clone, Copy)]
pub(super) struct Branch {
    /// The branch that it forks from; the main branch is its own parent.
    pub(super) parent: u32,
    pub(super) first: VertexId,
    pub(super) last: VertexId,
}

impl Branches {
    pub(super) fn new(dag: &Dag) -> Self {
        const UNKNOWN: u32 = u32::MAX;
        let mut branch_of = vec![UNKNOWN; dag.vertices.len()];
        let mut branches = vec![Branch {
            parent: 0,
            first: VertexId(0),
            last: VertexId(0),
        }];
        for (at, vertex) in dag.vertices.iter().enumerate() {
            let id = VertexId(at as u32);
            let branch = match (vertex.kind, branch_of[at]) {
                (VertexKind::Sync, _) => branch_of[vertex.begun_by.index()],
                (_, UNKNOWN) => 0,
                (_, known) => known,
            };
            branch_of[at] = branch;
            branches[branch as usize].last = id;
            for (place, successor) in dag.successors(id).iter().enumerate() {
                let first = successor.to();
                let is_new = match vertex.kind {
                    VertexKind::Fork => true,
                    VertexKind::Spawn => place > 0,
                    _ => false,
                };
                let next = &mut branch_of[first.index()];
                if *next != UNKNOWN {
                    continue;
                }
                *next = branch;
                if is_new && dag.vertices[first.index()].kind != VertexKind::Sync {
                    *next = branches.len() as u32;
                    branches.push(Branch {
                        parent: branch,
                        first,
                        last: first,
                    });
                }
            }
        }
        Self {
            branch_of,
            branches,
        }
    }

    /// The number of the branch that `vertex` is in.
    pub(super) fn number_of(&self, vertex: VertexId) -> u32 {
        self.branch_of[vertex.index()]
    }

    /// The branch that begins with `vertex`, if one does.
    pub(super) fn beginning_with(&self, vertex: VertexId) -> Option<&Branch> {
        let branch = &self.branches[self.branch_of[vertex.index()] as usize];
        (branch.first == vertex).then_some(branch)
    }

    /// For each branch, the sum of `own` over its vertices and over those of all branches that fork
    /// from it.
    pub(super) fn sums(&self, own: impl Fn(VertexId) -> u64) -> Vec<u64> {
        let mut sums = vec![0; self.branches.len()];
        for (vertex, branch) in (0..).map(VertexId).zip(&self.branch_of) {
            sums[*branch as usize] += own(vertex);
        }
        for branch in (1..self.branches.len()).rev() {
            sums[self.branches[branch].parent as usize] += sums[branch];
        }
        sums
    }
}
