//! Source lines: how much they run, by samples, and the sites on them.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::functions::{Identities, Logical, Place, around_closure};
use crate::profile::sample_weight::{Weight, Whole};
use crate::run::site::is_downloaded;
use crate::sites::selection::is_called;
use crate::{Location, OnBoth, Profile, Samples, Site, SiteKind, Span, Work};

/// A source file, and how much its lines run.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceFile {
    /// The file, as locations name it.
    pub file: String,
    /// What its lines run themselves, in total.
    pub own: OnBoth,
    /// Time of the own strands of all sites in the file on the critical path.
    pub local_span: Span,
    /// The lines that have samples or sites, in ascending order.
    pub lines: Vec<SourceLine>,
    /// The definitions of functions that have samples: line and name.
    pub definitions: BTreeSet<(u32, String)>,
}

/// A line of the source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceLine {
    /// Its number, from 1.
    pub line: u32,
    /// What it runs itself, by samples. Time in the standard library and rayon counts for the line
    /// that called them.
    pub own: OnBoth,
    /// The same, including everything called and spawned from it.
    pub total: OnBoth,
    /// The sites on it.
    pub sites: Vec<SiteOnLine>,
    /// The functions that it belongs to; several if closures or inlined functions share it.
    pub functions: BTreeSet<String>,
}

/// The sites of one kind on a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiteOnLine {
    /// What they do.
    pub kind: SiteKind,
    /// Instances.
    pub count: u64,
    /// Work of their own strands; for a lock, the work done while it was held.
    pub local_work: Work,
    /// Time of their own strands on the critical path.
    pub local_span: Span,
}

/// A line that only calls others is shown from this share on.
const LEAST_SHARE: f64 = 0.01;

impl SourceFile {
    /// Whether the file holds a noteworthy part of the work or of the span of `program`.
    pub fn is_noteworthy(&self, program: Span) -> bool {
        let sites = self.local_span.time().share_of(program.time());
        let [span, work] = self.own.shares();
        span.max(work).max(sites) >= LEAST_SHARE
    }

    /// Whether samples of `program` are in the user's own code of the file: not in a library, nor
    /// in a downloaded crate.
    pub fn is_users(&self, program: &Profile) -> bool {
        let frames = program.samples.iter().flat_map(|samples| &samples.frames);
        let mut users = frames.filter(|frame| frame.user_code);
        !is_downloaded(&self.file)
            && users.any(|frame| (frame.location.iter()).any(|location| location.file == self.file))
    }

    /// The lines that run something or have a site on them, those that call much, and those where
    /// the functions of these lines begin.
    pub fn noteworthy_lines(&self) -> BTreeSet<u32> {
        self.select_lines(SourceLine::is_noteworthy, |_| true)
    }

    /// The lines of the functions whose names end with the path segments of `part`, closures
    /// included, and the lines where these functions begin.
    pub fn lines_of(&self, part: &str) -> BTreeSet<u32> {
        let is_meant = |name: &String| is_named(name, part);
        self.select_lines(|line| line.functions.iter().any(is_meant), is_meant)
    }

    fn select_lines(
        &self,
        is_line: impl Fn(&SourceLine) -> bool,
        is_function: impl Fn(&String) -> bool,
    ) -> BTreeSet<u32> {
        let lines: Vec<&SourceLine> = self.lines.iter().filter(|line| is_line(line)).collect();
        let shown = |(_, name): &&(u32, String)| {
            is_function(name) && lines.iter().any(|line| line.functions.contains(name))
        };
        let definitions = self.definitions.iter().filter(shown).map(|(line, _)| *line);
        definitions
            .chain(lines.iter().map(|line| line.line))
            .collect()
    }
}

impl SourceLine {
    fn is_noteworthy(&self) -> bool {
        let calls = self.total.shares().into_iter().fold(0.0, f64::max);
        self.own.on_work.samples > 0.0 || !self.sites.is_empty() || calls >= LEAST_SHARE
    }
}

/// Whether a function's name, or for a closure that of the function around it, ends with the path
/// segments of `part`.
fn is_named(name: &str, part: &str) -> bool {
    [name, around_closure(name)]
        .into_iter()
        .any(|name| is_called(Some(name), part))
}

/// The source files of `profile`, in descending order of what their lines run of the span, then by
/// name.
///
/// # Panics
/// If the profile is not valid.
pub fn source_files(profile: &Profile) -> Vec<SourceFile> {
    let mut lines = Lines::default();
    lines.add_sites(profile);
    let none = Samples::default();
    let samples = profile.samples.as_ref().unwrap_or(&none);
    let whole = Whole::new(profile, samples);
    lines.add_samples(profile, samples, &whole);
    let files = lines.files.into_iter();
    let mut files: Vec<SourceFile> = files
        .map(|(file, content)| content.finish(file, &whole))
        .collect();
    files.sort_by(|one, other| {
        let key = |file: &SourceFile| (file.own.shares(), file.local_span);
        let by_share = key(other).partial_cmp(&key(one));
        by_share.unwrap_or(std::cmp::Ordering::Equal)
    });
    files
}

/// Figures of lines, by file and line number.
#[derive(Default)]
struct Lines<'a> {
    files: BTreeMap<&'a str, Content>,
}

#[derive(Default)]
struct Content {
    lines: BTreeMap<u32, Line>,
    definitions: BTreeSet<(u32, String)>,
}

#[derive(Default)]
struct Line {
    own: Weight,
    total: Weight,
    sites: BTreeMap<SiteKind, SiteOnLine>,
    functions: BTreeSet<String>,
}

impl<'a> Lines<'a> {
    fn at(&mut self, location: &'a Location) -> &mut Line {
        let content = self.files.entry(&location.file).or_default();
        content.lines.entry(location.line).or_default()
    }

    fn add_sites(&mut self, profile: &'a Profile) {
        for node in &profile.tree {
            let site = SiteOnLine {
                kind: profile.site_of(node).kind,
                count: node.on_work.count,
                local_work: node.on_work.local_work,
                local_span: node.on_span.local_span,
            };
            self.add_site(profile.site_of(node), site);
        }
        for lock in profile.lock_uses() {
            let site = &profile.sites[lock.site.index()];
            let held = SiteOnLine {
                kind: site.kind,
                count: lock.acquisitions,
                local_work: lock.held,
                local_span: Span::ZERO,
            };
            self.add_site(site, held);
        }
    }

    fn add_site(&mut self, site: &'a Site, more: SiteOnLine) {
        let Some(location) = &site.location else {
            return;
        };
        let line = self.at(location);
        line.functions.extend(site.function.clone());
        let sum = line.sites.entry(site.kind).or_insert(SiteOnLine {
            kind: site.kind,
            count: 0,
            local_work: Work::ZERO,
            local_span: Span::ZERO,
        });
        sum.count = sum.count.saturating_add(more.count);
        sum.local_work += more.local_work;
        sum.local_span += more.local_span;
    }

    fn add_samples(&mut self, profile: &'a Profile, samples: &'a Samples, whole: &Whole) {
        let identities = Identities::new(profile, samples);
        let logical = Logical::new(profile, samples, &identities);
        for (index, stack) in samples.stacks.iter().enumerate() {
            let weight = whole.weight(stack);
            let places: Vec<Place<'a>> = logical.stack(index).collect();
            if let Some(location) = places.first().and_then(|place| place.location) {
                self.at(location).own.add(weight);
            }
            let mut seen = HashSet::new();
            for place in &places {
                let Some(location) = place.location else {
                    continue;
                };
                let name = identities.name(place.function);
                let line = self.at(location);
                if let Some(name) = name.filter(|name| !line.functions.contains(*name)) {
                    line.functions.insert(name.to_owned());
                }
                if seen.insert((&location.file, location.line)) {
                    line.total.add(weight);
                }
                if let Some((definition, name)) = identities.definition(place.function).zip(name)
                    && let Some(content) = self.files.get_mut(definition.file.as_str())
                {
                    content
                        .definitions
                        .insert((definition.line, name.to_owned()));
                }
            }
        }
    }
}

impl Content {
    fn finish(self, file: &str, whole: &Whole) -> SourceFile {
        let mut own = Weight::default();
        let mut local_span = Span::ZERO;
        let lines = self.lines.into_iter().map(|(number, line)| {
            own.add(line.own);
            local_span += line.sites.values().map(|site| site.local_span).sum();
            SourceLine {
                line: number,
                own: whole.share(line.own),
                total: whole.share(line.total),
                sites: line.sites.into_values().collect(),
                functions: line.functions,
            }
        });
        let lines = lines.collect();
        SourceFile {
            file: file.to_owned(),
            own: whole.share(own),
            local_span,
            lines,
            definitions: self.definitions,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{StackFrame, example};

    fn at(file: &str, line: u32) -> Option<Location> {
        Some(Location::new(file, line, 0))
    }

    /// The quicksort with samples in `partition` (sort.rs:14 to 20) and in a library that it calls.
    fn profile() -> Profile {
        let mut profile = example::quicksort();
        let frame = |function: &str, definition, location, user_code| StackFrame {
            function: Some(function.to_owned()),
            definition,
            location,
            inlined: false,
            user_code,
            ..StackFrame::default()
        };
        let sort = "src/sort.rs";
        let main = "examples/quicksort.rs";
        let frames = vec![
            frame("partition", at(sort, 14), at(sort, 17), true),
            frame("partition", at(sort, 14), at(sort, 19), true),
            frame(
                "core::mem::swap",
                None,
                at("library/core/src/mem.rs", 7),
                false,
            ),
            frame("quicksort::quicksort", at(main, 27), at(main, 30), true),
            frame("quicksort::quicksort", at(main, 27), at(main, 31), true),
        ];
        let samples = example::samples(
            &[],
            &[
                (1, &[0, 3], 20.0, 20.0),
                (1, &[2, 1, 3, 4, 3], 60.0, 60.0),
                (1, &[3], 20.0, 20.0),
            ],
        );
        profile.samples = Some(Samples { frames, ..samples });
        profile
    }

    #[test]
    fn lines_count_what_they_run_and_what_they_call() {
        let files = source_files(&profile());
        let names: Vec<_> = files.iter().map(|file| file.file.as_str()).collect();
        assert_eq!(names, ["src/sort.rs", "examples/quicksort.rs"]);
        let lines = |file: usize| -> Vec<_> {
            let samples = |both: OnBoth| both.on_span.samples;
            let lines = files[file].lines.iter();
            lines
                .map(|line| (line.line, samples(line.own), samples(line.total)))
                .collect()
        };
        assert_eq!(lines(0), [(17, 20.0, 20.0), (19, 60.0, 60.0)]);
        // Line 31 spawns the task of all samples.
        assert_eq!(lines(1), [(30, 20.0, 100.0), (31, 0.0, 100.0)]);
        assert_eq!(files[0].own.on_span.share.value, 0.8);
        let definitions = [(14, "partition".to_owned())];
        assert_eq!(files[0].definitions, definitions.into());
    }

    #[test]
    fn functions_are_found_by_the_end_of_their_name() {
        let named = |part| is_named("app::Grid::search::{closure}", part);
        assert!(named("search") && named("Grid::search") && named("app::Grid::search"));
        assert!(named("app::Grid::search::{closure}"));
        assert!(!named("earch") && !named("Grid") && !named("other::search"));
    }

    #[test]
    fn a_function_is_shown_with_its_beginning() {
        let files = source_files(&profile());
        assert_eq!(files[0].lines_of("partition"), [14, 17, 19].into());
        assert_eq!(files[0].noteworthy_lines(), [14, 17, 19].into());
        assert_eq!(files[1].lines_of("quicksort"), [27, 30, 31].into());
        assert_eq!(files[1].lines_of("partition"), BTreeSet::new());
        assert!(
            files
                .iter()
                .all(|file| file.is_noteworthy(Span::from_nanos(98_000_000)))
        );
        assert!(
            !SourceFile {
                own: OnBoth::default(),
                ..files[0].clone()
            }
            .is_noteworthy(Span::ZERO)
        );
    }

    #[test]
    fn lines_have_their_sites_with_or_without_samples() {
        let mut profile = profile();
        for samples in [profile.samples.clone(), None] {
            profile.samples = samples;
            let files = source_files(&profile);
            let file = files.last().unwrap();
            let line = file.lines.last().unwrap();
            assert_eq!(
                (file.file.as_str(), line.line),
                ("examples/quicksort.rs", 31)
            );
            let site = line.sites[0];
            assert_eq!((site.kind, site.count), (SiteKind::Join, 587_213));
            assert_eq!(site.local_span, Span::from_nanos(76_600_000));
            assert_eq!(file.local_span, site.local_span);
            assert!(line.functions.contains("quicksort::quicksort"));
        }
    }
}
