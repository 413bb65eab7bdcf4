//! Finding the code that a person means.

use std::collections::BTreeSet;

use super::code::{SIDES, site_words};
use super::sampled::Sampled;
use super::{Boundary, ChangedCode, Code, CodeError, Dag, Side, StrandRegionId};
use crate::selection::{is_at, is_called, kind_and_place};
use crate::site::enclosing_function;
use crate::{Location, NodeId, Profile, Site, SiteId, SiteKind};

/// How many candidates an error has.
const LISTED: usize = 8;

/// The code that `words` mean:
///
/// - `src/main.rs:40-61`: the strands that begin and end at constructs in these lines;
/// - `FROM..TO`: those between two boundaries, as [`CodeRegion::words`](super::CodeRegion::words) has them;
/// - `main.rs:40` or `main.rs:40:9`: the own strands of the spawn site there, or of the function defined there;
/// - a named region or a function that is measured: its own strands, and those of functions that it calls;
/// - another function: strands between constructs that stand in it;
/// - `root`: the serial code of the program;
/// - where there is none of these, a function or lines that samples know: the share of strands that they have, with all
///   that they call in the same task ([`CodeEstimate`](super::CodeEstimate)).
///
/// Files and functions may be named by the end of their path. `KIND at PLACE` says which of several constructs is meant.
///
/// # Errors
/// When no code is meant, or it cannot be told which.
///
/// # Panics
/// When the profile is not valid, or the dag is not valid for it.
pub fn find_code(
    profile: &Profile,
    dag: &Dag,
    code: &Code,
    words: &str,
) -> Result<ChangedCode, CodeError> {
    let query = Query {
        profile,
        dag,
        words: words.trim(),
    };
    let exact = query.exact()?;
    let is_known = exact.is_some();
    if let Some(regions) = exact.filter(|regions| !regions.is_empty()) {
        query.no_other_function()?;
        return Ok(regions.into());
    }
    let sampled = Sampled::of(profile);
    if let Some(sampled) = &sampled
        && let Some(code) = sampled.find(dag, query.words)?
    {
        let is_any = code.parts.iter().any(|part| part.on_work > 0.0);
        return match is_any {
            true => Ok(code),
            false => Err(CodeError::NoStrand(query.words.to_owned())),
        };
    }
    let words = query.words.to_owned();
    Err(
        match (is_known, sampled.is_none() && ends(&words).is_none()) {
            (true, _) => CodeError::NoStrand(words),
            (false, true) => CodeError::Unsampled {
                nearest: query.nearest(code),
                words,
            },
            (false, false) => CodeError::Unknown {
                nearest: query.nearest(code),
                words,
            },
        },
    )
}

/// The spawn sites that `words` mean: the end of a location or the function around them, as in [`find_code`].
///
/// # Errors
/// When no site is meant, or it cannot be told which.
pub fn find_sites(profile: &Profile, dag: &Dag, words: &str) -> Result<Vec<SiteId>, CodeError> {
    let words = words.trim();
    let query = Query {
        profile,
        dag,
        words,
    };
    let makes_tasks = |site: &SiteId| {
        let kind = profile.sites[site.index()].kind;
        kind.is_parallel() && !kind.is_group() && !kind.is_of_threads()
    };
    let named = query.sites()?.unwrap_or_default();
    let mut sites: Vec<SiteId> = named.into_iter().filter(makes_tasks).collect();
    if sites.is_empty() {
        sites = query.matching(|site| in_function(site, words).is_some());
        sites.retain(makes_tasks);
    }
    if !sites.is_empty() {
        return Ok(sites);
    }
    let all = query.matching(|_| true).into_iter().filter(makes_tasks);
    let candidates = all.map(|site| site_words(&profile.sites[site.index()]));
    Err(CodeError::NoTasks {
        words: words.to_owned(),
        nearest: by_similarity(candidates, words),
    })
}

struct Query<'a> {
    profile: &'a Profile,
    dag: &'a Dag,
    words: &'a str,
}

impl Query<'_> {
    fn site(&self, site: SiteId) -> &Site {
        &self.profile.sites[site.index()]
    }

    fn matching(&self, is_meant: impl Fn(&Site) -> bool) -> Vec<SiteId> {
        let sites = (0..).map(SiteId).zip(&self.profile.sites);
        let meant = sites.filter(|(_, site)| is_meant(site));
        meant.map(|(id, _)| id).collect()
    }

    fn regions(&self, is_meant: impl Fn(&super::StrandRegion) -> bool) -> Vec<StrandRegionId> {
        let regions = (0..).map(StrandRegionId).zip(&self.dag.regions);
        let meant = regions.filter(|(_, region)| is_meant(region));
        meant.map(|(id, _)| id).collect()
    }

    fn ambiguous(&self, candidates: impl IntoIterator<Item = String>) -> CodeError {
        let distinct: BTreeSet<String> = candidates.into_iter().collect();
        CodeError::Ambiguous {
            words: self.words.to_owned(),
            candidates: distinct.into_iter().take(LISTED).collect(),
        }
    }

    /// The strands that the words mean without samples; `None` if they mean no site, boundary or function around one.
    fn exact(&self) -> Result<Option<Vec<StrandRegionId>>, CodeError> {
        if let Some((file, first, last)) = line_range(self.words) {
            return self.in_lines(file, first, last);
        }
        if let Some((from, to)) = ends(self.words) {
            return Ok(self.between(from, to));
        }
        match self.sites()? {
            Some(sites) => Ok(Some(self.own_strands(&sites))),
            None => self.in_function(self.words),
        }
    }

    /// Where the words name code that is known without samples: that samples know no other function of that name.
    fn no_other_function(&self) -> Result<(), CodeError> {
        let is_called = |name: &&str| is_called(Some(name), self.words);
        let sites = self.profile.sites.iter();
        let names = sites.flat_map(|site| {
            let function = site.function.as_deref().map(enclosing_function);
            [site.name.as_deref(), function].into_iter().flatten()
        });
        let mut names: BTreeSet<&str> = names.filter(is_called).collect();
        if names.is_empty() || names.contains(self.words) {
            return Ok(());
        }
        let known = names.len();
        if let Some(sampled) = Sampled::of(self.profile) {
            names.extend(sampled.functions(self.words));
        }
        match names.len() > known {
            true => Err(self.ambiguous(names.into_iter().map(str::to_owned))),
            false => Ok(()),
        }
    }

    /// Strands of which both ends are at constructs in the lines; `None` if there are none.
    fn in_lines(
        &self,
        file: &str,
        first: u32,
        last: u32,
    ) -> Result<Option<Vec<StrandRegionId>>, CodeError> {
        let at = |boundary: Boundary| {
            let place = place_of(self.site(boundary.site), boundary.side)?;
            let is_in = (first..=last).contains(&place.line);
            (is_in && is_file(&place.file, file)).then_some(place.file.as_str())
        };
        let files: BTreeSet<&str> = self
            .dag
            .regions
            .iter()
            .filter_map(|region| at(region.from).filter(|from| at(region.to) == Some(from)))
            .collect();
        let files = match files.contains(file) {
            true => BTreeSet::from([file]),
            false => files,
        };
        if files.len() > 1 {
            let range = |file| format!("{file}:{first}-{last}");
            return Err(self.ambiguous(files.into_iter().map(range)));
        }
        Ok(files.first().map(|file| {
            self.regions(|region| at(region.from) == Some(*file) && at(region.to) == Some(*file))
        }))
    }

    /// Strands between two boundaries; `None` if one of them is at no site.
    fn between(&self, from: &str, to: &str) -> Option<Vec<StrandRegionId>> {
        let boundaries = |words: &str| {
            let side = SIDES.iter().find(|(side, _)| words.ends_with(side));
            let (place, sides) = match side {
                Some((text, sides)) => (&words[..words.len() - text.len()], *sides),
                None => (words, &[Side::Outside][..]),
            };
            let sites = self.matching(|site| is_meant_by(site, place));
            (!sites.is_empty()).then_some((sites, sides))
        };
        let (from, to) = (boundaries(from)?, boundaries(to)?);
        let is = |boundary: Boundary, (sites, sides): &(Vec<SiteId>, &[Side])| {
            let is_root = boundary.site == SiteId::ROOT;
            sites.contains(&boundary.site) && (is_root || sides.contains(&boundary.side))
        };
        Some(self.regions(|region| is(region.from, &from) && is(region.to, &to)))
    }

    /// The sites of one kind that the words mean by their place or by the name of what they run.
    fn sites(&self) -> Result<Option<Vec<SiteId>>, CodeError> {
        let (kind, place) = kind_and_place(self.words);
        let of_kind = |site: &Site| kind.is_none_or(|kind| site.kind == kind);
        let by_place = self.matching(|site| {
            let locations = [site.location.as_ref(), site.callee.as_ref()];
            of_kind(site) && locations.into_iter().any(|location| is_at(location, place))
        });
        if !by_place.is_empty() {
            let kinds_and_files = by_place.iter().map(|site| {
                let site = self.site(*site);
                let locations = [site.location.as_ref(), site.callee.as_ref()];
                let meant = locations
                    .into_iter()
                    .find(|location| is_at(*location, place));
                (site.kind.name(), meant.flatten().map(|meant| &meant.file))
            });
            let several = kinds_and_files.collect::<BTreeSet<_>>().len() > 1;
            return match several {
                true => Err(self.ambiguous(by_place.iter().map(|site| {
                    let site = self.site(*site);
                    format!("{} at {}", site.kind, site_words(site))
                }))),
                false => Ok(Some(by_place)),
            };
        }
        let named = self.matching(|site| {
            let is_root = site.kind == SiteKind::Root && place == SiteKind::Root.name();
            of_kind(site) && (is_root || is_called(site.name.as_deref(), place))
        });
        let name = |site: &SiteId| self.site(*site).name.clone().unwrap_or_default();
        let exact = named.iter().filter(|site| name(site) == place);
        let exact: Vec<SiteId> = exact.copied().collect();
        let named = if exact.is_empty() { named } else { exact };
        let meanings = named
            .iter()
            .map(|site| (self.site(*site).kind.name(), name(site)));
        let meanings: BTreeSet<_> = meanings.collect();
        match (named.is_empty(), meanings.len()) {
            (true, _) => Ok(None),
            (false, 1) => Ok(Some(named)),
            _ => Err(self.ambiguous(
                meanings
                    .into_iter()
                    .map(|(kind, name)| format!("{kind} at {name}")),
            )),
        }
    }

    /// The strands of instances of the sites; of functions and regions with those of functions that they call.
    fn own_strands(&self, sites: &[SiteId]) -> Vec<StrandRegionId> {
        let mut is_own = vec![false; self.profile.tree.len()];
        for (at, node) in self.profile.tree.iter().enumerate() {
            let kind = self.site(node.site).kind;
            let below = node.parent.filter(|_| kind == SiteKind::Function);
            let called_by_own = below.is_some_and(|parent: NodeId| {
                let caller = self.site(self.profile.tree[parent.index()].site).kind;
                is_own[parent.index()] && caller.is_serial()
            });
            is_own[at] = sites.contains(&node.site) || called_by_own;
        }
        self.regions(|region| is_own[region.node.index()])
    }

    /// Strands between constructs that stand in the function; `None` if none do.
    fn in_function(&self, name: &str) -> Result<Option<Vec<StrandRegionId>>, CodeError> {
        let sites = self.profile.sites.iter();
        let functions: BTreeSet<&str> = sites.filter_map(|site| in_function(site, name)).collect();
        let functions = match functions.contains(name) {
            true => BTreeSet::from([name]),
            false => functions,
        };
        if functions.len() > 1 {
            return Err(self.ambiguous(functions.into_iter().map(str::to_owned)));
        }
        Ok(functions.first().map(|function| {
            let stands = |boundary: Boundary| {
                boundary.site == SiteId::ROOT
                    || in_function(self.site(boundary.site), name) == Some(function)
            };
            let is_known = |boundary: Boundary| boundary.site != SiteId::ROOT;
            self.regions(|region| {
                let of_program = !is_known(region.from) && !is_known(region.to);
                !of_program && stands(region.from) && stands(region.to)
            })
        }))
    }

    /// Words for which there is code: near lines in the same file, or similar words.
    fn nearest(&self, code: &Code) -> Vec<String> {
        let line = line_range(self.words).or_else(|| {
            let (file, line) = place(self.words)?;
            Some((file, line, line))
        });
        let sampled = Sampled::of(self.profile);
        let in_file = line.map(|(file, first, last)| {
            let distance = |line: u32| match line < first {
                true => first - line,
                false => line.saturating_sub(last),
            };
            let sites = self.profile.sites.iter();
            let places = sites.filter_map(|site| site.location.as_ref());
            let places = places.filter(|location| is_file(&location.file, file));
            let places = places.map(|place| (distance(place.line), place.to_string()));
            let lines = sampled.as_ref().map(|sampled| sampled.lines_of(file));
            let lines = lines.into_iter().flatten();
            let lines = lines.map(|(line, file)| (distance(line), format!("{file}:{line}")));
            let mut near: Vec<(u32, String)> = places.chain(lines).collect();
            near.sort();
            near.dedup();
            near.into_iter()
                .map(|(_, words)| words)
                .take(LISTED)
                .collect::<Vec<_>>()
        });
        if let Some(in_file) = in_file.filter(|in_file| !in_file.is_empty()) {
            return in_file;
        }
        let sites = self.profile.sites.iter();
        let names = sites.flat_map(|site| {
            let function = site.function.as_deref().map(enclosing_function);
            let names = [site.name.as_deref(), function];
            names
                .into_iter()
                .flatten()
                .map(str::to_owned)
                .chain([site_words(site)])
        });
        let regions = code.regions.iter().map(|region| region.words(self.profile));
        let sampled = sampled.iter().flat_map(Sampled::names);
        let sampled = sampled.map(str::to_owned);
        by_similarity(names.chain(regions).chain(sampled), self.words)
    }
}

/// The most similar of the candidates.
fn by_similarity(candidates: impl Iterator<Item = String>, words: &str) -> Vec<String> {
    let distinct: BTreeSet<String> = candidates.collect();
    let similarity = |candidate: &String| {
        let end = candidate.rsplit("::").next().unwrap_or(candidate);
        strsim::jaro_winkler(candidate, words).max(strsim::jaro_winkler(end, words))
    };
    let mut candidates: Vec<String> = distinct.into_iter().collect();
    candidates.sort_by(|one, other| similarity(other).total_cmp(&similarity(one)));
    candidates.truncate(LISTED);
    candidates
}

/// Whether `name` is `file` or ends with its path.
pub(super) fn is_file(name: &str, file: &str) -> bool {
    let before = name.strip_suffix(file);
    before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// The function around the site, if `name` is the end of its path.
fn in_function<'a>(site: &'a Site, name: &str) -> Option<&'a str> {
    let function = enclosing_function(site.function.as_deref()?);
    is_called(Some(function), name).then_some(function)
}

/// Whether a site is what `words` of [`site_words`] or the end of its location mean.
fn is_meant_by(site: &Site, words: &str) -> bool {
    is_at(site.location.as_ref(), words) || site_words(site) == words
}

/// Where a boundary lies: a function's body where it is defined.
pub(super) fn place_of(site: &Site, side: Side) -> Option<&Location> {
    match (site.kind, side) {
        (SiteKind::Function, Side::Body) => site.callee.as_ref().or(site.location.as_ref()),
        _ => site.location.as_ref(),
    }
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
    let with_column = before.rsplit_once(':').and_then(|(file, line)| {
        let line: u32 = line.parse().ok()?;
        Some((file, line))
    });
    Some(with_column.unwrap_or((before, number)))
}

/// `FROM..TO`; the dots of `../` are of a path.
fn ends(words: &str) -> Option<(&str, &str)> {
    let dots = words.match_indices("..").map(|(at, _)| at);
    let mut dots = dots.filter(|&at| at > 0 && !words[at + 2..].starts_with('/'));
    let at = dots.next()?;
    Some((&words[..at], &words[at + 2..]))
}
