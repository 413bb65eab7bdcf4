//! Matching the vertices of one run's task dag with those of another run of the same program.

use std::collections::HashMap;

use indexmap::IndexSet;

use crate::profile::site_row::{RowKey, site_key};
use crate::{Dag, NodeId, Profile, Side, SiteId, VertexId, VertexKind};

/// A run with its task dag.
#[derive(Clone, Copy)]
pub(super) struct Recorded<'a> {
    pub(super) profile: &'a Profile,
    pub(super) dag: &'a Dag,
}

/// For each vertex of `run`, its counterpart in `other`, as far as the dags agree.
///
/// Both dags are walked simultaneously from their beginnings. A *row* is the sequence of vertices
/// that one task runs itself, without the branches that it waits for; its forks and spawns begin
/// other rows. Rows whose vertices have the same kinds and the same code match, vertex by vertex,
/// and so do their branches, each separately. Where rows differ, for example because a subtree was
/// folded in only one run, or because rayon split a loop once more after a steal, they match from
/// both ends up to there.
pub(super) fn matched(run: &Recorded<'_>, other: &Recorded<'_>) -> Vec<Option<VertexId>> {
    let mut numbering = Numbering::default();
    let mut run = NamedDag::new(run, &mut numbering);
    let mut other = NamedDag::new(other, &mut numbering);
    let mut counterparts = vec![None; run.dag.vertices.len()];
    if run.dag.vertices.is_empty() || other.dag.vertices.is_empty() {
        return counterparts;
    }
    let mut begun = vec![(VertexId(0), VertexId(0))];
    while let Some((here, there)) = begun.pop() {
        let (row, other_row) = (run.row_from(here), other.row_from(there));
        for (at, counterpart) in matching_vertices(&run, &row, &other, &other_row) {
            counterparts[at.index()] = Some(counterpart);
            let branches = run.branches(at).into_iter();
            begun.extend(branches.zip(other.branches(counterpart)));
        }
    }
    counterparts
}

/// The vertices of two rows that match: from their beginnings forwards, and from their ends
/// backwards.
fn matching_vertices(
    run: &NamedDag<'_>,
    row: &[VertexId],
    other: &NamedDag<'_>,
    other_row: &[VertexId],
) -> Vec<(VertexId, VertexId)> {
    let agree = |&(&here, &there): &(&VertexId, &VertexId)| run.name(here) == other.name(there);
    let from_start: Vec<_> = row.iter().zip(other_row).take_while(agree).collect();
    let rest = row.len().min(other_row.len()) - from_start.len();
    let ends = row.iter().rev().zip(other_row.iter().rev());
    let from_end = ends.take(rest).take_while(agree);
    let pairs = from_start.iter().copied().chain(from_end);
    pairs.map(|(&here, &there)| (here, there)).collect()
}

/// Identifies what a vertex runs, in terms that mean the same in both runs: its kind, node, both
/// ends of its region, and number of tasks.
type Name = (VertexKind, usize, (usize, Side), (usize, Side), u32);

/// A dag with the [`Name`] of each vertex.
struct NamedDag<'a> {
    dag: &'a Dag,
    vertex_names: Vec<Name>,
    /// For each vertex that begins a construct, the one that ends it.
    ends: HashMap<VertexId, VertexId>,
    /// For each vertex, whether it is in a row that was walked.
    is_walked: Vec<bool>,
}

impl<'a> NamedDag<'a> {
    fn new(recorded: &Recorded<'a>, numbering: &mut Numbering<'a>) -> Self {
        let Recorded { profile, dag } = *recorded;
        let sites: Vec<usize> = profile
            .sites
            .iter()
            .map(|site| numbering.sites.insert_full(site_key(site)).0)
            .collect();
        let mut nodes: Vec<usize> = Vec::with_capacity(profile.tree.len());
        for node in &profile.tree {
            let parent = node.parent.map(|NodeId(parent)| nodes[parent as usize]);
            let key = (parent, sites[node.site.index()], node.recursive);
            nodes.push(numbering.nodes.insert_full(key).0);
        }
        let site = |id: SiteId| sites[id.index()];
        let name = |vertex: &crate::Vertex| {
            let region = &dag.regions[vertex.region.index()];
            (
                vertex.kind,
                nodes[region.node.index()],
                (site(region.from.site), region.from.side),
                (site(region.to.site), region.to.side),
                vertex.tasks,
            )
        };
        let vertices = dag.vertices.iter().enumerate();
        let ends = vertices
            .filter(|(_, vertex)| vertex.kind == VertexKind::Sync)
            .map(|(at, vertex)| (vertex.begun_by, VertexId(at as u32)));
        Self {
            dag,
            vertex_names: dag.vertices.iter().map(name).collect(),
            ends: ends.collect(),
            is_walked: vec![false; dag.vertices.len()],
        }
    }

    fn name(&self, vertex: VertexId) -> Name {
        self.vertex_names[vertex.index()]
    }

    /// The vertices that one task runs from `first` on. The vertex that waits for its end belongs
    /// to the row around it, which is walked first.
    fn row_from(&mut self, first: VertexId) -> Vec<VertexId> {
        let mut row = Vec::new();
        let mut next = Some(first);
        while let Some(vertex) = next.filter(|vertex| !self.is_walked[vertex.index()]) {
            self.is_walked[vertex.index()] = true;
            row.push(vertex);
            next = match self.dag.vertices[vertex.index()].kind {
                VertexKind::Fork => self.ends.get(&vertex).copied(),
                _ => self.dag.successors(vertex).first().map(|next| next.to()),
            };
        }
        row
    }

    /// The beginnings of the rows that `vertex` starts: all successors of a fork, and of a spawn
    /// all but the one with which the spawner continues.
    fn branches(&self, vertex: VertexId) -> Vec<VertexId> {
        let own = match self.dag.vertices[vertex.index()].kind {
            VertexKind::Fork => 0,
            _ => 1,
        };
        let successors = self.dag.successors(vertex).iter().skip(own);
        successors.map(|successor| successor.to()).collect()
    }
}

/// Numbers for sites and nodes that both runs share.
#[derive(Default)]
struct Numbering<'a> {
    sites: IndexSet<RowKey<'a>>,
    nodes: IndexSet<(Option<usize>, usize, bool)>,
}
