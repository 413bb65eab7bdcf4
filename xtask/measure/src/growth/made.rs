//! Profiles and task dags of any size.

use workspan_model::{
    Boundary, Dag, DagBuilder, Location, MOST_NESTED_SITES, Node, NodeId, OnSpan, OnWork, PathPart,
    Profile, Side, Site, SiteId, SiteKind, Span, StrandRegion, VertexId, VertexKind, Work, example,
};

/// The average work of a leaf, in ticks of a nanosecond: the default grain.
const LEAF: u64 = 10_000;

/// A profile with this number of sites of joins, all in the root or `nested` as deeply as they may be.
pub(crate) fn made_profile(sites: u32, nested: bool) -> Profile {
    let mut profile = example::quicksort();
    profile.sites.truncate(1);
    profile.tree.truncate(1);
    for at in 1..=sites {
        profile.sites.push(Site {
            location: Some(Location::new(format!("src/module_{}.rs", at % 900), at, 9)),
            function: Some(format!("made::module_{}::step_{at}", at % 900)),
            ..Site::unnamed(SiteKind::Join)
        });
        let is_below = nested && at as usize % MOST_NESTED_SITES != 1;
        profile
            .tree
            .push(node(at, if is_below { at - 1 } else { 0 }));
    }
    let path = (0..=sites).map(|node| part(node, profile.tree[node as usize].on_span.local_span));
    profile.tree[0].path = path.collect();
    profile.span = profile
        .tree
        .iter()
        .map(|node| node.on_span.local_span)
        .sum();
    profile.burdened_span = profile.span;
    profile
}

fn part(node: u32, local_span: Span) -> PathPart {
    PathPart {
        node: NodeId(node),
        local_span,
        count: 1,
    }
}

fn node(at: u32, parent: u32) -> Node {
    let nanos = 1_000 + i64::from(at % 977);
    let local_span = Span::from_nanos(nanos);
    Node {
        on_work: OnWork {
            local_work: Work::from_nanos(nanos * 10),
            count: 3,
            top_count: 1,
            top_span: Span::from_nanos(nanos * 2),
            local_span,
            spawns: 12,
            syncs: 6,
            ..OnWork::default()
        },
        on_span: OnSpan {
            local_span,
            count: 2,
            top_count: 1,
            top_work: Work::from_nanos(nanos * 5),
            local_work: Work::from_nanos(nanos),
        },
        path: vec![part(at, local_span)],
        ..Node::new(Some(NodeId(parent)), SiteId(at))
    }
}

/// Binary joins over leaves of uneven length, at each of the sites in turn: about `vertices` vertices.
/// Each site has three strand regions.
pub(crate) fn made_dag(sites: u32, vertices: usize) -> Dag {
    let regions = (0..=sites).flat_map(|site| {
        let boundary = move |side| Boundary {
            site: SiteId(site),
            side,
        };
        [Side::Left, Side::Right, Side::Outside].map(|side| StrandRegion {
            node: NodeId(site),
            from: boundary(side),
            to: boundary(Side::Outside),
        })
    });
    let mut maker = Maker {
        dag: DagBuilder::new(regions.collect()),
        sites,
        forks: 0,
        random: 1,
    };
    maker.joins(vertices.div_ceil(3).max(2), 1);
    Dag {
        grain: LEAF as i64,
        burden: 7_500,
        ..maker.dag.finish()
    }
}

struct Maker {
    dag: DagBuilder,
    sites: u32,
    forks: u32,
    random: u64,
}

impl Maker {
    /// Adds a subtree over `leaves` leaves. Returns its first and its last vertex.
    fn joins(&mut self, leaves: usize, site: u32) -> (VertexId, VertexId) {
        // Xorshift (G. Marsaglia, Journal of Statistical Software, 2003).
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let region = |number: u32| (3 * site + number) as usize;
        if leaves == 1 {
            let ticks = (self.random % (2 * LEAF)) as i64;
            let leaf = self.dag.vertex(VertexKind::Strand, ticks, region(0));
            return (leaf, leaf);
        }
        let ticks = (self.random % LEAF) as i64;
        let fork = self.dag.vertex(VertexKind::Fork, ticks, region(1));
        self.forks += 1;
        let below = self.forks % self.sites + 1;
        let left = self.joins(leaves / 2, below);
        let right = self.joins(leaves - leaves / 2, below);
        let sync = self.dag.vertex(VertexKind::Sync, 100, region(2));
        self.dag.join(fork, [left, right], sync);
        (fork, sync)
    }
}
