//! Deep, wide or long profiles of any size.

use workspan_model::{
    Boundary, Dag, Location, MOST_NESTED_SITES, Node, NodeId, OnSpan, OnWork, PathPart, Profile,
    Side, Site, SiteId, SiteKind, Span, StrandRegion, StrandRegionId, Successor, Successors,
    Vertex, VertexId, VertexKind, Work, example,
};

/// What a profile has many of.
#[derive(Clone, Copy)]
pub enum Shape {
    /// Sites, nested as deeply as they may be.
    Deep,
    /// Sites, all in the root.
    Wide,
    /// Vertices of the task dag, all of one site.
    Long,
}

impl Shape {
    pub const ALL: [Self; 3] = [Self::Deep, Self::Wide, Self::Long];

    pub fn name(self) -> &'static str {
        match self {
            Self::Deep => "deep",
            Self::Wide => "wide",
            Self::Long => "long",
        }
    }

    /// How many of them are in the smaller of two profiles.
    pub fn size(self) -> usize {
        match self {
            Self::Deep | Self::Wide => 2_500,
            Self::Long => 100_000,
        }
    }
}

/// A profile with `size` sites or vertices.
pub fn made(shape: Shape, size: usize) -> (Profile, Dag) {
    let sites = match shape {
        Shape::Deep | Shape::Wide => size as u32,
        Shape::Long => 1,
    };
    let vertices = match shape {
        Shape::Deep | Shape::Wide => sites as usize,
        Shape::Long => size,
    };
    let mut profile = example::quicksort();
    profile.sites.truncate(1);
    profile.tree.truncate(1);
    for at in 1..=sites {
        profile.sites.push(site(at));
        let parent = match shape {
            Shape::Deep if at as usize % MOST_NESTED_SITES != 1 => at - 1,
            Shape::Deep | Shape::Wide | Shape::Long => 0,
        };
        profile.tree.push(node(at, parent));
    }
    profile.tree[0].path = (0..=sites)
        .map(|node| PathPart {
            node: NodeId(node),
            local_span: profile.tree[node as usize].on_span.local_span,
            count: 1,
        })
        .collect();
    let nodes = profile.tree.iter();
    profile.span = nodes.map(|node| node.on_span.local_span).sum();
    profile.burdened_span = profile.span;
    (profile, chain(sites, vertices))
}

fn site(at: u32) -> Site {
    Site {
        location: Some(Location::new(format!("src/module_{}.rs", at % 900), at, 9)),
        function: Some(format!("made::module_{}::step_{at}", at % 900)),
        ..Site::unnamed(SiteKind::Join)
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
        path: vec![PathPart {
            node: NodeId(at),
            local_span,
            count: 1,
        }],
        ..Node::new(Some(NodeId(parent)), SiteId(at))
    }
}

/// Forks with two leaves each, in series.
fn chain(sites: u32, vertices: usize) -> Dag {
    let boundary = |site, side| Boundary {
        site: SiteId(site),
        side,
    };
    let regions = (0..=sites).map(|at| StrandRegion {
        node: NodeId(at),
        from: boundary(at, Side::Left),
        to: boundary(at, Side::Outside),
    });
    let (mut list, mut edges): (Vec<Vertex>, Vec<(VertexId, Successor)>) = Default::default();
    for fork in (0..vertices as u32).step_by(4).map(VertexId) {
        let region = StrandRegionId(1 + fork.0 / 4 % sites);
        let kinds = [
            VertexKind::Fork,
            VertexKind::Strand,
            VertexKind::Strand,
            VertexKind::Sync,
        ];
        for (at, kind) in (fork.0..).zip(kinds) {
            let ticks = 10_000 + i64::from(at.wrapping_mul(2_654_435_761) >> 16);
            list.push(Vertex {
                work: ticks,
                span: ticks,
                burdened_span: ticks,
                region,
                tasks: 0,
                kind,
                worker: 0,
                begun_by: match kind {
                    VertexKind::Sync => fork,
                    _ => VertexId(at),
                },
            });
        }
        let [left, right, sync] = [1, 2, 3].map(|next| VertexId(fork.0 + next));
        if fork.0 > 0 {
            edges.push((VertexId(fork.0 - 1), Successor::new(fork, false)));
        }
        edges.push((fork, Successor::new(left, false)));
        edges.push((fork, Successor::new(right, true)));
        edges.push((left, Successor::new(sync, false)));
        edges.push((right, Successor::new(sync, false)));
    }
    Dag {
        ticks_per_second: 1e9,
        grain: 10_000,
        burden: 6_000,
        is_truncated: false,
        successors: Successors::new(list.len(), &edges),
        vertices: list,
        regions: regions.collect(),
    }
}
