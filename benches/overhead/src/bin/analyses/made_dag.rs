//! A dag with any number of vertices.

use workspan_model::{
    Boundary, Dag, DagBuilder, Location, Node, NodeId, Profile, Side, Site, SiteId, SiteKind,
    StrandRegion, VertexId, VertexKind, example,
};

/// Number of sites of joins. Each has a node and three strand regions.
const SITES: u32 = 100;

/// The average work of a leaf, in ticks of a nanosecond: the default grain.
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
        let location = Location::new("src/main.rs", line, 9);
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
    let mut maker = Maker {
        dag: DagBuilder::new(regions.collect()),
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
    random: u64,
}

impl Maker {
    /// Adds a subtree over `leaves` leaves. Returns its first and its last vertex.
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
        self.dag.join(fork, [left, right], sync);
        (fork, sync)
    }

    fn vertex(&mut self, kind: VertexKind, ticks: i64, site: u32) -> VertexId {
        let side = match kind {
            VertexKind::Strand => 0,
            VertexKind::Fork => 1,
            _ => 2,
        };
        self.dag.vertex(kind, ticks, (3 * site + side) as usize)
    }
}
