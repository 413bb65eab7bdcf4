//! Hubs: named points of the dag, at which any number of lanes go on after any number of others.

use std::collections::BTreeSet;

use workspan_model::{Boundary, VertexId, VertexKind};

use super::draft::Draft;

/// A lane that leads to a hub.
#[derive(Clone, Copy)]
pub(super) struct Reach {
    pub(super) hub: u64,
    pub(super) vertex: VertexId,
    /// Whether the vertex ends in a construct whose parts follow the hub.
    pub(super) begins_parts: bool,
}

/// A lane that goes on after a hub.
#[derive(Clone, Copy)]
pub(super) struct Leaving {
    pub(super) hub: u64,
    pub(super) is_stealable: bool,
    pub(super) vertex: VertexId,
    /// Whether the lane begins with that.
    pub(super) begins_lane: bool,
}

/// All that is told of hubs.
#[derive(Clone, Default)]
pub(super) struct Hubs {
    pub(super) reaches: Vec<Reach>,
    pub(super) leavings: Vec<Leaving>,
    /// Hubs that wait for hubs: from the one to the other.
    pub(super) leads: Vec<(u64, u64)>,
    /// Constructs in which a lane waits: the vertices before and behind.
    pub(super) constructs: Vec<(VertexId, VertexId)>,
}

impl Hubs {
    /// Makes edges of hubs, and a vertex of no length of one with several lanes on both sides. What has no place lies at
    /// `body`. A hub that nothing has reached, because the record ends early, orders nothing.
    pub(super) fn tie(mut self, draft: &mut Draft, body: Boundary) {
        self.make_leads(draft, body);
        self.reaches.sort_by_key(|reach| reach.hub);
        // What the worker goes on with itself comes first.
        self.leavings
            .sort_by_key(|leaving| (leaving.hub, leaving.is_stealable));
        let waiting = self.leavings.iter().filter(|leaving| !leaving.begins_lane);
        let waiting: BTreeSet<VertexId> = waiting.map(|leaving| leaving.vertex).collect();
        let mut tied = BTreeSet::new();
        for leavings in self.leavings.chunk_by(|one, next| one.hub == next.hub) {
            let reaches = self.reaching(leavings[0].hub);
            match (reaches, leavings) {
                ([], _) => continue,
                ([_], _) | (_, [_]) => tie_all(draft, reaches, leavings),
                _ => {
                    let vertex = draft.vertex(leavings[0].vertex);
                    let (worker, region) = (vertex.worker, vertex.region);
                    let region = draft.regions[region.index()];
                    let between =
                        draft.empty(VertexKind::Strand, worker, region.node.0, region.from);
                    let (hub, begins_parts) = (leavings[0].hub, false);
                    tie_all(
                        draft,
                        reaches,
                        &[Leaving {
                            vertex: between,
                            is_stealable: false,
                            ..leavings[0]
                        }],
                    );
                    let vertex = between;
                    let reach = Reach {
                        hub,
                        vertex,
                        begins_parts,
                    };
                    tie_all(draft, &[reach], leavings);
                }
            }
            tied.extend(
                leavings
                    .iter()
                    .map(|leaving| leaving.vertex)
                    .filter(|vertex| waiting.contains(vertex)),
            );
            // A lane that begins by waiting goes on with another one, whose thread waits, too.
            if let [before] = reaches {
                for leaving in leavings.iter().filter(|leaving| leaving.begins_lane) {
                    let vertex = draft.vertex(leaving.vertex);
                    if waiting.contains(&leaving.vertex) && vertex.kind == VertexKind::Strand {
                        vertex.kind = VertexKind::Sync;
                        vertex.begun_by = before.vertex;
                    }
                }
            }
        }
        for (before, sync) in self.constructs {
            if !tied.contains(&sync) {
                draft.edge(before, sync, false);
            }
        }
    }

    fn make_leads(&mut self, draft: &mut Draft, body: Boundary) {
        for (from, to) in std::mem::take(&mut self.leads) {
            let vertex = draft.empty(VertexKind::Strand, 0, 0, body);
            self.leavings.push(Leaving {
                hub: from,
                is_stealable: false,
                vertex,
                begins_lane: true,
            });
            self.reaches.push(Reach {
                hub: to,
                vertex,
                begins_parts: false,
            });
        }
    }

    fn reaching(&self, hub: u64) -> &[Reach] {
        let begin = self.reaches.partition_point(|reach| reach.hub < hub);
        let end = self.reaches.partition_point(|reach| reach.hub <= hub);
        &self.reaches[begin..end]
    }
}

fn tie_all(draft: &mut Draft, reaches: &[Reach], leavings: &[Leaving]) {
    for reach in reaches {
        let vertex = draft.vertex(reach.vertex);
        if reach.begins_parts && vertex.kind == VertexKind::Strand {
            vertex.kind = VertexKind::Fork;
        }
        for leaving in leavings {
            draft.edge(reach.vertex, leaving.vertex, leaving.is_stealable);
        }
    }
}
