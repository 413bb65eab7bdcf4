//! Code between strand boundaries, whatever called it.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::vertex::place_of;
use super::{Boundary, Dag, Side, StrandRegionId};
use crate::sites::rows::group_sites;
use crate::{NodeId, Profile, Site, SiteId, SiteKind};

/// The code of a dag, piece by piece.
#[derive(Clone, Debug, PartialEq)]
pub struct Code {
    /// The pieces.
    pub regions: Vec<CodeRegion>,
    /// For each strand region of the dag, the index of its piece.
    piece_of_region: Vec<usize>,
}

/// Code from one strand boundary to another: the strand regions with the same two boundaries at all
/// nodes of the call tree (a static region of TaskProf, dissertation §4.3).
#[derive(Clone, Debug, PartialEq)]
pub struct CodeRegion {
    /// Where it begins. The site is the first of those that share a row.
    pub from: Boundary,
    /// Where it ends.
    pub to: Boundary,
    /// Whether it is code of both branches of a construct, whose sides are `Left` then: the halves
    /// into which rayon splits a parallel iterator run the same code, and so do the branches of a
    /// recursive `join` up to the recursive call.
    pub is_of_both_branches: bool,
    /// Its strand regions, one per node.
    pub strand_regions: Vec<StrandRegionId>,
    /// Why it runs more than once, if that is known.
    pub repeats: Option<Repeats>,
}

/// Why code runs more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// It is in a construct that runs inside itself.
    Recursion,
    /// It is in a loop: the same construct comes before and after it.
    Loop,
    /// A parallel iterator runs it for each of the parts into which rayon has split the iterator.
    Iterator,
}

impl Code {
    /// The code of `dag`, which was recorded in the run of `profile`.
    ///
    /// # Panics
    /// If the dag is invalid for the profile.
    pub fn new(profile: &Profile, dag: &Dag) -> Self {
        let (rows, row_of_site) = group_sites(&profile.sites);
        let row = |site: SiteId| row_of_site[site.index()];
        let representative = |boundary: Boundary| Boundary {
            site: rows[row(boundary.site)].sites[0],
            ..boundary
        };
        let mut regions = IndexMap::new();
        let mut piece_of_region = Vec::with_capacity(dag.regions.len());
        for (id, region) in (0..).map(StrandRegionId).zip(&dag.regions) {
            let (mut from, mut to) = (representative(region.from), representative(region.to));
            let recurs = from.site == to.site && to.side == Side::Outside;
            let mut is_of_both_branches = false;
            for end in [&mut from, &mut to] {
                let is_branch = matches!(end.side, Side::Left | Side::Right);
                if is_branch && (recurs || profile.sites[end.site.index()].kind.is_iterator()) {
                    end.side = Side::Left;
                    is_of_both_branches = true;
                }
            }
            let piece = regions.entry((from, to, is_of_both_branches));
            piece_of_region.push(piece.index());
            let piece = piece.or_insert_with(|| CodeRegion {
                from,
                to,
                is_of_both_branches,
                strand_regions: Vec::new(),
                repeats: None,
            });
            piece.strand_regions.push(id);
        }
        let active = |node| {
            let sites = profile.with_above(node);
            let sites = sites.map(|node| profile.tree[node.index()].site);
            sites.map(row).collect::<Vec<_>>()
        };
        let recursive: BTreeSet<usize> = dag
            .regions
            .iter()
            .filter(|region| region.to.side == Side::Outside)
            .filter(|region| active(region.node).contains(&row(region.to.site)))
            .map(|region| row(region.to.site))
            .collect();
        for region in regions.values_mut() {
            let node = dag.regions[region.strand_regions[0].index()].node;
            let around = active(node);
            let inner = around.iter().find(|row| recursive.contains(row));
            region.repeats = match inner.map(|&row| rows[row].kind) {
                Some(kind) if kind.is_iterator() => Some(Repeats::Iterator),
                Some(_) => Some(Repeats::Recursion),
                None if region.from == region.to && region.from.side == Side::Outside => {
                    Some(Repeats::Loop)
                }
                None => None,
            };
        }
        Self {
            regions: regions.into_values().collect(),
            piece_of_region,
        }
    }

    /// The index of the piece that a strand region belongs to.
    pub fn index_of(&self, region: StrandRegionId) -> usize {
        self.piece_of_region[region.index()]
    }
}

impl CodeRegion {
    /// The file, and the first and the last line between the two boundaries. If the boundaries are
    /// in different files, the place of the second. `None` if no line is known.
    pub fn lines<'a>(&self, profile: &'a Profile) -> Option<(&'a str, u32, u32)> {
        let place =
            |boundary: Boundary| place_of(&profile.sites[boundary.site.index()], boundary.side);
        let known = [self.from, self.to].map(place);
        let (from, to) = match known {
            [Some(from), Some(to)] => (from, to),
            [Some(only), None] | [None, Some(only)] => (only, only),
            [None, None] => return None,
        };
        let lines = (from.line.min(to.line), from.line.max(to.line));
        Some(if from.file == to.file {
            (&from.file, lines.0, lines.1)
        } else {
            (&to.file, to.line, to.line)
        })
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

    /// The nodes of the call tree at which it ran.
    pub fn nodes(&self, dag: &Dag) -> Vec<NodeId> {
        let regions = self.strand_regions.iter();
        regions
            .map(|region| dag.regions[region.index()].node)
            .collect()
    }

    /// The words by which a user names the code: `FROM..TO`.
    pub fn words(&self, profile: &Profile) -> String {
        self.ends(profile).join("..")
    }

    /// The words for where it begins, and for where it ends.
    pub fn ends(&self, profile: &Profile) -> [String; 2] {
        [self.from, self.to].map(|boundary| self.boundary_words(boundary, profile))
    }
}

/// How sides are written after a place; nothing stands for `Outside`.
pub(super) const SIDES: [(&str, &[Side]); 4] = [
    ("/left", &[Side::Left]),
    ("/right", &[Side::Right]),
    ("/branch", &[Side::Left, Side::Right]),
    ("/body", &[Side::Body]),
];

/// The location of a site, or else what is known of its name.
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

/// Why words do not name code, or not just one piece of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodeError {
    /// No code is named so.
    #[error("no code is called or stands at `{words}`{}", listed("the nearest are", .nearest))]
    Unknown {
        /// The words.
        words: String,
        /// Words that name code, the most similar first.
        nearest: Vec<String>,
    },
    /// No code is named so. Samples might know more, but the profile has none.
    #[error(
        "no spawn site and no function around one is called or stands at `{words}`; of other functions and lines only \
         samples tell, and the profile has none: make it with `--sample-hz 1000` (the default), or with `--functions \
         exact` for the times of functions{}", listed("the nearest are", .nearest)
    )]
    Unsampled {
        /// The words.
        words: String,
        /// Words that name code, the most similar first.
        nearest: Vec<String>,
    },
    /// The words name nothing that creates tasks.
    #[error("nothing that makes tasks is called or stands at `{words}`{}", listed("what does is", .nearest))]
    NoTasks {
        /// The words.
        words: String,
        /// Words for what creates tasks, the most similar first.
        nearest: Vec<String>,
    },
    /// The words name code in several files, of several functions or of several kinds.
    #[error("`{words}` can mean several things{}", listed("say which", .candidates))]
    Ambiguous {
        /// The words.
        words: String,
        /// Words that each name one of them.
        candidates: Vec<String>,
    },
    /// The words name a place, but no strand ran there.
    #[error("`{0}` ran no strand of the task dag")]
    NoStrand(String),
}

fn listed(advice: &str, words: &[String]) -> String {
    if words.is_empty() {
        return String::new();
    }
    format!("; {advice}:\n  {}", words.join("\n  "))
}

/// Whether `name` is `file` or ends with its path.
pub(super) fn is_file(name: &str, file: &str) -> bool {
    let before = name.strip_suffix(file);
    before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// `FILE:FIRST-LAST`.
pub(super) fn line_range(words: &str) -> Option<(&str, u32, u32)> {
    let (file, lines) = words.rsplit_once(':')?;
    let (first, last) = lines.split_once('-')?;
    Some((file, first.parse().ok()?, last.parse().ok()?))
}

/// `FILE:LINE` or `FILE:LINE:COLUMN`.
pub(super) fn place(words: &str) -> Option<(&str, u32)> {
    let (before, number) = words.rsplit_once(':')?;
    let number: u32 = number.parse().ok()?;
    let with_column = before.rsplit_once(':');
    let with_column = with_column.and_then(|(file, line)| Some((file, line.parse().ok()?)));
    Some(with_column.unwrap_or((before, number)))
}

/// `FILE:LINE`, with a column or without, or `FILE:FIRST-LAST`.
pub(super) fn lines(words: &str) -> Option<(&str, u32, u32)> {
    let line = || place(words).map(|(file, line)| (file, line, line));
    line_range(words).or_else(line)
}

/// Only `words` if they are one of `names`; otherwise all names.
pub(super) fn exact_or_all<'a>(names: BTreeSet<&'a str>, words: &str) -> BTreeSet<&'a str> {
    match names.get(words) {
        Some(exact) => BTreeSet::from([*exact]),
        None => names,
    }
}
