//! A dag of as many vertices as one wants.

use workspan_model::{
    Boundary, Dag, Location, Node, NodeId, Profile, Side, Site, SiteId, SiteKind, StrandRegion,
    StrandRegionId, Successor, Successors, Vertex, VertexId, VertexKind, example,
};

/// Sites of the joins, as many nodes, and three strand regions for each.
const SITES: u32 = 100;

/// The average work of a leaf, in ticks of a nanosecond: that of the default grain.
const LEAF: u64 = 10_000;

/// A profile with the sites of [`made_dag`].
pub fn made_profile() -> Profile {
    let mut profile = example::quicksort();
    let root = Node {
        path: Vec::new(),
        ..profile.tree[0].clone()
    };
    profile.sites = vec![Site::root()];
    profile.tree = vec![root.clone()];
    for line in 1..=SITES {
        let location = Location {
            file: "src/main.rs".to_owned(),
            line,
            column: 9,
        };
        profile.sites.push(Site {
            location: Some(location),
            ..Site::unnamed(SiteKind::Join)
        });
        profile.tree.push(Node {
            parent: Some(NodeId::ROOT),
            site: SiteId(line),
            ..root.clone()
        });
    }
    profile
}

/// Binary joins over leaves of uneven length: about `vertices` vertices.
pub fn made_dag(vertices: usize) -> Dag {
    let mut maker = Maker {
        vertices: Vec::with_capacity(vertices),
        edges: Vec::with_capacity(vertices + vertices / 2),
        random: 1,
    };
    maker.joins(vertices.div_ceil(3).max(2), 1);
    let regions = (0..=SITES).flat_map(|site| {
        [Side::Left, Side::Right, Side::Outside].map(|side| {
            let boundary = |side| Boundary {
                site: SiteId(site),
                side,
            };
            StrandRegion {
                node: NodeId(site),
                from: boundary(side),
                to: boundary(Side::Outside),
            }
        })
    });
    Dag {
        ticks_per_second: 1e9,
        grain: LEAF as i64,
        burden: 7_500,
        is_truncated: false,
        successors: Successors::new(maker.vertices.len(), &maker.edges),
        vertices: maker.vertices,
        regions: regions.collect(),
    }
}

struct Maker {
    vertices: Vec<Vertex>,
    edges: Vec<(VertexId, Successor)>,
    random: u64,
}

impl Maker {
    /// The subtree over so many leaves; its first and its last vertex.
    fn joins(&mut self, leaves: usize, site: u32) -> (VertexId, VertexId) {
        // Xorshift (G. Marsaglia, Journal of Statistical Software, 2003).
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        if leaves == 1 {
            let leaf = self.vertex(VertexKind::Strand, (self.random % (2 * LEAF)) as i64, site);
            return (leaf, leaf);
        }
        let fork = self.vertex(VertexKind::Fork, (self.random % LEAF) as i64, site);
        let below = site % SITES + 1;
        let left = self.joins(leaves / 2, below);
        let right = self.joins(leaves - leaves / 2, below);
        let sync = self.vertex(VertexKind::Sync, 100, site);
        self.vertices[sync.index()].begun_by = fork;
        self.edges.push((fork, Successor::new(left.0, false)));
        self.edges.push((fork, Successor::new(right.0, true)));
        self.edges.push((left.1, Successor::new(sync, false)));
        self.edges.push((right.1, Successor::new(sync, false)));
        (fork, sync)
    }

    fn vertex(&mut self, kind: VertexKind, ticks: i64, site: u32) -> VertexId {
        let id = VertexId(self.vertices.len() as u32);
        let side = match kind {
            VertexKind::Strand => 0,
            VertexKind::Fork => 1,
            _ => 2,
        };
        self.vertices.push(Vertex {
            work: ticks,
            span: ticks,
            burdened_span: ticks,
            region: StrandRegionId(3 * site + side),
            tasks: 0,
            kind,
            worker: 0,
            begun_by: id,
        });
        id
    }
}
