//! Lanes that nothing refers to, where a record ends before the program or where the program ended in the middle of it.
//!
//! A join tells which lanes its branches were where it ends. Of one that never ended, or that a killed program has not
//! written down any more, the lanes hang loose. To begin them with the program would make everything that ran last
//! parallel to everything else. So they are given to the joins that were open: the first lane of a node to the outermost
//! such join of the node. That may be another join of the same recursion than the true one.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use workspan_model::{VertexId, VertexKind};

use super::draft::Draft;
use super::links::{Branch, Ends, ForeignJoin, Links};
use super::places::Places;

/// A lane that nothing refers to.
#[derive(Clone, Copy)]
pub(super) struct Loose {
    name: u64,
    what: What,
    ends: Ends,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Left { node: u32 },
    Right { node: u32 },
    Call,
}

impl Links {
    /// Gives the `loose` lanes to open joins. By that something may wait for itself.
    pub(super) fn tie_loose(&mut self, loose: Vec<Loose>, draft: &mut Draft, places: &Places) {
        let named: BTreeSet<u64> = loose.iter().map(|lane| lane.name).collect();
        let mut within: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        let mut ready = VecDeque::new();
        for index in self.open_joins() {
            match self.joins[index].home {
                Some(home) if named.contains(&home) => {
                    within.entry(home).or_default().push(index);
                }
                _ => ready.push_back(index),
            }
        }
        let end = self.root.map(|root| root.tail);
        let mut guess = Guess {
            loose,
            within,
            ready,
            end,
        };
        guess.tie(&mut self.joins, draft, places);
    }

    /// The lanes that nothing refers to, in the order in which they began.
    pub(super) fn loose(&self) -> Vec<Loose> {
        let branches = self.joins.iter().flat_map(|join| [join.left, join.right]);
        let known: BTreeSet<u64> = branches
            .filter_map(|branch| match branch {
                Branch::Lane(name) => Some(name),
                _ => None,
            })
            .collect();
        let lanes = self.lanes.iter().map(|lane| Loose {
            name: lane.name,
            what: match lane.is_left {
                true => What::Left { node: lane.node },
                false => What::Right { node: lane.node },
            },
            ends: lane.ends,
        });
        let lanes = lanes.filter(|lane| !known.contains(&lane.name));
        let known: BTreeSet<u64> = self.handoffs.iter().map(|handoff| handoff.name).collect();
        let calls = self.calls.iter().map(|&(name, ends)| Loose {
            name,
            what: What::Call,
            ends,
        });
        let calls = calls.filter(|call| !known.contains(&call.name));
        let mut loose: Vec<Loose> = lanes.chain(calls).collect();
        loose.sort_by_key(|lane| lane.ends.head);
        loose
    }

    /// The joins of which a branch is not known, the outermost of a thread first.
    fn open_joins(&self) -> Vec<usize> {
        let is_open =
            |join: &ForeignJoin| join.left == Branch::Unknown || join.right == Branch::Unknown;
        let joins = self.joins.iter().enumerate();
        let mut open: Vec<usize> = joins
            .filter(|(_, join)| is_open(join))
            .map(|(index, _)| index)
            .collect();
        open.sort_by_key(|&index| self.joins[index].fork);
        open
    }
}

/// Which lane belongs to which join.
struct Guess {
    loose: Vec<Loose>,
    /// Open joins by the loose lane in which they are.
    within: BTreeMap<u64, Vec<usize>>,
    /// Open joins in lanes that have their place.
    ready: VecDeque<usize>,
    /// The end of what the program's own thread has told.
    end: Option<VertexId>,
}

impl Guess {
    fn tie(&mut self, joins: &mut Vec<ForeignJoin>, draft: &mut Draft, places: &Places) {
        loop {
            while let Some(index) = self.ready.pop_front() {
                self.tie_join(&mut joins[index], draft);
            }
            // Whoever is outside the pool waits for what it has there: one after the other, when it had told all that it did.
            let is_from_outside = |lane: &Loose| !matches!(lane.what, What::Right { .. });
            if let Some(lane) = self.take(is_from_outside) {
                match lane.what {
                    What::Left { node } => {
                        joins.push(self.join_around(lane, node, draft, places));
                        self.ready.push_front(joins.len() - 1);
                    }
                    _ => self.go_on_with(lane.ends, draft),
                }
                continue;
            }
            // Nothing is known of where it was forked; of what was forked in it there may be.
            let within = &self.within;
            let holds_more = |lane: &Loose| within.contains_key(&lane.name);
            match self.loose.iter().position(holds_more) {
                Some(place) => {
                    let lane = self.loose.remove(place);
                    self.release(lane.name);
                }
                None => break,
            }
        }
    }

    fn tie_join(&mut self, join: &mut ForeignJoin, draft: &mut Draft) {
        let node = join.node;
        if join.left == Branch::Unknown {
            let left = self.take(|lane| lane.what == What::Left { node });
            join.left = left.map_or(Branch::Nowhere, |lane| Branch::Lane(lane.name));
        }
        if join.right == Branch::Unknown {
            // A thread does not steal from itself.
            let owner = (join.left == Branch::Here).then(|| draft.vertex(join.fork).worker);
            let right = self.take(|lane| {
                let worker = draft.vertex(lane.ends.head).worker;
                lane.what == What::Right { node } && Some(worker) != owner
            });
            join.right = right.map_or(Branch::Nowhere, |lane| Branch::Lane(lane.name));
        }
    }

    /// The first loose lane that is `wanted`; the joins in it have their place from now on.
    fn take(&mut self, wanted: impl FnMut(&Loose) -> bool) -> Option<Loose> {
        let place = self.loose.iter().position(wanted)?;
        let lane = self.loose.remove(place);
        self.release(lane.name);
        Some(lane)
    }

    fn release(&mut self, lane: u64) {
        self.ready
            .extend(self.within.remove(&lane).into_iter().flatten());
    }

    /// A join whose left branch is `lane`, behind all that is known of the program's own thread.
    fn join_around(
        &mut self,
        lane: Loose,
        node: u32,
        draft: &mut Draft,
        places: &Places,
    ) -> ForeignJoin {
        let worker = draft.vertex(lane.ends.head).worker;
        let at = places.outside(node);
        let outer = places.above(node);
        let fork = draft.empty(VertexKind::Fork, worker, outer, at);
        let sync = draft.empty(VertexKind::Sync, worker, outer, at);
        draft.vertex(sync).begun_by = fork;
        let (head, tail) = (fork, sync);
        self.go_on_with(Ends { head, tail }, draft);
        ForeignJoin {
            fork,
            sync,
            node,
            left: Branch::Lane(lane.name),
            right: Branch::Unknown,
            home: None,
        }
    }

    fn go_on_with(&mut self, ends: Ends, draft: &mut Draft) {
        if let Some(end) = self.end.replace(ends.tail) {
            draft.edge(end, ends.head, false);
        }
    }
}
