//! Guesses where loose lanes belong: lanes that nothing refers to.
//!
//! A join names the lanes of its branches where it ends. If it never ended, or a killed program did
//! not write that down, these lanes are loose. If they began with the program, everything that ran
//! last would be parallel to everything else. Instead they are assigned to the joins that are
//! incomplete: the first lane of a node to the outermost such join of that node. In a recursion
//! that may be the wrong join.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use workspan_model::{VertexId, VertexKind};

use super::draft::Draft;
use super::links::{Branch, Ends, Links, SplitJoin};
use super::places::Places;

/// A lane that nothing refers to.
#[derive(Clone, Copy)]
pub(super) struct LooseLane {
    name: u64,
    kind: Kind,
    ends: Ends,
}

/// What a loose lane is. `node` is that of the join.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Left { node: u32 },
    Right { node: u32 },
    Call,
}

impl Links {
    /// Assigns the `loose` lanes to incomplete joins. That can make vertices wait for themselves.
    pub(super) fn assign_loose(
        &mut self,
        loose: Vec<LooseLane>,
        draft: &mut Draft,
        places: &Places,
    ) {
        let names: BTreeSet<u64> = loose.iter().map(|lane| lane.name).collect();
        let mut joins_in: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        let mut ready = VecDeque::new();
        for index in self.incomplete_joins() {
            match self.joins[index].enclosing {
                Some(lane) if names.contains(&lane) => {
                    joins_in.entry(lane).or_default().push(index);
                }
                _ => ready.push_back(index),
            }
        }
        let end = self.root.map(|root| root.tail);
        let mut guess = Guess {
            loose,
            joins_in,
            ready,
            end,
        };
        guess.assign(&mut self.joins, draft, places);
    }

    /// The loose lanes, in the order in which they began.
    pub(super) fn loose_lanes(&self) -> Vec<LooseLane> {
        let branches = self.joins.iter().flat_map(|join| [join.left, join.right]);
        let known: BTreeSet<u64> = branches
            .filter_map(|branch| match branch {
                Branch::Lane(name) => Some(name),
                _ => None,
            })
            .collect();
        let lanes = self.lanes.iter().map(|lane| LooseLane {
            name: lane.name,
            kind: if lane.is_left {
                Kind::Left { node: lane.node }
            } else {
                Kind::Right { node: lane.node }
            },
            ends: lane.ends,
        });
        let lanes = lanes.filter(|lane| !known.contains(&lane.name));
        let known: BTreeSet<u64> = self.handoffs.iter().map(|handoff| handoff.name).collect();
        let calls = self.calls.iter().map(|&(name, ends)| LooseLane {
            name,
            kind: Kind::Call,
            ends,
        });
        let calls = calls.filter(|call| !known.contains(&call.name));
        let mut loose: Vec<LooseLane> = lanes.chain(calls).collect();
        loose.sort_by_key(|lane| lane.ends.head);
        loose
    }

    /// The indices of the joins with an unknown branch, the outermost of a thread first.
    fn incomplete_joins(&self) -> Vec<usize> {
        let is_incomplete =
            |join: &SplitJoin| join.left == Branch::Unknown || join.right == Branch::Unknown;
        let mut joins: Vec<usize> = (0..self.joins.len())
            .filter(|&index| is_incomplete(&self.joins[index]))
            .collect();
        joins.sort_by_key(|&index| self.joins[index].fork);
        joins
    }
}

/// The assignment of lanes to joins, under way.
struct Guess {
    /// The lanes that are not assigned yet.
    loose: Vec<LooseLane>,
    /// Incomplete joins by the loose lane in which they are.
    joins_in: BTreeMap<u64, Vec<usize>>,
    /// Incomplete joins in lanes that are not loose, or are assigned.
    ready: VecDeque<usize>,
    /// The last vertex of the program's lane, and of lanes assigned to follow it.
    end: Option<VertexId>,
}

impl Guess {
    fn assign(&mut self, joins: &mut Vec<SplitJoin>, draft: &mut Draft, places: &Places) {
        loop {
            while let Some(index) = self.ready.pop_front() {
                self.complete(&mut joins[index], draft);
            }
            // A thread outside the pool waits for what it has run in the pool: such lanes follow
            // the program's lane, one after another.
            let is_from_outside = |lane: &LooseLane| !matches!(lane.kind, Kind::Right { .. });
            if let Some(lane) = self.take(is_from_outside) {
                match lane.kind {
                    Kind::Left { node } => {
                        joins.push(self.join_around(lane, node, draft, places));
                        self.ready.push_front(joins.len() - 1);
                    }
                    _ => self.go_on_with(lane.ends, draft),
                }
                continue;
            }
            // Where the other lanes were forked is not known, but lanes may have been forked in
            // them.
            let joins_in = &self.joins_in;
            let holds_joins = |lane: &LooseLane| joins_in.contains_key(&lane.name);
            let Some(place) = self.loose.iter().position(holds_joins) else {
                break;
            };
            let lane = self.loose.remove(place);
            self.release(lane.name);
        }
    }

    /// Assigns loose lanes to the unknown branches of `join`.
    fn complete(&mut self, join: &mut SplitJoin, draft: &mut Draft) {
        let node = join.node;
        if join.left == Branch::Unknown {
            let left = self.take(|lane| lane.kind == Kind::Left { node });
            join.left = left.map_or(Branch::Nowhere, |lane| Branch::Lane(lane.name));
        }
        if join.right == Branch::Unknown {
            // A thread does not steal from itself.
            let owner = (join.left == Branch::Here).then(|| draft.vertex(join.fork).worker);
            let right = self.take(|lane| {
                let worker = draft.vertex(lane.ends.head).worker;
                lane.kind == Kind::Right { node } && Some(worker) != owner
            });
            join.right = right.map_or(Branch::Nowhere, |lane| Branch::Lane(lane.name));
        }
    }

    /// Takes out the first loose lane that is `wanted`, and releases the joins in it.
    fn take(&mut self, wanted: impl FnMut(&LooseLane) -> bool) -> Option<LooseLane> {
        let place = self.loose.iter().position(wanted)?;
        let lane = self.loose.remove(place);
        self.release(lane.name);
        Some(lane)
    }

    /// Makes the joins in `lane` ready.
    fn release(&mut self, lane: u64) {
        self.ready
            .extend(self.joins_in.remove(&lane).into_iter().flatten());
    }

    /// A join whose left branch is `lane`, at the end of the program's lane.
    fn join_around(
        &mut self,
        lane: LooseLane,
        node: u32,
        draft: &mut Draft,
        places: &Places,
    ) -> SplitJoin {
        let worker = draft.vertex(lane.ends.head).worker;
        let at = places.outside(node);
        let outer = places.parent(node);
        let fork = draft.add_empty(VertexKind::Fork, worker, outer, at);
        let sync = draft.add_empty(VertexKind::Sync, worker, outer, at);
        draft.vertex(sync).begun_by = fork;
        let (head, tail) = (fork, sync);
        self.go_on_with(Ends { head, tail }, draft);
        SplitJoin {
            fork,
            sync,
            node,
            left: Branch::Lane(lane.name),
            right: Branch::Unknown,
            enclosing: None,
        }
    }

    /// Makes a lane, or a join around one, follow the program's lane.
    fn go_on_with(&mut self, ends: Ends, draft: &mut Draft) {
        if let Some(end) = self.end.replace(ends.tail) {
            draft.add_edge(end, ends.head, false);
        }
    }
}
