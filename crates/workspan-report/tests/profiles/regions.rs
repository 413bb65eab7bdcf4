//! A program with named regions.

use workspan_model::{
    Location, Nanos, Node, NodeId, OnSpan, OnWork, Profile, RegionInstance, Run, Site, SiteId,
    SiteKind, Span, Work, example,
};

/// A parallel region with five instances, of which three were kept; a serial one; one with a long
/// name that never ended.
pub fn regions() -> Profile {
    let example = example::quicksort();
    let span = Span::from_nanos(413_000_000);
    Profile {
        run: Run {
            command: vec!["regions".to_owned()],
            ..example.run
        },
        sites: vec![
            Site::root(),
            region("sort", ("src/sort.rs", 12, 17), "regions::sort"),
            example.sites[1].clone(),
            region("check", ("src/main.rs", 40, 13), "regions::main"),
            region(
                "regions::statistics::histogram::Histogram<_>::merge",
                ("src/statistics/histogram.rs", 107, 9),
                "",
            ),
        ],
        tree: vec![
            node(
                None,
                0,
                [3_000_000, 3_000_000, 1, 1],
                413_000_000,
                414_000_000,
            ),
            sorts(node(
                Some(0),
                1,
                [150_000_000, 150_000_000, 5, 5],
                250_000_000,
                251_000_000,
            )),
            joins(node(
                Some(1),
                2,
                [4_200_000_000, 100_000_000, 9_000, 5],
                100_000_000,
                0,
            )),
            node(
                Some(0),
                3,
                [140_000_000, 140_000_000, 2, 2],
                140_000_000,
                140_000_000,
            ),
            node(Some(0), 4, [20_000_000, 20_000_000, 1, 0], 0, 0),
        ],
        span,
        burdened_span: Span::from_nanos(414_000_000),
        instances: vec![
            instance(100_000_000, 900_000_000, 50_000_000, 40_000),
            instance(200_000_000, 850_000_000, 50_100_000, 7_000_000),
            instance(1_300_000_000, 870_000_000, 49_900_000, 0),
        ],
        ..example
    }
}

fn region(name: &str, place: (&str, u32, u32), function: &str) -> Site {
    let (file, line, column) = place;
    Site {
        location: Some(Location {
            file: file.to_owned(),
            line,
            column,
        }),
        function: Some(function.to_owned()).filter(|name| !name.is_empty()),
        name: Some(name.to_owned()),
        ..Site::unnamed(SiteKind::Region)
    }
}

/// `local` holds local work, local span, instances and top instances; `span` and `burdened` are the
/// spans of the latter.
fn node(parent: Option<u32>, site: u32, local: [i64; 4], span: i64, burdened: i64) -> Node {
    let [local_work, local_span, count, top_count] = local;
    let (count, top_count) = (count.unsigned_abs(), top_count.unsigned_abs());
    Node {
        parent: parent.map(NodeId),
        site: SiteId(site),
        recursive: false,
        on_work: OnWork {
            local_work: Work::from_nanos(local_work),
            count,
            top_count,
            top_span: Span::from_nanos(span),
            top_burdened_span: Span::from_nanos(burdened),
            top_open: Nanos::from_nanos(burdened - span),
            ..OnWork::default()
        },
        on_span: OnSpan {
            local_span: Span::from_nanos(local_span),
            count: top_count,
            ..OnSpan::default()
        },
        path: Vec::new(),
    }
}

fn sorts(mut node: Node) -> Node {
    (node.on_work.top_spawns, node.on_work.top_syncs) = (9_000, 9_000);
    node
}

fn joins(mut node: Node) -> Node {
    (node.on_work.spawns, node.on_work.syncs, node.on_work.stolen) = (9_000, 9_000, 40);
    node
}

fn instance(start: i64, work: i64, span: i64, open: i64) -> RegionInstance {
    RegionInstance {
        node: NodeId(1),
        number: 0,
        start: Nanos::from_nanos(start),
        work: Work::from_nanos(work),
        span: Span::from_nanos(span),
        burdened_span: Span::from_nanos(span + 200_000),
        open: Nanos::from_nanos(open),
        spawns: 1_800,
        syncs: 1_800,
    }
}
