//! The quicksort of Cilkprof Fig. 1 with its calls measured, sorting in a region: as in Fig. 2,
//! nearly all of the span is `partition`.

use workspan_model::{
    Location, Node, NodeId, OnSpan, OnWork, PathPart, Profile, Run, Site, SiteId, SiteKind, Span,
    Work, example,
};

/// A node; work and spans are in nanoseconds.
struct Row {
    parent: Option<u32>,
    site: u32,
    recursive: bool,
    /// Local work, top span, local span.
    work: [i64; 3],
    /// Instances, top instances, stolen tasks.
    counts: [u64; 3],
    /// Local span, top work, local work.
    span: [i64; 3],
    /// Instances, top instances.
    counts_on_span: [u64; 2],
    /// Node, local span, instances.
    path: &'static [(u32, i64, u64)],
}

/// From a simulation of 10 million numbers with random pivots.
#[rustfmt::skip]
const TREE: [Row; 19] = [
    Row { parent: None, site: 0, recursive: false, work: [22_400_000, 104_967_852, 22_400_000], counts: [1, 1, 0], span: [22_400_000, 606_280_184, 22_400_000], counts_on_span: [1, 1], path: &[(0, 22_400_000, 1), (1, 300, 1), (2, 40, 1), (3, 31_000_000, 1), (4, 12, 1), (12, 120, 3), (13, 36_393_072, 3), (14, 34, 3), (15, 6_423_989, 3), (16, 8_750_161, 4), (17, 44, 4), (18, 80, 2)] },
    Row { parent: Some(0), site: 1, recursive: false, work: [300, 82_567_852, 300], counts: [1, 1, 0], span: [300, 583_880_184, 300], counts_on_span: [1, 1], path: &[(1, 300, 1), (2, 40, 1), (3, 31_000_000, 1), (4, 12, 1), (12, 120, 3), (13, 36_393_072, 3), (14, 34, 3), (15, 6_423_989, 3), (16, 8_750_161, 4), (17, 44, 4), (18, 80, 2)] },
    Row { parent: Some(1), site: 2, recursive: false, work: [40, 82_567_552, 40], counts: [1, 1, 0], span: [40, 583_879_884, 40], counts_on_span: [1, 1], path: &[(2, 40, 1), (3, 31_000_000, 1), (4, 12, 1), (12, 120, 3), (13, 36_393_072, 3), (14, 34, 3), (15, 6_423_989, 3), (16, 8_750_161, 4), (17, 44, 4), (18, 80, 2)] },
    Row { parent: Some(2), site: 3, recursive: false, work: [31_000_000, 31_000_000, 31_000_000], counts: [1, 1, 0], span: [31_000_000, 31_000_000, 31_000_000], counts_on_span: [1, 1], path: &[(3, 31_000_000, 1)] },
    Row { parent: Some(2), site: 4, recursive: false, work: [22, 51_567_512, 12], counts: [1, 1, 1], span: [12, 552_879_844, 22], counts_on_span: [1, 1], path: &[(4, 12, 1), (12, 120, 3), (13, 36_393_072, 3), (14, 34, 3), (15, 6_423_989, 3), (16, 8_750_161, 4), (17, 44, 4), (18, 80, 2)] },
    Row { parent: Some(4), site: 5, recursive: false, work: [6_279_077, 46_007_608, 6_279_077], counts: [4, 1, 0], span: [0, 0, 0], counts_on_span: [0, 0], path: &[(5, 40, 1), (6, 12_223_287, 1), (7, 12, 1), (8, 6_360_139, 6), (9, 27_423_970, 7), (10, 80, 7), (11, 80, 2)] },
    Row { parent: Some(5), site: 3, recursive: false, work: [17_871_331, 17_871_331, 17_871_331], counts: [3, 3, 0], span: [0, 0, 0], counts_on_span: [0, 0], path: &[(6, 17_871_331, 3)] },
    Row { parent: Some(5), site: 4, recursive: true, work: [66, 0, 34], counts: [3, 0, 0], span: [0, 0, 0], counts_on_span: [0, 0], path: &[] },
    Row { parent: Some(5), site: 6, recursive: false, work: [69_933_348, 52_615_565, 69_933_348], counts: [30, 3, 0], span: [0, 0, 0], counts_on_span: [0, 0], path: &[(8, 20_658_385, 11), (9, 31_956_934, 11), (10, 126, 11), (11, 120, 3)] },
    Row { parent: Some(8), site: 3, recursive: false, work: [49_851_775, 49_851_775, 49_851_775], counts: [27, 27, 0], span: [0, 0, 0], counts_on_span: [0, 0], path: &[(9, 49_851_775, 27)] },
    Row { parent: Some(8), site: 4, recursive: true, work: [594, 0, 302], counts: [27, 0, 8], span: [0, 0, 0], counts_on_span: [0, 0], path: &[] },
    Row { parent: Some(8), site: 5, recursive: true, work: [71_677_716, 0, 71_677_716], counts: [27, 0, 0], span: [0, 0, 0], counts_on_span: [0, 0], path: &[] },
    Row { parent: Some(4), site: 6, recursive: false, work: [2_941_177, 51_567_500, 2_941_177], counts: [6, 1, 0], span: [120, 337_265_915, 120], counts_on_span: [3, 1], path: &[(12, 120, 3), (13, 36_393_072, 3), (14, 34, 3), (15, 6_423_989, 3), (16, 8_750_161, 4), (17, 44, 4), (18, 80, 2)] },
    Row { parent: Some(12), site: 3, recursive: false, work: [40_734_513, 40_734_513, 40_734_513], counts: [5, 5, 0], span: [36_393_072, 36_393_072, 36_393_072], counts_on_span: [3, 3], path: &[(13, 40_734_513, 5)] },
    Row { parent: Some(12), site: 4, recursive: true, work: [110, 0, 54], counts: [5, 0, 2], span: [34, 0, 66], counts_on_span: [3, 0], path: &[] },
    Row { parent: Some(12), site: 5, recursive: false, work: [118_979_366, 77_093_736, 118_979_366], counts: [45, 5, 0], span: [6_423_989, 57_436_325, 6_423_989], counts_on_span: [3, 1], path: &[(15, 20_052_018, 15), (16, 45_068_551, 19), (17, 208, 19), (18, 11_972_959, 9)] },
    Row { parent: Some(15), site: 3, recursive: false, work: [69_087_548, 69_087_548, 69_087_548], counts: [40, 40, 0], span: [8_750_161, 8_750_161, 8_750_161], counts_on_span: [4, 4], path: &[(16, 69_087_548, 40)] },
    Row { parent: Some(15), site: 4, recursive: true, work: [880, 0, 436], counts: [40, 0, 13], span: [44, 0, 88], counts_on_span: [4, 0], path: &[] },
    Row { parent: Some(15), site: 6, recursive: true, work: [105_522_321, 0, 105_522_321], counts: [40, 0, 0], span: [80, 0, 80], counts_on_span: [2, 0], path: &[] },
];

const FILE: &str = "examples/quicksort.rs";

fn call(line: u32, column: u32, around: &str, called: &str, defined_at: u32) -> Site {
    Site {
        name: Some(called.to_owned()),
        callee: Some(at(defined_at, 1)),
        ..site(SiteKind::Function, line, column, around)
    }
}

fn site(kind: SiteKind, line: u32, column: u32, around: &str) -> Site {
    Site {
        location: Some(at(line, column)),
        function: Some(around.to_owned()),
        ..Site::unnamed(kind)
    }
}

fn at(line: u32, column: u32) -> Location {
    Location {
        file: FILE.to_owned(),
        line,
        column,
    }
}

pub fn functions() -> Profile {
    let sort = "quicksort::quicksort";
    let closure = "quicksort::quicksort::{closure}";
    let region = Site {
        name: Some("sort".to_owned()),
        ..site(SiteKind::Region, 46, 17, "quicksort::main")
    };
    let join = Site {
        detail: Some("rayon::join".to_owned()),
        ..site(SiteKind::Join, 31, 9, sort)
    };
    let example = example::quicksort();
    let span = Span::from_nanos(TREE[0].work[1]);
    Profile {
        run: Run {
            command: vec!["target/workspan/release/examples/quicksort".to_owned()],
            ..example.run
        },
        sites: vec![
            Site::root(),
            region,
            call(47, 5, "quicksort::main", sort, 25),
            call(30, 17, sort, "quicksort::partition", 12),
            join,
            call(32, 16, closure, sort, 25),
            call(33, 16, closure, sort, 25),
        ],
        tree: TREE.iter().map(node).collect(),
        span,
        burdened_span: Span::from_nanos(span.time().as_nanos() + 8 * 7_500),
        ..example
    }
}

fn node(row: &Row) -> Node {
    let tasks = if row.site == 4 { row.counts[0] } else { 0 };
    let path = row.path.iter().map(|&(node, nanos, count)| PathPart {
        node: NodeId(node),
        local_span: Span::from_nanos(nanos),
        count,
    });
    Node {
        parent: row.parent.map(NodeId),
        site: SiteId(row.site),
        recursive: row.recursive,
        on_work: OnWork {
            local_work: Work::from_nanos(row.work[0]),
            top_span: Span::from_nanos(row.work[1]),
            local_span: Span::from_nanos(row.work[2]),
            count: row.counts[0],
            top_count: row.counts[1],
            stolen: row.counts[2],
            spawns: tasks,
            syncs: tasks,
            ..OnWork::default()
        },
        on_span: OnSpan {
            local_span: Span::from_nanos(row.span[0]),
            top_work: Work::from_nanos(row.span[1]),
            local_work: Work::from_nanos(row.span[2]),
            count: row.counts_on_span[0],
            top_count: row.counts_on_span[1],
        },
        path: path.collect(),
    }
}
