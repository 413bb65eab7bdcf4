//! Hubs: points of the dag at which any number of lanes go on after any number of others.

use std::collections::BTreeSet;

use workspan_model::{Boundary, VertexId, VertexKind};

use super::draft::Draft;

/// A lane that arrives at a hub.
#[derive(Clone, Copy)]
pub(super) struct Arrival {
    pub(super) hub: u64,
    /// The vertex that ends at the hub.
    pub(super) vertex: VertexId,
    /// Whether the vertex ends in a construct whose parts depart from the hub.
    pub(super) begins_parts: bool,
}

/// A lane that departs from a hub.
#[derive(Clone, Copy)]
pub(super) struct Departure {
    pub(super) hub: u64,
    pub(super) is_stealable: bool,
    /// The vertex that begins at the hub.
    pub(super) vertex: VertexId,
    /// Whether the lane begins there, too.
    pub(super) begins_lane: bool,
}

/// Everything in the record about hubs.
#[derive(Clone, Default)]
pub(super) struct Hubs {
    pub(super) arrivals: Vec<Arrival>,
    pub(super) departures: Vec<Departure>,
    /// `(from, to)`: hub `to` comes after hub `from`.
    pub(super) leads: Vec<(u64, u64)>,
    /// Constructs in which a lane waits: the vertices before and behind.
    pub(super) constructs: Vec<(VertexId, VertexId)>,
}

impl Hubs {
    /// Turns hubs into edges, with an empty vertex for each hub that several lanes arrive at and
    /// several depart from. Leads become empty vertices at `body`. A hub at which nothing arrives,
    /// as in a record that ends early, orders nothing.
    pub(super) fn connect(mut self, draft: &mut Draft, body: Boundary) {
        self.add_leads(draft, body);
        self.arrivals.sort_by_key(|arrival| arrival.hub);
        // What the worker goes on with itself comes first.
        self.departures
            .sort_by_key(|departure| (departure.hub, departure.is_stealable));
        let waiting = self.departures.iter().filter(|one| !one.begins_lane);
        let waiting: BTreeSet<VertexId> = waiting.map(|departure| departure.vertex).collect();
        let mut connected = BTreeSet::new();
        for departures in self.departures.chunk_by(|one, next| one.hub == next.hub) {
            let arrivals = self.arrivals_at(departures[0].hub);
            match (arrivals, departures) {
                ([], _) => continue,
                ([_], _) | (_, [_]) => add_edges(draft, arrivals, departures),
                _ => {
                    let first = departures[0];
                    let vertex = draft.vertex(first.vertex);
                    let (worker, region) = (vertex.worker, vertex.region);
                    let region = draft.regions[region.index()];
                    let vertex =
                        draft.add_empty(VertexKind::Strand, worker, region.node.0, region.from);
                    let departure = Departure {
                        vertex,
                        is_stealable: false,
                        ..first
                    };
                    add_edges(draft, arrivals, &[departure]);
                    let arrival = Arrival {
                        hub: first.hub,
                        vertex,
                        begins_parts: false,
                    };
                    add_edges(draft, &[arrival], departures);
                }
            }
            connected.extend(
                departures
                    .iter()
                    .map(|departure| departure.vertex)
                    .filter(|vertex| waiting.contains(vertex)),
            );
            // A lane that begins by waiting continues the single lane that arrived here, whose
            // thread waits, too.
            if let [before] = arrivals {
                for departure in departures.iter().filter(|one| one.begins_lane) {
                    let vertex = draft.vertex(departure.vertex);
                    if waiting.contains(&departure.vertex) && vertex.kind == VertexKind::Strand {
                        vertex.kind = VertexKind::Sync;
                        vertex.begun_by = before.vertex;
                    }
                }
            }
        }
        for (before, sync) in self.constructs {
            if !connected.contains(&sync) {
                draft.add_edge(before, sync, false);
            }
        }
    }

    /// Adds an empty vertex for each lead, which departs from one hub and arrives at the other.
    fn add_leads(&mut self, draft: &mut Draft, body: Boundary) {
        for (from, to) in std::mem::take(&mut self.leads) {
            let vertex = draft.add_empty(VertexKind::Strand, 0, 0, body);
            self.departures.push(Departure {
                hub: from,
                is_stealable: false,
                vertex,
                begins_lane: true,
            });
            self.arrivals.push(Arrival {
                hub: to,
                vertex,
                begins_parts: false,
            });
        }
    }

    /// The arrivals at `hub`, once they have been sorted.
    fn arrivals_at(&self, hub: u64) -> &[Arrival] {
        let begin = self.arrivals.partition_point(|arrival| arrival.hub < hub);
        let end = self.arrivals.partition_point(|arrival| arrival.hub <= hub);
        &self.arrivals[begin..end]
    }
}

/// Adds an edge from each of `arrivals` to each of `departures`.
fn add_edges(draft: &mut Draft, arrivals: &[Arrival], departures: &[Departure]) {
    for arrival in arrivals {
        let vertex = draft.vertex(arrival.vertex);
        if arrival.begins_parts && vertex.kind == VertexKind::Strand {
            vertex.kind = VertexKind::Fork;
        }
        for departure in departures {
            draft.add_edge(arrival.vertex, departure.vertex, departure.is_stealable);
        }
    }
}
