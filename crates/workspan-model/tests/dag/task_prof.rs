//! The performance model of TaskProf's running example (dissertation Fig. 3.2), as far as the text
//! gives it.
//!
//! The figure itself is not in the text. The text does give the shares of regions in the work (Fig.
//! 4.1: 55.26, 21.71, 20.4, 1.32, 0.98 and 0.33 % of 3040, which are exactly the works below); that
//! main runs L32–L33, then the recursion, then L16–L20 in parallel with L24–L28, then L38–L39
//! (§4.2.2); and that A6 has strands of 10, 200 and 220 below it, with a work of 430 and a span of
//! 230 (§4.2.2). The recursion is two levels of spawns above eight leaves (A0–A15, F0–F8). Its span
//! is 230: the span after all steps is 580 (Fig. 4.6), of which 30 + 10 is main's, 310 that of
//! L24–L28, and 220 and 10 that of the recursion. How the leaves outside of A6 divide the other
//! 1260 is not given; none can be longer than 220.
//!
//! The figures truncate ratios instead of rounding them: 3040/930 = 3.269 appears as 3.26, 3040/600
//! = 5.067 as 5.06.

use workspan_model::{
    AdviceEnd, Boundary, Change, Code, Dag, DagBuilder, DagFigures, Goal, Location, Nanos, Profile,
    Side, Site, SiteId, SiteKind, StrandRegion, StrandRegionId, Until, VertexId, VertexKind, Work,
    advise, example, find_code,
};

/// First and last line of each region.
const REGIONS: [(u32, u32); 6] = [(32, 33), (8, 9), (4, 6), (16, 20), (24, 28), (38, 39)];

#[derive(Default)]
struct Model(DagBuilder);

impl Model {
    /// A strand of the region that begins at `line`, after `before`.
    fn strand(&mut self, line: u32, ticks: i64, before: &[VertexId]) -> VertexId {
        let region = REGIONS.iter().position(|(first, _)| *first == line);
        let id = self.0.vertex(VertexKind::Strand, ticks, region.unwrap());
        for &from in before {
            self.0.edge(from, id, false);
        }
        id
    }

    /// A node of the recursion after `before`, with these leaves.
    fn node(&mut self, ticks: i64, before: VertexId, leaves: [i64; 2]) -> [VertexId; 2] {
        let spawns = self.strand(8, ticks, &[before]);
        leaves.map(|ticks| self.strand(4, ticks, &[spawns]))
    }

    fn finish(mut self) -> Dag {
        let boundary = |line: u32| Boundary {
            site: SiteId(line),
            side: Side::Body,
        };
        let regions = REGIONS.map(|(first, last)| StrandRegion {
            node: workspan_model::NodeId::ROOT,
            from: boundary(first),
            to: boundary(last),
        });
        self.0.regions = regions.to_vec();
        let dag = self.0.finish();
        dag.check(1, 40).unwrap();
        dag
    }
}

/// The profile, with a site on each line, and the dag.
fn figure() -> (Profile, Dag) {
    let mut profile = example::quicksort();
    profile.tree.truncate(1);
    profile.tree[0].path.clear();
    let lines = (1..40).map(|line| Site {
        location: Some(Location::new("src/example.cpp", line, 0)),
        ..Site::unnamed(SiteKind::Region)
    });
    profile.sites = [Site::root()].into_iter().chain(lines).collect();

    let mut model = Model::default();
    let begin = model.strand(32, 30, &[]);
    // A0 with A4 and A5, A1 with A6 and A7: the strands of A0 and A1 themselves are not in the
    // figure.
    let [a0, a1] = [(); 2].map(|()| model.strand(8, 0, &[begin]));
    let mut leaves = Vec::new();
    leaves.extend(model.node(10, a0, [210, 210]));
    leaves.extend(model.node(10, a0, [210, 210]));
    leaves.extend(model.node(10, a1, [200, 220]));
    leaves.extend(model.node(10, a1, [210, 210]));
    let between = model.strand(32, 0, &leaves);
    let branches = [
        model.strand(16, 660, &[between]),
        model.strand(24, 620, &[between]),
    ];
    model.strand(38, 10, &branches);
    (profile, model.finish())
}

fn time(ticks: i64) -> Nanos {
    Nanos::from_nanos(ticks)
}

/// A ratio as the figure shows it.
fn shown(ratio: f64) -> f64 {
    (ratio * 100.0).floor() / 100.0
}

#[test]
fn work_and_span_of_the_performance_model() {
    let (profile, dag) = figure();
    let code = Code::new(&profile, &dag);
    let figures = DagFigures::new(&dag, &code);
    assert_eq!(
        (figures.work.time(), figures.span.time()),
        (time(3040), time(930))
    );
    assert_eq!(shown(figures.parallelism), 3.26);
    let path: Vec<(i64, i64)> = figures
        .path
        .iter()
        .filter(|part| part.share > 0.0)
        .map(|part| (part.span.time().as_nanos(), part.work.time().as_nanos()))
        .collect();
    let expected = [(660, 660), (220, 1680), (30, 30), (10, 40), (10, 10)];
    assert_eq!(path, expected);
}

#[test]
fn algorithm_12_finds_the_regions_of_figure_4_6() {
    let (profile, dag) = figure();
    let code = Code::new(&profile, &dag);
    // The figure prints a threshold of 105, with which its own line 7 would continue: 310 is not
    // less than 2 × 105. To stop after a strand of 330 and before one of 310 takes a threshold
    // above 310/2 and up to 330/2.
    let goal = Goal {
        target: 8.0,
        factor: 2.0,
        least_strand: time(3 * 53),
        locked: Work::ZERO,
    };
    let advice = advise(&dag, &code, goal);
    let line = |index: usize| code.regions[index].from.site.0;
    let steps: Vec<_> = advice
        .steps
        .iter()
        .map(|step| {
            let span = step.span.time().as_nanos();
            (line(step.code), span, shown(step.parallelism))
        })
        .collect();
    // The figure prints 4.49 after the first step; its own numbers give 3040/890.
    assert_eq!(steps, [(16, 660, 3.41), (24, 620, 5.06), (16, 330, 5.24)]);
    let advised: Vec<_> = advice
        .advised
        .iter()
        .map(|advised| (line(advised.code), advised.factor))
        .collect();
    assert_eq!(advised, [(16, 4.0), (24, 2.0)]);
    assert_eq!(advice.end, AdviceEnd::TooShort { longest: time(310) });
    assert_eq!(advice.after.span.time(), time(580));
    assert_eq!(advice.after.work.time(), time(3040));
    let share = |line| {
        let part = advice.after.path.iter();
        let mut part = part.filter(|part| code.regions[part.code].from.site == SiteId(line));
        part.next()
            .map(|part| (part.share * 10_000.0).round() / 100.0)
    };
    // "Critical work percent" of L35, L9 and L10, which spawn these.
    assert_eq!(
        [24, 4, 8].map(share),
        [Some(53.45), Some(37.93), Some(1.72)]
    );
    // The same changes, made by hand.
    let changed = dag.with_changes(&advice.changes(&code));
    assert_eq!(DagFigures::new(&changed, &code), advice.after);
}

#[test]
fn what_if_by_lines() {
    let (profile, dag) = figure();
    let code = Code::new(&profile, &dag);
    let find = |words: &str| find_code(&profile, &dag, &code, words).unwrap();
    let span = |words: &str, factor| {
        let code = find(words);
        let change = Change::Parallelise { code, factor };
        dag.with_changes(&[change]).totals().span
    };
    assert_eq!(span("example.cpp:16-20", 2.0), 890);
    assert_eq!(span("example.cpp:16-20", 1e9), 890);
    assert_eq!(span("src/example.cpp:4-6", 2.0), 820);
    assert_eq!(span("src/example.cpp:1-30", 2.0), 40 + 330 + 115);
    // L16-L20 alone cannot get below 3040/890.
    let until = |words: &str, target| dag.parallelised_until(&[find(words)], target);
    assert_eq!(until("example.cpp:16-20", 3.4), Until::Factor(2));
    let Until::OutOfReach { most } = until("example.cpp:16-20", 4.0) else {
        panic!("4 is out of reach");
    };
    assert_eq!(shown(most), 3.41);
    // 660/f + 230 + 40 down to 500 with f = 2.9.
    assert_eq!(until("example.cpp:16-28", 6.08), Until::Factor(3));
    assert_eq!(until("example.cpp:16-28", 3.0), Until::Factor(1));
}

#[test]
fn the_subtree_of_a6() {
    let mut model = Model::default();
    let spawns = model.strand(8, 10, &[]);
    let leaves = [200, 220].map(|ticks| model.strand(4, ticks, &[spawns]));
    model.strand(8, 0, &leaves);
    let dag = model.finish();
    assert_eq!((dag.totals().work, dag.totals().span), (430, 230));
    let change = Change::Parallelise {
        code: vec![StrandRegionId(2)].into(),
        factor: 2.0,
    };
    let changed = dag.with_changes(&[change]).totals();
    assert_eq!((changed.work, changed.span), (430, 120));
}
