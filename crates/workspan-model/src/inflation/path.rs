//! The critical path of one run, looked up in another run of the same program.

use serde::{Deserialize, Serialize};

use super::matching::{Recorded, matched};
use crate::sites::path::row_of_site;
use crate::{Dag, NodeId, Profile, SiteKind, SiteRow, Span, site_rows};

/// What the critical path of a run, taken from its task dag, takes in another run: the time of the
/// same vertices, whether or not they are on the longest path there (TaskProf, dissertation
/// §5.3.1).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathLookup {
    /// By the site to which the strands belong.
    pub own: Vec<LookedUp>,
    /// By region, including everything that runs in it.
    pub whole: Vec<LookedUp>,
}

/// The part of a critical path that a row of sites has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookedUp {
    /// The row, as an index into those of the run.
    pub row: usize,
    /// The length, in this run, of what was found.
    pub parallel: Span,
    /// Its length in the other run.
    pub oracle: Span,
    /// The length, in this run, of what was not found because the dags differ there.
    pub elsewhere: Span,
}

impl PathLookup {
    /// The length of what was found.
    pub fn parallel(&self) -> Span {
        self.own.iter().map(|part| part.parallel).sum()
    }

    /// Its length in the other run.
    pub fn oracle(&self) -> Span {
        self.own.iter().map(|part| part.oracle).sum()
    }

    /// The length of what was not found.
    pub fn elsewhere(&self) -> Span {
        self.own.iter().map(|part| part.elsewhere).sum()
    }

    /// The share of the path that was found.
    pub fn found_share(&self) -> f64 {
        let whole = self.parallel() + self.elsewhere();
        self.parallel().time().share_of(whole.time())
    }
}

/// Looks up the critical path of a run in another one. Each run is given as its profile and the dag
/// that was recorded with it.
///
/// A subtree that was folded into one vertex counts with its own longest path, which may be a
/// different one in the other run.
///
/// # Panics
/// If a profile or a dag is not valid.
pub fn look_up_path(run: (&Profile, &Dag), other: (&Profile, &Dag)) -> PathLookup {
    let [run, other] = [run, other].map(|(profile, dag)| Recorded { profile, dag });
    let counterparts = matched(&run, &other);
    let rows = site_rows(run.profile);
    let rows_of_nodes = RowsOfNodes::new(run.profile, &rows);
    let (mut own, mut whole) = (Sums::new(rows.len()), Sums::new(rows.len()));
    for &vertex in &run.dag.critical_path().vertices {
        let here = &run.dag.vertices[vertex.index()];
        let length: Span = run.dag.time_of(here.span).into();
        let there = counterparts[vertex.index()];
        let there = there.map(|there| &other.dag.vertices[there.index()]);
        let there: Option<Span> = there.map(|there| other.dag.time_of(there.span).into());
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

/// For each node, its own row, and the rows of the regions that are active there.
struct RowsOfNodes {
    own: Vec<Option<usize>>,
    regions: Vec<Vec<usize>>,
}

impl RowsOfNodes {
    fn new(profile: &Profile, rows: &[SiteRow]) -> Self {
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

/// For each row, what was looked up of it.
struct Sums(Vec<Option<LookedUp>>);

impl Sums {
    fn new(rows: usize) -> Self {
        Self(vec![None; rows])
    }

    fn add(&mut self, row: usize, length: Span, there: Option<Span>) {
        let sums = self.0[row].get_or_insert(LookedUp {
            row,
            ..LookedUp::default()
        });
        match there {
            Some(there) => {
                sums.parallel += length;
                sums.oracle += there;
            }
            None => sums.elsewhere += length,
        }
    }

    fn finish(self) -> Vec<LookedUp> {
        self.0.into_iter().flatten().collect()
    }
}
