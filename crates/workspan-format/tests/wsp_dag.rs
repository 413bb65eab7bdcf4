//! The section of the task dag in `.wsp` files.

use proptest::prelude::*;
use workspan_format::wsp::{self, WspProblem, decode, decode_with_dag, encode};
use workspan_model::{
    Boundary, Dag, NodeId, Side, SiteId, StrandRegion, StrandRegionId, Successor, Successors,
    Vertex, VertexId, VertexKind, example,
};

/// A dag of `work.len() / 4` joins, one after another. The four vertices of each are fork, left
/// branch, right branch and sync.
fn joins(work: &[i64]) -> Dag {
    let forks = work.len() / 4;
    let mut vertices = Vec::new();
    let mut edges = Vec::new();
    let at = |vertex: usize| VertexId(vertex as u32);
    for fork in 0..forks {
        let first = 4 * fork;
        let kinds = [
            VertexKind::Fork,
            VertexKind::Strand,
            VertexKind::Folded,
            VertexKind::Sync,
        ];
        for (index, kind) in (first..).zip(kinds) {
            let folded = i64::from(kind == VertexKind::Folded);
            vertices.push(Vertex {
                work: work[index],
                span: work[index] - 2 * folded,
                burdened_span: work[index] + 15_000 * folded,
                region: StrandRegionId((index % 2) as u32),
                tasks: 7 * folded as u32,
                kind,
                worker: (fork % 3) as u16,
                begun_by: at(if kind == VertexKind::Sync {
                    first
                } else {
                    index
                }),
            });
        }
        let mut edge = |from: usize, to: usize, is_stealable| {
            edges.push((at(from), Successor::new(at(to), is_stealable)));
        };
        edge(first, first + 1, false);
        edge(first, first + 2, true);
        edge(first + 1, first + 3, false);
        edge(first + 2, first + 3, false);
        if fork + 1 < forks {
            edge(first + 3, first + 4, false);
        }
    }
    let boundary = |site, side| Boundary {
        site: SiteId(site),
        side,
    };
    Dag {
        ticks_per_second: 2.1e9,
        grain: 21_000,
        burden: 15_000,
        is_truncated: false,
        successors: Successors::new(vertices.len(), &edges),
        vertices,
        regions: vec![
            StrandRegion {
                node: NodeId(0),
                from: boundary(0, Side::Body),
                to: boundary(1, Side::Outside),
            },
            StrandRegion {
                node: NodeId(1),
                from: boundary(1, Side::Left),
                to: boundary(1, Side::Right),
            },
        ],
    }
}

fn some_dag() -> Dag {
    joins(&[5, -3, 4_000_000_000, 0, 1, 2, 3, 1 << 59])
}

#[test]
fn a_dag_is_read_back() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.wsp");
    let dag = Dag {
        is_truncated: true,
        ..some_dag()
    };
    wsp::write(&path, &example::quicksort(), Some(&dag)).unwrap();
    let (profile, read) = wsp::read_with_dag(&path).unwrap();
    assert_eq!((profile, read), (example::quicksort(), Some(dag)));
    assert_eq!(wsp::read(&path).unwrap(), example::quicksort());
}

#[test]
fn a_file_may_hold_no_dag() {
    let bytes = encode(&example::quicksort(), None);
    assert_eq!(decode_with_dag(&bytes).unwrap().1, None);
}

/// Strands of 60 ticks, and every second of 61, as of a program with equal tasks.
#[test]
fn regular_dags_take_few_bytes() {
    let work: Vec<i64> = (0..100_000).map(|index| 60 + index % 2).collect();
    let without = encode(&example::quicksort(), None).len();
    let bytes = encode(&example::quicksort(), Some(&joins(&work))).len() - without;
    assert!(bytes < work.len() / 4, "{bytes}");
}

fn damage(dag: &Dag) -> String {
    match decode_with_dag(&encode(&example::quicksort(), Some(dag))) {
        Err(WspProblem::Damaged(problem)) => problem,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_invalid_dag_is_described() {
    let mut dag = some_dag();
    dag.vertices[1].region = StrandRegionId(2);
    assert_eq!(damage(&dag), "vertex 1 of the dag is of an unknown region");
    let unknown_place = "region 2 of the dag is of an unknown node or site";
    let unused = |change: fn(&mut StrandRegion)| {
        let mut dag = some_dag();
        let mut region = dag.regions[1];
        change(&mut region);
        dag.regions.push(region);
        damage(&dag)
    };
    assert_eq!(unused(|it| it.node = NodeId(1_000_000)), unknown_place);
    assert_eq!(unused(|it| it.from.site = SiteId(1_000_000)), unknown_place);
    assert_eq!(unused(|it| it.to.site = SiteId(1_000_000)), unknown_place);
    let mut dag = some_dag();
    dag.vertices[3].begun_by = VertexId(3);
    assert_eq!(damage(&dag), "vertex 3 of the dag ends what has not begun");
    let mut dag = some_dag();
    dag.vertices[3].begun_by = VertexId(1_000);
    assert_eq!(damage(&dag), "section DAG : a vertex 1000");
    let dag = Dag {
        ticks_per_second: 0.0,
        ..some_dag()
    };
    assert_eq!(
        damage(&dag),
        "section DAG : the clock's rate is not positive"
    );
    let dag = joins(&[]);
    assert_eq!(damage(&dag), "the dag has no vertex");
}

/// A file with a dag section of this payload.
fn with_section(payload: &[u8]) -> Vec<u8> {
    let mut bytes = encode(&example::quicksort(), None);
    let end = bytes.split_off(bytes.len() - 16);
    let start = bytes.len();
    bytes.extend(b"DAG ");
    bytes.extend((payload.len() as u64).to_le_bytes());
    bytes.extend(payload);
    let checksum = crc32fast::hash(&bytes[start..]);
    bytes.extend(checksum.to_le_bytes());
    bytes.extend(end);
    bytes
}

fn compressed(contents: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(contents).unwrap();
    encoder.finish().unwrap()
}

fn section_of(dag: &Dag) -> Vec<u8> {
    let without = encode(&example::quicksort(), None).len();
    let with = encode(&example::quicksort(), Some(dag));
    with[without - 16 + 12..with.len() - 16 - 4].to_vec()
}

fn contents_of(dag: &Dag) -> Vec<u8> {
    use std::io::Read as _;
    let mut contents = Vec::new();
    flate2::read::ZlibDecoder::new(&section_of(dag)[..])
        .read_to_end(&mut contents)
        .unwrap();
    contents
}

#[test]
fn a_section_that_is_no_dag_is_damage_and_the_profile_is_still_read() {
    let dag = some_dag();
    let contents = contents_of(&dag);
    let mut cases = vec![
        b"later".to_vec(),
        Vec::new(),
        compressed(&[contents.clone(), vec![0]].concat()),
        compressed(&[&[2][..], &contents[1..]].concat()),
    ];
    cases.extend((0..contents.len()).map(|length| compressed(&contents[..length])));
    for case in cases {
        let bytes = with_section(&case);
        let problem = decode_with_dag(&bytes).unwrap_err().to_string();
        assert!(problem.contains("section DAG"), "{problem}");
        assert_eq!(decode(&bytes).unwrap(), example::quicksort());
    }
    let good = with_section(&compressed(&contents));
    assert_eq!(decode_with_dag(&good).unwrap().1, Some(dag));
}

#[test]
fn times_that_overflow_are_damage() {
    let dag = joins(&[1, 1, 1, i64::MAX]);
    let problem = decode_with_dag(&with_section(&section_of(&dag))).unwrap_err();
    assert!(problem.to_string().contains("add up to more"), "{problem}");
}

/// A count that exceeds what follows is detected before memory is allocated for it.
#[test]
fn huge_counts_allocate_nothing() {
    let head = &contents_of(&some_dag())[..9];
    for counts in [
        &b"\xff\xff\xff\xff\x07\x01\x01"[..],
        b"\x00\xff\xff\xff\xff\x07\x01",
        b"\x00\x00\xff\xff\xff\xff\x07",
        b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00\x00",
    ] {
        let contents = [head, &[0, 0, 0], counts].concat();
        let problem = decode_with_dag(&with_section(&compressed(&contents))).unwrap_err();
        assert!(matches!(problem, WspProblem::Damaged(_)), "{problem}");
    }
}

#[test]
fn two_dags_are_damage() {
    let mut bytes = with_section(&section_of(&some_dag()));
    let end = bytes.split_off(bytes.len() - 16);
    let section = &bytes[encode(&example::quicksort(), None).len() - 16..].to_vec();
    let bytes = [bytes, section.clone(), end].concat();
    let problem = decode(&bytes).unwrap_err().to_string();
    assert!(problem.contains("two sections DAG"), "{problem}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_times_are_read_back(work in prop::collection::vec(any::<i64>(), 1..9)) {
        // 32 times of up to 2^54 add up to no more than a dag may hold.
        let work: Vec<i64> = work.iter().flat_map(|&work| [work >> 9; 4]).collect();
        let dag = joins(&work);
        let bytes = encode(&example::quicksort(), Some(&dag));
        prop_assert_eq!(decode_with_dag(&bytes).unwrap().1, Some(dag));
    }

    #[test]
    fn changed_contents_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut contents = contents_of(&some_dag());
        for (index, byte) in changes {
            let index = index.index(contents.len());
            contents[index] = byte;
        }
        if let Ok((profile, Some(dag))) = decode_with_dag(&with_section(&compressed(&contents))) {
            dag.check(profile.tree.len(), profile.sites.len()).unwrap();
        }
    }
}

/// 300 million vertices need 2.7 GB of columns, which 300 kB cannot unpack to.
#[test]
fn a_small_file_never_becomes_a_large_dag() {
    let mut contents = contents_of(&some_dag())[..9].to_vec();
    contents.extend(b"\0\0\0\x00\x80\xc6\x86\x8f\x01\x00");
    contents.resize(300_000_000, 0);
    let small = with_section(&compressed(&contents));
    assert!(small.len() < 350_000, "{}", small.len());
    let problem = decode_with_dag(&small).unwrap_err().to_string();
    assert!(problem.contains("vertices in"), "{problem}");
}
