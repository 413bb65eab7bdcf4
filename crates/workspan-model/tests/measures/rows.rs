//! Site rows, compared with their definition on random invocation trees.
//!
//! An invocation tree is built explicitly, with every kind of recursion: through one site, through
//! several sites of one function, through several functions. It is folded into a call tree, as the
//! engine does, and given to [`site_rows`]; and each figure is also computed from the invocation
//! tree itself, by its definition.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use workspan_model::{
    Location, MeasureKind, Nanos, On, Profile, Site, SiteKind, SiteRow, Work, analyse, parallelism,
    path_of, paths, site_rows,
};

use crate::definitions::{Execution, Sums, executions, own_path, sums_of};
use crate::invocation::{Instance, SITES, random_program};
use crate::programs;

fn program() -> impl Strategy<Value = Instance> {
    random_program(|_| 3)
}

/// A line of the source with sites: calls of functions or joins, in a function if it is known.
#[derive(Clone, Debug)]
struct Line {
    kind: SiteKind,
    function: Option<u32>,
}

/// The lines with sites, and for each site from 1 on the line that it is on; sites may share a
/// line.
#[derive(Clone, Debug)]
struct Source {
    lines: Vec<Line>,
    line_of_site: Vec<u32>,
}

fn source() -> impl Strategy<Value = Source> {
    let kind = prop_oneof![Just(SiteKind::Function), Just(SiteKind::Join)];
    let line = (kind, prop::option::weighted(0.8, 0..3_u32));
    let lines = prop::collection::vec(line.prop_map(|(kind, function)| Line { kind, function }), 4);
    let line_of_site = prop::collection::vec(1..=4_u32, SITES as usize);
    (lines, line_of_site).prop_map(|(lines, line_of_site)| Source {
        lines,
        line_of_site,
    })
}

impl Source {
    /// The group of a site: its line, or 0 for the root.
    fn line_of(&self, site: u32) -> u32 {
        match site {
            0 => 0,
            site => self.line_of_site[site as usize - 1],
        }
    }

    fn sites(&self) -> Vec<Site> {
        let sites = self.line_of_site.iter().map(|&number| {
            let line = &self.lines[number as usize - 1];
            // The same function, as symbols name it around a call and in closures.
            let closure = ["", "::{closure}", "::{closure}::{closure}"][number as usize % 3];
            let function = line.function.map(|id| format!("app::f{id}{closure}"));
            Site {
                location: Some(Location::new("src/main.rs", number, 5)),
                function,
                ..Site::unnamed(line.kind)
            }
        });
        std::iter::once(Site::root()).chain(sites).collect()
    }

    fn profile(&self, program: &Instance) -> Profile {
        programs::profile(program, self.sites())
    }

    /// Whether the sites of both lines are in the same function. An unknown function is one of its
    /// own.
    fn same_function(&self, one: u32, other: u32) -> bool {
        let function = |line: u32| self.lines[line as usize - 1].function;
        match (one, other) {
            (0, _) | (_, 0) => one == other,
            _ if one == other => true,
            _ => function(one).is_some() && function(one) == function(other),
        }
    }

    /// The executions of the line's sites that a measure sums up.
    fn measured<'a>(
        &'a self,
        executions: &'a [Execution<'a>],
        line: u32,
        on: On,
        kind: MeasureKind,
    ) -> impl Iterator<Item = &'a Execution<'a>> {
        executions.iter().filter(move |execution| {
            let mut around = execution.around.iter().map(|&site| self.line_of(site));
            self.line_of(execution.instance.site) == line
                && (on == On::Work || execution.on_path)
                && match kind {
                    MeasureKind::TopCallSite => around.all(|outer| outer != line),
                    MeasureKind::TopCaller => around.all(|outer| !self.same_function(outer, line)),
                    MeasureKind::Local => true,
                }
        })
    }

    fn defined(&self, executions: &[Execution<'_>], line: u32, on: On, kind: MeasureKind) -> Sums {
        let measured = self.measured(executions, line, on, kind);
        match kind {
            MeasureKind::Local => Sums::local(measured),
            _ => Sums::whole(measured),
        }
    }
}

fn line_of(row: &SiteRow) -> u32 {
    row.location.as_ref().map_or(0, |location| location.line)
}

/// The total path of several instances: time and instances of each line.
type Path = BTreeMap<u32, (i64, u64)>;

fn summed(paths: impl IntoIterator<Item = Path>) -> Path {
    let mut sum = Path::new();
    for (line, (nanos, count)) in paths.into_iter().flatten() {
        let part = sum.entry(line).or_default();
        *part = (part.0 + nanos, part.1 + count);
    }
    sum
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn measures_are_as_defined(program in program(), source in source()) {
        let profile = source.profile(&program);
        prop_assert_eq!(profile.check(), Ok(()));
        let executions = executions(&program);
        let rows: BTreeMap<u32, SiteRow> =
            site_rows(&profile).into_iter().map(|row| (line_of(&row), row)).collect();
        let lines: BTreeSet<u32> =
            executions.iter().map(|execution| source.line_of(execution.instance.site)).collect();
        prop_assert_eq!(rows.keys().copied().collect::<BTreeSet<u32>>(), lines);
        for (&line, row) in &rows {
            for on in On::ALL {
                for kind in MeasureKind::ALL {
                    let measure = row.measure(on, kind);
                    let defined = source.defined(&executions, line, on, kind);
                    prop_assert_eq!(sums_of(measure), Some(defined), "line {}, {:?} on {:?}", line, kind, on);
                    let expected = measure.work.zip(measure.span).and_then(|(work, span)| parallelism(work, span));
                    prop_assert_eq!(measure.parallelism, expected);
                }
            }
        }
    }

    #[test]
    fn paths_are_as_defined(program in program(), source in source(), pair in (1..=4_u32, 1..=4_u32)) {
        let profile = source.profile(&program);
        let rows = site_rows(&profile);
        let executions = executions(&program);
        let group_of = |site: u32| source.line_of(site);
        // Every row by itself, and two together.
        let two = [pair.0, pair.1];
        let both: Vec<usize> = (0..rows.len()).filter(|&row| two.contains(&line_of(&rows[row]))).collect();
        let selections = (0..rows.len()).map(|row| vec![row]).chain([both]);
        for selected in selections {
            let lines: Vec<u32> = selected.iter().map(|&row| line_of(&rows[row])).collect();
            let top = || executions.iter().filter(|execution| {
                let mut around = execution.around.iter().map(|&site| group_of(site));
                lines.contains(&group_of(execution.instance.site)) && around.all(|outer| !lines.contains(&outer))
            });
            let path = path_of(&profile, &rows, &selected).unwrap();
            let sums = Sums {
                count: path.count,
                work: path.work.time().as_nanos(),
                span: path.span.time().as_nanos(),
            };
            prop_assert_eq!(sums, Sums::whole(top()));
            let parts: Path = path
                .parts
                .iter()
                .map(|part| (line_of(&rows[part.row]), (part.local_span.time().as_nanos(), part.count)))
                .collect();
            let defined = summed(top().map(|execution| own_path(execution.instance, &group_of)));
            prop_assert_eq!(&parts, &defined);
            // The parts add up to the whole span, and their shares to 1.
            let whole: i64 = parts.values().map(|(nanos, _)| nanos).sum();
            prop_assert_eq!(whole, path.span.time().as_nanos());
            prop_assert_eq!(path.recorded, if whole > 0 { 1.0 } else { 0.0 });
            let share: f64 = path.parts.iter().map(|part| part.share).sum();
            let expected = if whole > 0 { 1.0 } else { 0.0 };
            prop_assert!((share - expected).abs() < 1e-9);
            prop_assert!(path.parts.is_sorted_by_key(|part| std::cmp::Reverse(part.local_span)));
            if let [row] = selected[..] {
                prop_assert_eq!(&paths(&profile, &rows).unwrap()[row], &path.parts);
            }
        }
    }

    #[test]
    fn rows_sum_up_to_the_totals(program in program(), source in source()) {
        let profile = source.profile(&program);
        let analysis = analyse(&profile);
        let local_work: Work = analysis.sites.iter().map(|row| row.on_work.local_work).sum();
        prop_assert_eq!(local_work, analysis.totals.work);
        let share: f64 = analysis.sites.iter().map(|row| row.on_span.share).sum();
        let expected = if profile.span.time() > Nanos::ZERO { 1.0 } else { 0.0 };
        prop_assert!((share - expected).abs() < 1e-9);
        prop_assert!(analysis.sites.is_sorted_by_key(|row| std::cmp::Reverse(row.on_span.local_span)));
    }

    /// A profile of an older engine gives what it has; the rest is not known.
    #[test]
    fn what_older_profiles_lack_is_not_known(program in program(), source in source()) {
        let whole = source.profile(&program);
        let mut old = whole.clone();
        for node in &mut old.tree {
            node.path.clear();
            node.on_work.local_span = Default::default();
            node.on_span.top_count = 0;
            node.on_span.top_work = Default::default();
            node.on_span.local_work = Default::default();
        }
        prop_assert!(!old.has_paths() && whole.has_paths());
        prop_assert_eq!(paths(&old, &site_rows(&old)), None);
        for (old, row) in site_rows(&old).iter().zip(&site_rows(&whole)) {
            for on in On::ALL {
                for kind in MeasureKind::ALL {
                    let (old, new) = (old.measure(on, kind), row.measure(on, kind));
                    let is_known = row.kind == SiteKind::Root
                        || matches!((on, kind), (On::Work, MeasureKind::TopCallSite | MeasureKind::TopCaller));
                    if is_known {
                        prop_assert_eq!(old, new);
                        continue;
                    }
                    prop_assert!(old.count.is_none() || old.count == new.count);
                    prop_assert!(old.work.is_none() || old.work == new.work);
                    prop_assert!(old.span.is_none() || old.span == new.span);
                    prop_assert_eq!(old.parallelism, None);
                    let known = (old.count.is_some(), old.work.is_some(), old.span.is_some());
                    let expected = match (on, kind) {
                        (On::Work, _) => (true, true, false),
                        (On::Span, MeasureKind::Local) => (true, false, true),
                        (On::Span, _) => (false, false, true),
                    };
                    prop_assert_eq!(known, expected);
                }
            }
        }
    }
}
