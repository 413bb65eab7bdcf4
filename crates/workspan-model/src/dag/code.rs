//! Code between boundaries of strands, whatever called it.

use std::collections::{BTreeSet, HashMap};

use super::{Boundary, Dag, Side, StrandRegionId};
use crate::site_row::group_sites;
use crate::{NodeId, Profile, Site, SiteId, SiteKind};

/// The code of a dag, piece by piece.
#[derive(Clone, Debug, PartialEq)]
pub struct Code {
    /// The pieces.
    pub regions: Vec<CodeRegion>,
    /// Of each strand region of the dag, the index of its piece.
    of_strand_region: Vec<usize>,
}

/// Code from one boundary of strands to another: the strand regions of all nodes of the call tree that agree in both, a
/// static region of TaskProf (dissertation §4.3).
#[derive(Clone, Debug, PartialEq)]
pub struct CodeRegion {
    /// Where it begins. The site is the first of those that share a row.
    pub from: Boundary,
    /// Where it ends.
    pub to: Boundary,
    /// Whether it is of both branches of a construct, whose sides are `Left` here: rayon's halves of a parallel iterator run
    /// the same code, and so do the branches of a `join` that recurs, up to that.
    pub is_of_both_branches: bool,
    /// Its strand regions, one a node.
    pub strand_regions: Vec<StrandRegionId>,
    /// Why it runs more than once, where that can be told.
    pub repeats: Option<Repeats>,
}

/// Why code runs more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// It lies in a construct that runs inside of itself.
    Recursion,
    /// It lies in a loop: the same construct is before it and behind it.
    Loop,
    /// A parallel iterator runs it for each of the parts that rayon has divided it into.
    Iterator,
}

impl Code {
    /// The code of `dag`, which is of `profile`'s run.
    ///
    /// # Panics
    /// When the dag is not valid for the profile.
    pub fn of(profile: &Profile, dag: &Dag) -> Self {
        let (rows, row_of_site) = group_sites(&profile.sites);
        let row = |site: SiteId| row_of_site[site.index()];
        let representative = |boundary: Boundary| Boundary {
            site: rows[row(boundary.site)].sites[0],
            ..boundary
        };
        let mut regions: Vec<CodeRegion> = Vec::new();
        let mut known = HashMap::new();
        let mut of_strand_region = Vec::with_capacity(dag.regions.len());
        for (id, region) in (0..).map(StrandRegionId).zip(&dag.regions) {
            let (mut from, mut to) = (representative(region.from), representative(region.to));
            let recurs = from.site == to.site && to.side == Side::Outside;
            let mut is_of_both_branches = false;
            for end in [&mut from, &mut to] {
                let is_branch = matches!(end.side, Side::Left | Side::Right);
                if is_branch && (recurs || is_iterator(profile.sites[end.site.index()].kind)) {
                    end.side = Side::Left;
                    is_of_both_branches = true;
                }
            }
            let key = (from, to, is_of_both_branches);
            let index = *known.entry(key).or_insert(regions.len());
            if index == regions.len() {
                regions.push(CodeRegion {
                    from,
                    to,
                    is_of_both_branches,
                    strand_regions: Vec::new(),
                    repeats: None,
                });
            }
            regions[index].strand_regions.push(id);
            of_strand_region.push(index);
        }
        let active = |node| active_sites(profile, node).map(row).collect::<Vec<_>>();
        let recursive: BTreeSet<usize> = dag
            .regions
            .iter()
            .filter(|region| region.to.side == Side::Outside)
            .filter(|region| active(region.node).contains(&row(region.to.site)))
            .map(|region| row(region.to.site))
            .collect();
        for region in &mut regions {
            let node = dag.regions[region.strand_regions[0].index()].node;
            let around = active(node);
            let inner = around.iter().find(|row| recursive.contains(row));
            region.repeats = match inner.map(|&row| rows[row].kind) {
                Some(kind) if is_iterator(kind) => Some(Repeats::Iterator),
                Some(_) => Some(Repeats::Recursion),
                None if region.from == region.to && region.from.side == Side::Outside => {
                    Some(Repeats::Loop)
                }
                None => None,
            };
        }
        Self {
            regions,
            of_strand_region,
        }
    }

    /// The piece that a strand region is of, as an index.
    pub fn index_of(&self, region: StrandRegionId) -> usize {
        self.of_strand_region[region.index()]
    }
}

impl CodeRegion {
    /// The file and the lines, first and last, from the one boundary to the other; of boundaries in different files the
    /// second. `None` where no line is known.
    pub fn lines<'a>(&self, profile: &'a Profile) -> Option<(&'a str, u32, u32)> {
        let place = |boundary: Boundary| {
            super::query::place_of(&profile.sites[boundary.site.index()], boundary.side)
        };
        let known = [self.from, self.to].map(place);
        let (from, to) = match known {
            [Some(from), Some(to)] => (from, to),
            [Some(only), None] | [None, Some(only)] => (only, only),
            [None, None] => return None,
        };
        let lines = (from.line.min(to.line), from.line.max(to.line));
        match from.file == to.file {
            true => Some((&from.file, lines.0, lines.1)),
            false => Some((&to.file, to.line, to.line)),
        }
    }

    fn boundary_words(&self, boundary: Boundary, profile: &Profile) -> String {
        let site = &profile.sites[boundary.site.index()];
        let side = match (site.kind, boundary.side) {
            (SiteKind::Root, _) | (_, Side::Outside) => "",
            (_, Side::Left) if self.is_of_both_branches => "/branch",
            (_, Side::Left) => "/left",
            (_, Side::Right) => "/right",
            (_, Side::Body) => "/body",
        };
        format!("{}{side}", site_words(site))
    }

    /// The nodes at which it ran.
    pub fn nodes(&self, dag: &Dag) -> Vec<NodeId> {
        let regions = self.strand_regions.iter();
        regions
            .map(|region| dag.regions[region.index()].node)
            .collect()
    }

    /// Words by which a person can name the code: `FROM..TO`.
    pub fn words(&self, profile: &Profile) -> String {
        self.ends(profile).join("..")
    }

    /// Words for where it begins, and for where it ends.
    pub fn ends(&self, profile: &Profile) -> [String; 2] {
        [self.from, self.to].map(|boundary| self.boundary_words(boundary, profile))
    }
}

/// Sides as they are written behind a place; nothing is `Outside`.
pub(super) const SIDES: [(&str, &[Side]); 4] = [
    ("/left", &[Side::Left]),
    ("/right", &[Side::Right]),
    ("/branch", &[Side::Left, Side::Right]),
    ("/body", &[Side::Body]),
];

fn is_iterator(kind: SiteKind) -> bool {
    matches!(
        kind,
        SiteKind::ParIter | SiteKind::ParBridge | SiteKind::ParSort
    )
}

/// The place of a site, or what is known of its name.
pub(super) fn site_words(site: &Site) -> String {
    match (&site.location, site.kind) {
        (_, SiteKind::Root) => SiteKind::Root.name().to_owned(),
        (Some(location), _) => location.to_string(),
        (None, kind) => {
            let name = site.name.as_ref().or(site.function.as_ref());
            name.map_or_else(|| kind.noun().to_owned(), Clone::clone)
        }
    }
}

/// The sites of a node and of those above it.
pub(super) fn active_sites(profile: &Profile, node: NodeId) -> impl Iterator<Item = SiteId> + '_ {
    std::iter::successors(Some(node), |node| profile.tree[node.index()].parent)
        .map(|node| profile.tree[node.index()].site)
}
