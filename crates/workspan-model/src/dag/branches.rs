//! Which vertices one task or branch runs one after another.

use super::{Dag, VertexId, VertexKind};

/// The branches of a dag: the program's own, and one for each task and each side of a `join`.
pub(super) struct Branches {
    /// Of each vertex, its branch.
    of: Vec<u32>,
    /// Each after the one that it forks from.
    all: Vec<Branch>,
}

/// A path that runs from a fork, or the beginning of the program, to its sync.
#[derive(Clone, Copy)]
pub(super) struct Branch {
    /// The branch that it forks from; its own for the program's.
    pub(super) parent: u32,
    pub(super) first: VertexId,
    pub(super) last: VertexId,
}

impl Branches {
    pub(super) fn of(dag: &Dag) -> Self {
        const UNKNOWN: u32 = u32::MAX;
        let mut of = vec![UNKNOWN; dag.vertices.len()];
        let mut all = vec![Branch {
            parent: 0,
            first: VertexId(0),
            last: VertexId(0),
        }];
        for (at, vertex) in dag.vertices.iter().enumerate() {
            let id = VertexId(at as u32);
            let branch = match (vertex.kind, of[at]) {
                (VertexKind::Sync, _) => of[vertex.begun_by.index()],
                (_, UNKNOWN) => 0,
                (_, known) => known,
            };
            of[at] = branch;
            all[branch as usize].last = id;
            for (place, successor) in dag.successors(id).iter().enumerate() {
                let first = successor.to();
                let is_new = match vertex.kind {
                    VertexKind::Fork => true,
                    VertexKind::Spawn => place > 0,
                    _ => false,
                };
                let next = &mut of[first.index()];
                if *next != UNKNOWN {
                    continue;
                }
                *next = branch;
                if is_new && dag.vertices[first.index()].kind != VertexKind::Sync {
                    *next = all.len() as u32;
                    all.push(Branch {
                        parent: branch,
                        first,
                        last: first,
                    });
                }
            }
        }
        Self { of, all }
    }

    /// The branch that `vertex` is in, by its number.
    pub(super) fn number_of(&self, vertex: VertexId) -> u32 {
        self.of[vertex.index()]
    }

    /// The branch that begins with `vertex`.
    pub(super) fn beginning_with(&self, vertex: VertexId) -> Option<&Branch> {
        let branch = &self.all[self.of[vertex.index()] as usize];
        (branch.first == vertex).then_some(branch)
    }

    /// Sums over branches and all that fork from them, of what `own` says of the vertices.
    pub(super) fn sums(&self, own: impl Fn(VertexId) -> u64) -> Vec<u64> {
        let mut sums = vec![0; self.all.len()];
        for (vertex, branch) in (0..).map(VertexId).zip(&self.of) {
            sums[*branch as usize] += own(vertex);
        }
        for branch in (1..self.all.len()).rev() {
            sums[self.all[branch].parent as usize] += sums[branch];
        }
        sums
    }
}
