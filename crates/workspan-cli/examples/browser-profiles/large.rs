//! A profile of 10⁴ sites with a task dag of 10⁶ vertices.

use workspan_model::{
    Boundary, Dag, DagBuilder, Location, Node, NodeId, OnSpan, OnWork, PathPart, Profile, Side,
    Site, SiteId, SiteKind, Span, StrandRegion, VertexId, VertexKind, Work, example,
};

const SITES: u32 = 10_000;

/// Nodes of the call tree lie in one another this deep.
const DEPTH: u32 = 20;

/// Of the tree of joins: 2^18 leaves, 2^18 − 1 forks and as many syncs, and then a loop.
const LEVELS: u32 = 18;

/// Iterations of the loop behind it, of three vertices each.
const ITERATIONS: u32 = 75_000;

pub(crate) fn profile() -> (Profile, Dag) {
    let mut profile = example::quicksort();
    profile.run.command = vec!["target/release/large".to_owned(), "--everything".to_owned()];
    profile.sites.truncate(1);
    profile.tree.truncate(1);
    profile.tree[0].path.clear();
    let mut random = Random(7);
    for at in 1..=SITES {
        profile.sites.push(site(at));
        profile.tree.push(node(at, random.next(1_000_000)));
    }
    let parts = (1..=SITES).step_by(100).map(|node| PathPart {
        node: NodeId(node),
        local_span: profile.tree[node as usize].on_span.local_span,
        count: 1,
    });
    let parts: Vec<PathPart> = parts.collect();
    profile.tree[0].path = parts;
    profile.span = profile
        .tree
        .iter()
        .map(|node| node.on_span.local_span)
        .sum();
    profile.burdened_span = profile.span;
    (profile, dag(&mut random))
}

fn site(at: u32) -> Site {
    let kinds = [
        SiteKind::Join,
        SiteKind::ParIter,
        SiteKind::Function,
        SiteKind::Scope,
    ];
    let kind = kinds[at as usize % kinds.len()];
    Site {
        location: Some(Location::new(
            format!("crates/part-{}/src/module_{}.rs", at % 40, at % 900),
            at,
            9,
        )),
        name: (kind == SiteKind::Function)
            .then(|| format!("large::module_{}::call_{at}", at % 900)),
        function: Some(format!(
            "large::module_{}::Worker<T>::run_step_{at}",
            at % 900
        )),
        ..Site::unnamed(kind)
    }
}

fn node(at: u32, nanos: u64) -> Node {
    let nanos = 1_000 + nanos as i64;
    let parent = match at % DEPTH {
        1 => 0,
        _ => at - 1,
    };
    let is_critical = at.is_multiple_of(3);
    Node {
        on_work: OnWork {
            local_work: Work::from_nanos(nanos * 10),
            count: u64::from(at) * 3,
            top_count: u64::from(at),
            top_span: Span::from_nanos(nanos * 2),
            local_span: Span::from_nanos(nanos),
            spawns: 12,
            syncs: 6,
            ..OnWork::default()
        },
        on_span: match is_critical {
            true => OnSpan {
                local_span: Span::from_nanos(nanos),
                count: 2,
                top_count: 1,
                top_work: Work::from_nanos(nanos * 5),
                local_work: Work::from_nanos(nanos),
            },
            false => OnSpan::default(),
        },
        ..Node::new(Some(NodeId(parent)), SiteId(at))
    }
}

fn dag(random: &mut Random) -> Dag {
    let regions = (1..=SITES).map(|at| StrandRegion {
        node: NodeId(at),
        from: boundary(at, Side::Left),
        to: boundary(at, Side::Outside),
    });
    let mut growing = Growing {
        dag: DagBuilder::new(regions.collect()),
        random,
    };
    let mut last = growing.tree(LEVELS).1;
    for _ in 0..ITERATIONS {
        let fork = growing.vertex(VertexKind::Fork, 20);
        let (left, right) = (growing.leaf(), growing.leaf());
        let sync = growing.vertex(VertexKind::Sync, 20);
        growing.dag.join(fork, [(left, left), (right, right)], sync);
        growing.dag.edge(last, fork, false);
        last = sync;
    }
    Dag {
        grain: 10_000,
        burden: 6_000,
        ..growing.dag.finish()
    }
}

const fn boundary(site: u32, side: Side) -> Boundary {
    Boundary {
        site: SiteId(site),
        side,
    }
}

struct Growing<'a> {
    dag: DagBuilder,
    random: &'a mut Random,
}

impl Growing<'_> {
    fn vertex(&mut self, kind: VertexKind, ticks: i64) -> VertexId {
        let region = self.random.next(SITES.into()) as usize;
        self.dag.vertex(kind, ticks, region)
    }

    fn leaf(&mut self) -> VertexId {
        let ticks = 10_000 + self.random.next(100_000) as i64;
        self.vertex(VertexKind::Strand, ticks)
    }

    fn tree(&mut self, levels: u32) -> (VertexId, VertexId) {
        if levels == 0 {
            let leaf = self.leaf();
            return (leaf, leaf);
        }
        let fork = self.vertex(VertexKind::Fork, 500);
        let branches = [self.tree(levels - 1), self.tree(levels - 1)];
        let sync = self.vertex(VertexKind::Sync, 100);
        self.dag.join(fork, branches, sync);
        (fork, sync)
    }
}

/// Numbers that look random, the same in each run (Knuth's linear congruential generator, MMIX).
struct Random(u64);

impl Random {
    /// One below `limit`.
    fn next(&mut self, limit: u64) -> u64 {
        let multiplied = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = multiplied.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}
