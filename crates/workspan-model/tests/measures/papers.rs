//! The tables of the Cilkprof paper, from programs of the same shape.

use workspan_model::{Location, MeasureKind, On, Site, SiteKind, SiteRow, site_rows};

use crate::definitions::{Sums, sums_of};
use crate::invocation::{Instance, Step};
use crate::programs::{call, profile};

/// The sites of a program of the paper: `main`'s call, a join in the called function, and calls in
/// it or in closures of the join.
fn paper_sites(function: &str, calls: &[(&str, bool)]) -> Vec<Site> {
    let at = |line: u32, kind, around: String, name: Option<&str>| Site {
        location: Some(Location::new("src/main.rs", line, 1)),
        function: Some(around),
        name: name.map(ToOwned::to_owned),
        ..Site::unnamed(kind)
    };
    let mut sites = vec![
        Site::root(),
        at(
            1,
            SiteKind::Function,
            "app::main".to_owned(),
            Some(function),
        ),
        at(2, SiteKind::Join, function.to_owned(), None),
    ];
    for (line, &(callee, in_closure)) in (3..).zip(calls) {
        let closure = if in_closure { "::{closure}" } else { "" };
        let around = format!("{function}{closure}");
        sites.push(at(line, SiteKind::Function, around, Some(callee)));
    }
    sites
}

fn paper_rows(arm: Vec<Step>, sites: Vec<Site>) -> impl Fn(u32) -> SiteRow {
    let root = Instance {
        site: 0,
        arms: vec![vec![call(1, arm)]],
    };
    let rows = site_rows(&profile(&root, sites));
    move |line| {
        let mut rows = rows.iter();
        let row = rows.find(|row| {
            row.location
                .as_ref()
                .is_some_and(|place| place.line == line)
        });
        row.unwrap().clone()
    }
}

/// Cilkprof Fig. 7: `fib` calls itself at two sites.
#[test]
fn top_caller_works_of_fib_have_the_golden_ratio() {
    fn fib(n: u32) -> Vec<Step> {
        if n < 2 {
            return vec![Step::Strand(1)];
        }
        let arms = vec![vec![call(3, fib(n - 1))], vec![call(4, fib(n - 2))]];
        vec![Step::Strand(1), Step::Call(Instance { site: 2, arms })]
    }
    let row = paper_rows(fib(16), paper_sites("app::fib", &[("app::fib", true); 2]));
    let work = |line, kind| {
        let measure = row(line).measure(On::Work, kind);
        measure.work.unwrap().time().as_nanos() as f64
    };
    let ratio = work(3, MeasureKind::TopCaller) / work(4, MeasureKind::TopCaller);
    let golden = (1.0 + 5_f64.sqrt()) / 2.0;
    assert!((ratio - golden).abs() < 0.002, "{ratio}");
    // Together they are what `main` calls; each of the top-call-site works is nearly all of it.
    let whole = work(1, MeasureKind::TopCaller);
    let both = work(3, MeasureKind::TopCaller) + work(4, MeasureKind::TopCaller);
    assert_eq!(both, whole - 1.0);
    for line in [3, 4] {
        assert!(work(line, MeasureKind::TopCallSite) > 0.9 * whole);
        let top_caller = row(line).measure(On::Work, MeasureKind::TopCaller);
        assert_eq!(top_caller.count, Some(1));
    }
}

/// Cilkprof Figs 8 to 10: `mm` calls itself in parallel, and `base` only where it recurses.
#[test]
fn base_of_the_matrix_multiplication_has_no_top_caller() {
    fn mm(levels: u32) -> Vec<Step> {
        if levels == 0 {
            return vec![Step::Strand(1), call(5, vec![Step::Strand(1_000)])];
        }
        let arms = vec![vec![call(3, mm(levels - 1))], vec![call(4, mm(levels - 1))]];
        vec![Step::Strand(1), Step::Call(Instance { site: 2, arms })]
    }
    let calls = [("app::mm", true), ("app::mm", true), ("app::base", false)];
    let row = paper_rows(mm(6), paper_sites("app::mm", &calls));
    let base = row(5);
    assert_eq!(
        sums_of(base.measure(On::Work, MeasureKind::TopCaller)),
        Some(Sums::default())
    );
    let local = base.measure(On::Work, MeasureKind::Local);
    assert_eq!(local.count, Some(64));
    assert_eq!(local.parallelism, Some(1.0));
    let whole = row(1).measure(On::Work, MeasureKind::TopCaller);
    let share = local
        .work
        .unwrap()
        .time()
        .share_of(whole.work.unwrap().time());
    assert!(share > 0.99, "{share}");
    assert!(whole.parallelism.unwrap() > 60.0);
    let half = |line| row(line).measure(On::Work, MeasureKind::TopCaller);
    assert_eq!(half(3), half(4));
}

/// Cilkprof Fig. 2: the local spans of the sites add up to the span, nearly all of it in
/// `partition`.
#[test]
fn local_spans_of_the_quicksort_add_up_to_its_span() {
    fn sort(n: i64) -> Vec<Step> {
        if n < 32 {
            return vec![Step::Strand(n)];
        }
        let smaller = n * 2 / 5;
        let arms = vec![
            vec![call(3, sort(smaller))],
            vec![call(4, sort(n - smaller))],
        ];
        let partition = call(5, vec![Step::Strand(10 * n)]);
        vec![
            partition,
            Step::Strand(1),
            Step::Call(Instance { site: 2, arms }),
        ]
    }
    let sort_at = "app::quicksort";
    let calls = [(sort_at, true), (sort_at, true), ("app::partition", false)];
    let row = paper_rows(sort(10_000), paper_sites(sort_at, &calls));
    let local = |line| {
        let measure = row(line).measure(On::Span, MeasureKind::Local);
        measure.span.unwrap().time().as_nanos()
    };
    let whole = row(1).measure(On::Work, MeasureKind::TopCallSite);
    let span = whole.span.unwrap().time().as_nanos();
    assert_eq!((1..=5).map(local).sum::<i64>(), span);
    assert!(local(5) as f64 > 0.99 * span as f64);
    let partition = row(5).measure(On::Span, MeasureKind::TopCallSite);
    assert_eq!(partition.parallelism, Some(1.0));
}
