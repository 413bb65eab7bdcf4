//! Finds the code that a user names.

use std::collections::BTreeSet;

use super::code::{SIDES, exact_or_all, is_file, line_range, lines, site_words};
use super::sampled::Sampled;
use super::vertex::place_of;
use super::{Boundary, ChangedCode, Code, CodeError, Dag, Side, StrandRegionId};
use crate::run::site::enclosing_function;
use crate::sites::selection::{is_at, is_called, kind_and_place};
use crate::{NodeId, Profile, Site, SiteId, SiteKind};

/// How many candidates an error lists.
const LISTED: usize = 8;

/// The code that `words` name:
///
/// - `src/main.rs:40-61`: the strands that begin and end at constructs in these lines;
/// - `FROM..TO`: the strands between two boundaries, written as by
///   [`CodeRegion::words`](super::CodeRegion::words);
/// - `main.rs:40` or `main.rs:40:9`: the own strands of the spawn site there, or of the function
///   defined there;
/// - a named region or a measured function: its own strands, and those of the functions that it
///   calls;
/// - another function: the strands between constructs inside it;
/// - `root`: the serial code of the program;
/// - failing these, a function or lines that samples know: their share of the strands, with
///   everything that they call in the same task ([`CodeEstimate`](super::CodeEstimate)).
///
/// Files and functions may be named by the end of their path. `KIND at PLACE` selects one of
/// several constructs.
///
/// # Errors
/// If the words name no code, or it is unclear which.
///
/// # Panics
/// If the profile is invalid, or the dag is invalid for it.
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
        query.check_unambiguous()?;
        return Ok(regions.into());
    }
    let sampled = Sampled::from_profile(profile);
    if let Some(sampled) = &sampled
        && let Some(code) = sampled.find(dag, query.words)?
    {
        if code.parts.iter().any(|part| part.on_work > 0.0) {
            return Ok(code);
        }
        return Err(CodeError::NoStrand(query.words.to_owned()));
    }
    let words = query.words.to_owned();
    if is_known {
        return Err(CodeError::NoStrand(words));
    }
    let nearest = query.nearest(code);
    Err(if sampled.is_none() && from_and_to(&words).is_none() {
        CodeError::Unsampled { words, nearest }
    } else {
        CodeError::Unknown { words, nearest }
    })
}

/// The spawn sites that `words` name, by the end of a location or by the function around them, as
/// in [`find_code`].
///
/// # Errors
/// If the words name no spawn site, or it is unclear which.
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
        sites = query.matching(|site| function_around(site, words).is_some());
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

    /// The strands that the words name without samples; `None` if they name no site, boundary or
    /// function around one.
    fn exact(&self) -> Result<Option<Vec<StrandRegionId>>, CodeError> {
        if let Some((file, first, last)) = line_range(self.words) {
            return self.in_lines(file, first, last);
        }
        if let Some((from, to)) = from_and_to(self.words) {
            return Ok(self.between(from, to));
        }
        match self.sites()? {
            Some(sites) => Ok(Some(self.own_strands(&sites))),
            None => self.in_function(self.words),
        }
    }

    /// Checks that samples know no other function of the same name as the code that the words name
    /// without samples.
    fn check_unambiguous(&self) -> Result<(), CodeError> {
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
        if let Some(sampled) = Sampled::from_profile(self.profile) {
            names.extend(sampled.functions(self.words));
        }
        if names.len() > known {
            return Err(self.ambiguous(names.into_iter().map(str::to_owned)));
        }
        Ok(())
    }

    /// The strands that begin and end at constructs in the lines; `None` if there are none.
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
        let files = exact_or_all(files, file);
        if files.len() > 1 {
            let range = |file| format!("{file}:{first}-{last}");
            return Err(self.ambiguous(files.into_iter().map(range)));
        }
        Ok(files.first().map(|file| {
            self.regions(|region| at(region.from) == Some(*file) && at(region.to) == Some(*file))
        }))
    }

    /// The strands between two boundaries; `None` if there is no site at one of them.
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
        let is_at_one = |boundary: Boundary, (sites, sides): &(Vec<SiteId>, &[Side])| {
            let is_root = boundary.site == SiteId::ROOT;
            sites.contains(&boundary.site) && (is_root || sides.contains(&boundary.side))
        };
        Some(self.regions(|region| is_at_one(region.from, &from) && is_at_one(region.to, &to)))
    }

    /// The sites of one kind that the words name by their place or by the name of what they run.
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
            if kinds_and_files.collect::<BTreeSet<_>>().len() > 1 {
                return Err(self.ambiguous(by_place.iter().map(|site| {
                    let site = self.site(*site);
                    format!("{} at {}", site.kind, site_words(site))
                })));
            }
            return Ok(Some(by_place));
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

    /// The own strands of the sites; for functions and regions, with those of the functions that
    /// they call.
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

    /// The strands between constructs inside the function; `None` if there are no constructs in it.
    fn in_function(&self, name: &str) -> Result<Option<Vec<StrandRegionId>>, CodeError> {
        let sites = self.profile.sites.iter();
        let functions: BTreeSet<&str> = sites
            .filter_map(|site| function_around(site, name))
            .collect();
        let functions = exact_or_all(functions, name);
        if functions.len() > 1 {
            return Err(self.ambiguous(functions.into_iter().map(str::to_owned)));
        }
        Ok(functions.first().map(|function| {
            let is_root = |boundary: Boundary| boundary.site == SiteId::ROOT;
            let is_inside = |boundary: Boundary| {
                is_root(boundary)
                    || function_around(self.site(boundary.site), name) == Some(function)
            };
            self.regions(|region| {
                let is_whole_program = is_root(region.from) && is_root(region.to);
                !is_whole_program && is_inside(region.from) && is_inside(region.to)
            })
        }))
    }

    /// Words that name code: near lines in the same file, or similar words.
    fn nearest(&self, code: &Code) -> Vec<String> {
        let sampled = Sampled::from_profile(self.profile);
        let in_file = lines(self.words).map(|(file, first, last)| {
            let distance = |line: u32| {
                if line < first {
                    first - line
                } else {
                    line.saturating_sub(last)
                }
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

/// The candidates that are most similar to `words`, the most similar first.
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

/// The function around the site, if `name` is the end of its path.
fn function_around<'a>(site: &'a Site, name: &str) -> Option<&'a str> {
    let function = enclosing_function(site.function.as_deref()?);
    is_called(Some(function), name).then_some(function)
}

/// Whether `words` are the [`site_words`] of a site or the end of its location.
fn is_meant_by(site: &Site, words: &str) -> bool {
    is_at(site.location.as_ref(), words) || site_words(site) == words
}

/// Splits `FROM..TO`. The dots of `../` belong to a path.
fn from_and_to(words: &str) -> Option<(&str, &str)> {
    let dots = words.match_indices("..").map(|(at, _)| at);
    let mut dots = dots.filter(|&at| at > 0 && !words[at + 2..].starts_with('/'));
    let at = dots.next()?;
    Some((&words[..at], &words[at + 2..]))
}
