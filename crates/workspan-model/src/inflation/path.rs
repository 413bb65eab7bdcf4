//! The critical path of one run, looked up in another run of the same program.

use serde::{Deserialize, Serialize};

use super::matching::{Recorded, matched};
use crate::path::row_of_site;
use crate::{Dag, Nanos, NodeId, Profile, SiteKind, SiteRow, Span, site_rows};

/// What the critical path of a run, found in its task dag, takes in another run: the same vertices, whether or not they are on the
/// longest path there (TaskProf, dissertation §5.3.1).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathLookup {
    /// By the site whose own strands they are.
    pub own: Vec<LookedUp>,
    /// Regions, with all that runs in them.
    pub whole: Vec<LookedUp>,
}

/// What a row of sites has of a critical path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookedUp {
    /// The row, as an index into those of the run.
    pub row: usize,
    /// What was found: its length in the run.
    pub parallel: Span,
    /// And in the other run.
    pub oracle: Span,
    /// What was not found, since the dags differ there: its length in the run.
    pub elsewhere: Span,
}

impl PathLookup {
    /// Length of what was found.
    pub fn parallel(&self) -> Span {
        self.own.iter().map(|part| part.parallel).sum()
    }

    /// Length of that in the other run.
    pub fn oracle(&self) -> Span {
        self.own.iter().map(|part| part.oracle).sum()
    }

    /// Length of what was not found.
    pub fn elsewhere(&self) -> Span {
        self.own.iter().map(|part| part.elsewhere).sum()
    }

    /// The share of the path that was found.
    pub fn found_share(&self) -> f64 {
        let whole = self.parallel() + self.elsewhere();
        self.parallel().time().share_of(whole.time())
    }
}

/// Looks the critical path of a run up in another one. Each is a profile and the dag that was recorded beside it.
///
/// A subtree that was folded into one vertex counts by its own longest path, which may be another one in the other run.
///
/// # Panics
/// When a profile or a dag is not valid.
pub fn look_up_path(run: (&Profile, &Dag), other: (&Profile, &Dag)) -> PathLookup {
    let [run, other] = [run, other].map(|(profile, dag)| Recorded { profile, dag });
    let counterparts = matched(&run, &other);
    let rows = site_rows(run.profile);
    let rows_of_nodes = RowsOfNodes::of(run.profile, &rows);
    let (mut own, mut whole) = (Sums::new(rows.len()), Sums::new(rows.len()));
    for &vertex in &run.dag.critical_path().vertices {
        let here = &run.dag.vertices[vertex.index()];
        let length = run.dag.time_of(here.span);
        let there = counterparts[vertex.index()];
        let there = there.map(|there| other.dag.time_of(other.dag.vertices[there.index()].span));
        let node = run.dag.regions[here.region.index()].node;
        if let Some(row) = rows_of_nodes.own[node.index()] {
            own.add(row, length, there);
        }
        for &row in &rows_of_nodes.regions[node.index()] {
            whole.add(row, length, there);
        }
    }
    PathLookup {
        own: own.finish(),
        whole: whole.finish(),
    }
}

/// Of each node, its own row, and the rows of the regions that are active there.
struct RowsOfNodes {
    own: Vec<Option<usize>>,
    regions: Vec<Vec<usize>>,
}

impl RowsOfNodes {
    fn of(profile: &Profile, rows: &[SiteRow]) -> Self {
        let row_of_site = row_of_site(profile, rows);
        let mut own = Vec::with_capacity(profile.tree.len());
        let mut regions: Vec<Vec<usize>> = Vec::with_capacity(profile.tree.len());
        for node in &profile.tree {
            let row = row_of_site[node.site.index()];
            let above = node.parent.map(NodeId::index);
            let mut active = above.map_or_else(Vec::new, |above| regions[above].clone());
            let is_region = |&row: &usize| rows[row].kind == SiteKind::Region;
            active.extend(row.filter(is_region).filter(|row| !active.contains(row)));
            own.push(row);
            regions.push(active);
        }
        Self { own, regions }
    }
}

/// Sums by row.
struct Sums(Vec<Option<(Nanos, Nanos, Nanos)>>);

impl Sums {
    fn new(rows: usize) -> Self {
        Self(vec![None; rows])
    }

    fn add(&mut self, row: usize, length: Nanos, there: Option<Nanos>) {
        let (parallel, oracle, elsewhere) = self.0[row].get_or_insert_default();
        match there {
            Some(there) => {
                *parallel += length;
                *oracle += there;
            }
            None => *elsewhere += length,
        }
    }

    fn finish(self) -> Vec<LookedUp> {
        let rows = self.0.into_iter().enumerate();
        rows.filter_map(|(row, sums)| {
            let (parallel, oracle, elsewhere) = sums?;
            Some(LookedUp {
                row,
                parallel: parallel.into(),
                oracle: oracle.into(),
                elsewhere: elsewhere.into(),
            })
        })
        .collect()
    }
}
