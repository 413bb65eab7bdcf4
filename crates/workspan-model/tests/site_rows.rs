//! Site rows against their definition, on random invocation trees.
//!
//! An invocation tree is built explicitly, with recursion of every kind. Once it is folded into a call
//! tree, as the engine does it, and given to [`site_rows`]; once each figure is taken from
//! the invocation tree itself, by its definition.

mod invocation;

use std::collections::BTreeMap;

use invocation::{Instance, Step};
use proptest::prelude::*;
use workspan_model::{
    Location, Nanos, Profile, Site, SiteKind, SiteRow, Work, analyse, example, parallelism,
    site_rows,
};

/// Sites 1 to `SITES` of the random programs; site 0 is the root.
const SITES: u32 = 6;

fn instance() -> impl Strategy<Value = Instance> {
    let strand = (0..1000_i64).prop_map(Step::Strand);
    let leaf =
        (1..=SITES, prop::collection::vec(strand, 0..4)).prop_map(|(site, steps)| Instance {
            site,
            arms: vec![steps],
        });
    leaf.prop_recursive(7, 60, 6, |inner| {
        let step = prop_oneof![
            (0..1000_i64).prop_map(Step::Strand),
            inner.prop_map(Step::Call)
        ];
        let arms = prop::collection::vec(prop::collection::vec(step, 0..4), 1..4);
        (1..=SITES, arms).prop_map(|(site, arms)| Instance { site, arms })
    })
}

fn program() -> impl Strategy<Value = Instance> {
    let step = prop_oneof![
        (0..1000_i64).prop_map(Step::Strand),
        instance().prop_map(Step::Call)
    ];
    prop::collection::vec(step, 0..6).prop_map(|steps| Instance {
        site: 0,
        arms: vec![steps],
    })
}

/// Site 0 is the root's; `lines[site - 1]` is the line of the others, so that some share their place.
fn sites(lines: &[u32]) -> Vec<Site> {
    let joins = lines.iter().map(|&line| Site {
        location: Some(Location {
            file: "src/main.rs".to_owned(),
            line,
            column: 5,
        }),
        ..Site::unnamed(SiteKind::Join)
    });
    std::iter::once(Site::root()).chain(joins).collect()
}

fn profile(program: &Instance, lines: &[u32]) -> Profile {
    let (tree, span) = invocation::fold(program);
    let sites = sites(lines);
    Profile {
        sites,
        tree,
        span: span.into(),
        burdened_span: span.into(),
        ..example::quicksort()
    }
}

fn line_of(row: &SiteRow) -> u32 {
    row.location.as_ref().map_or(0, |location| location.line)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_are_as_defined(program in program(), lines in prop::collection::vec(1..4_u32, SITES as usize)) {
        let profile = profile(&program, &lines);
        prop_assert_eq!(profile.check(), Ok(()));
        let line_of_site = |site: u32| if site == 0 { 0 } else { lines[site as usize - 1] };
        let defined = invocation::figures_by_group(&program, &line_of_site);

        let rows: BTreeMap<u32, SiteRow> =
            site_rows(&profile).into_iter().map(|row| (line_of(&row), row)).collect();
        prop_assert_eq!(
            rows.keys().collect::<Vec<_>>(),
            defined.keys().collect::<Vec<_>>(),
        );
        for (line, expected) in &defined {
            let (on_work, on_span) = (&rows[line].on_work, &rows[line].on_span);
            prop_assert_eq!(on_work.count, expected.count);
            prop_assert_eq!(on_work.top_count, expected.top_count);
            prop_assert_eq!(on_work.work.time(), Nanos::from_nanos(expected.work));
            prop_assert_eq!(on_work.span.time(), Nanos::from_nanos(expected.span));
            prop_assert_eq!(on_work.local_work.time(), Nanos::from_nanos(expected.local_work));
            prop_assert_eq!(on_work.parallelism, parallelism(on_work.work, on_work.span));
            prop_assert_eq!(on_span.count, expected.count_on_span);
            prop_assert_eq!(on_span.local_span.time(), Nanos::from_nanos(expected.local_span));
        }
    }

    #[test]
    fn rows_sum_up_to_the_totals(program in program(), lines in prop::collection::vec(1..4_u32, SITES as usize)) {
        let profile = profile(&program, &lines);
        let analysis = analyse(&profile);
        let local_work: Work = analysis.sites.iter().map(|row| row.on_work.local_work).sum();
        prop_assert_eq!(local_work, analysis.totals.work);
        let share: f64 = analysis.sites.iter().map(|row| row.on_span.share).sum();
        let expected = if profile.span.time() > Nanos::ZERO { 1.0 } else { 0.0 };
        prop_assert!((share - expected).abs() < 1e-9);
        prop_assert!(analysis.sites.is_sorted_by_key(|row| std::cmp::Reverse(row.on_span.local_span)));
    }
}
