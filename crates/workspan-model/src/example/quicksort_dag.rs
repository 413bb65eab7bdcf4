//! The task dag of the example.

use crate::{
    Boundary, Dag, NodeId, Side, SiteId, StrandRegion, StrandRegionId, Successor, Successors,
    Vertex, VertexId, VertexKind,
};

/// The serial code around the sort, in ticks of a nanosecond each.
const SERIAL: i64 = 21_400_000;

/// The partition of all numbers; that of half of them takes half of it.
const PARTITION: i64 = 38_300_000;

/// Levels of partitions that are recorded.
const LEVELS: u32 = 8;

/// What was folded below them: a subtree's work and its longest path.
const FOLDED: (i64, i64) = (2_860_000, 300_000);

/// A task dag of [`quicksort()`](super::quicksort), which has about the work and the span of that profile: subtrees of
/// less than 3 ms are folded.
pub fn quicksort_dag() -> Dag {
    let mut builder = Builder::default();
    let (serial, ends) = (
        builder.strand(VertexKind::Strand, SERIAL, 0),
        builder.sort(LEVELS, PARTITION),
    );
    builder.edge(serial, ends.0, false);
    let edges = &builder.edges;
    Dag {
        ticks_per_second: 1e9,
        grain: 3_000_000,
        burden: 6_000,
        is_truncated: false,
        successors: Successors::new(builder.vertices.len(), edges),
        vertices: builder.vertices,
        regions: REGIONS.to_vec(),
    }
}

/// That of the serial code, and that of the sort.
const REGIONS: [StrandRegion; 2] = [
    region(0, boundary(0, Side::Body), boundary(1, Side::Outside)),
    region(1, boundary(1, Side::Left), boundary(1, Side::Outside)),
];

const fn boundary(site: u32, side: Side) -> Boundary {
    Boundary {
        site: SiteId(site),
        side,
    }
}

const fn region(node: u32, from: Boundary, to: Boundary) -> StrandRegion {
    StrandRegion {
        node: NodeId(node),
        from,
        to,
    }
}

#[derive(Default)]
struct Builder {
    vertices: Vec<Vertex>,
    edges: Vec<(VertexId, Successor)>,
}

impl Builder {
    fn strand(&mut self, kind: VertexKind, ticks: i64, region: u32) -> VertexId {
        let id = VertexId(self.vertices.len() as u32);
        self.vertices.push(Vertex {
            work: ticks,
            span: ticks,
            burdened_span: ticks,
            region: StrandRegionId(region),
            tasks: 0,
            kind,
            worker: 0,
            begun_by: id,
        });
        id
    }

    fn edge(&mut self, from: VertexId, to: VertexId, is_stealable: bool) {
        self.edges.push((from, Successor::new(to, is_stealable)));
    }

    /// A sort that partitions in `partition` ticks; its first vertex and its last.
    fn sort(&mut self, levels: u32, partition: i64) -> (VertexId, VertexId) {
        if levels == 0 {
            let folded = self.strand(VertexKind::Folded, FOLDED.0, 1);
            let vertex = &mut self.vertices[folded.index()];
            (vertex.span, vertex.burdened_span) = (FOLDED.1, FOLDED.1 + 30_000);
            vertex.tasks = 2_000;
            return (folded, folded);
        }
        let fork = self.strand(VertexKind::Fork, partition, 1);
        let left = self.sort(levels - 1, partition / 2);
        let right = self.sort(levels - 1, partition / 2);
        let sync = self.strand(VertexKind::Sync, 0, 1);
        self.vertices[sync.index()].begun_by = fork;
        self.edge(fork, left.0, false);
        self.edge(fork, right.0, true);
        self.edge(left.1, sync, false);
        self.edge(right.1, sync, false);
        (fork, sync)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::quicksort;
    use crate::{analyse, analyse_with_dag};

    #[test]
    fn the_dag_is_that_of_the_profile() {
        let (profile, dag) = (quicksort(), quicksort_dag());
        dag.check(profile.tree.len(), profile.sites.len()).unwrap();
        let totals = analyse(&profile).totals;
        let is_close = |ticks: i64, nanos: i64| (ticks - nanos).abs() * 100 < nanos;
        assert!(is_close(dag.totals().work, totals.work.time().as_nanos()));
        assert!(is_close(dag.totals().span, totals.span.time().as_nanos()));
    }

    #[test]
    fn an_analysis_with_a_dag_predicts_between_the_bounds() {
        let (profile, dag) = (quicksort(), quicksort_dag());
        assert_eq!(analyse(&profile).predicted, None);
        let analysis = analyse_with_dag(&profile, Some(&dag));
        let predictions = analysis.predicted.unwrap().predictions;
        assert_eq!(predictions.len(), analysis.speedup.len());
        for (bounds, prediction) in analysis.speedup.iter().zip(&predictions) {
            assert_eq!(bounds.cores, prediction.cores);
            assert_eq!(prediction.seeds, 9);
            // A greedy scheduler reaches half of the upper bound, and the costs are small.
            assert!(prediction.least > 0.45 * bounds.upper, "{prediction:?}");
            assert!(
                prediction.median.speedup <= bounds.upper && prediction.most <= bounds.upper,
                "{prediction:?}"
            );
        }
    }
}
