//! Vertices of one run's task dag in that of another run of the same program.

use std::collections::HashMap;
use std::hash::Hash;

use crate::site_row::{RowKey, site_key};
use crate::{Dag, NodeId, Profile, Side, SiteId, VertexId, VertexKind};

/// A run with its task dag.
#[derive(Clone, Copy)]
pub(super) struct Recorded<'a> {
    pub(super) profile: &'a Profile,
    pub(super) dag: &'a Dag,
}

/// Of each vertex of `run`, its counterpart in `other`, where the dags agree.
///
/// Both are walked from their beginnings at once. A *row* is the vertices that one task runs one after the other, between what it
/// waits for; its forks and spawns begin other rows. Rows whose vertices are of the same kind and the same code agree, vertex by
/// vertex, and so do their branches, each for itself. Where they are not alike, as where a subtree was folded in one run and not
/// in the other, or rayon divided a loop once more since a part was stolen, they agree from both ends up to there.
pub(super) fn matched(run: &Recorded<'_>, other: &Recorded<'_>) -> Vec<Option<VertexId>> {
    let mut names = Names::default();
    let mut run = Named::of(run, &mut names);
    let mut other = Named::of(other, &mut names);
    let mut counterparts = vec![None; run.dag.vertices.len()];
    if run.dag.vertices.is_empty() || other.dag.vertices.is_empty() {
        return counterparts;
    }
    let mut begun = vec![(VertexId(0), VertexId(0))];
    while let Some((here, there)) = begun.pop() {
        let (row, other_row) = (run.row_from(here), other.row_from(there));
        for (at, counterpart) in agreeing(&run, &row, &other, &other_row) {
            counterparts[at.index()] = Some(counterpart);
            let branches = run.branches(at).into_iter();
            begun.extend(branches.zip(other.branches(counterpart)));
        }
    }
    counterparts
}

/// The vertices of two rows that agree: from their beginnings on, and from their ends back.
fn agreeing(
    run: &Named<'_>,
    row: &[VertexId],
    other: &Named<'_>,
    other_row: &[VertexId],
) -> Vec<(VertexId, VertexId)> {
    let agree = |&(&here, &there): &(&VertexId, &VertexId)| run.word(here) == other.word(there);
    let from_start: Vec<_> = row.iter().zip(other_row).take_while(agree).collect();
    let rest = row.len().min(other_row.len()) - from_start.len();
    let ends = row.iter().rev().zip(other_row.iter().rev());
    let from_end = ends.take(rest).take_while(agree);
    let pairs = from_start.iter().copied().chain(from_end);
    pairs.map(|(&here, &there)| (here, there)).collect()
}

/// What a vertex is, in words that mean the same in both runs.
type Word = (VertexKind, u32, (u32, Side), (u32, Side), u32);

/// A dag whose vertices have such words.
struct Named<'a> {
    dag: &'a Dag,
    words: Vec<Word>,
    /// Of each vertex that begins a construct, the one that ends it.
    ends: HashMap<VertexId, VertexId>,
    /// Of each vertex, whether it is in a row that was walked.
    is_walked: Vec<bool>,
}

impl<'a> Named<'a> {
    fn of(recorded: &Recorded<'a>, names: &mut Names<'a>) -> Self {
        let Recorded { profile, dag } = *recorded;
        let sites: Vec<u32> = profile
            .sites
            .iter()
            .map(|site| names.sites.number(site_key(site)))
            .collect();
        let mut nodes: Vec<u32> = Vec::with_capacity(profile.tree.len());
        for node in &profile.tree {
            let parent = node.parent.map(|NodeId(parent)| nodes[parent as usize]);
            let key = (parent, sites[node.site.index()], node.recursive);
            nodes.push(names.nodes.number(key));
        }
        let site = |id: SiteId| sites[id.index()];
        let word = |vertex: &crate::Vertex| {
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
            words: dag.vertices.iter().map(word).collect(),
            ends: ends.collect(),
            is_walked: vec![false; dag.vertices.len()],
        }
    }

    fn word(&self, vertex: VertexId) -> Word {
        self.words[vertex.index()]
    }

    /// The vertices that one task runs from `first` on. What waits for its end is in the row around it, which is walked before.
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

    /// Where the rows begin that `vertex` makes: all successors of a fork, and what a spawn does not go on with itself.
    fn branches(&self, vertex: VertexId) -> Vec<VertexId> {
        let goes_on = match self.dag.vertices[vertex.index()].kind {
            VertexKind::Fork => 0,
            _ => 1,
        };
        let successors = self.dag.successors(vertex).iter().skip(goes_on);
        successors.map(|successor| successor.to()).collect()
    }
}

/// Numbers of sites and nodes that both runs share.
#[derive(Default)]
struct Names<'a> {
    sites: Numbers<RowKey<'a>>,
    nodes: Numbers<(Option<u32>, u32, bool)>,
}

struct Numbers<K>(HashMap<K, u32>);

impl<K> Default for Numbers<K> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Eq + Hash> Numbers<K> {
    fn number(&mut self, key: K) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(key).or_insert(next)
    }
}
