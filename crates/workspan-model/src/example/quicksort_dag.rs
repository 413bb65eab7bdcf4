//! The task dag of the example.

use crate::{Boundary, Dag, DagBuilder, NodeId, Side, SiteId, StrandRegion, VertexId, VertexKind};

/// The serial code around the sort, in ticks of a nanosecond each.
const SERIAL: i64 = 21_400_000;

/// The partition of all numbers; for half of the numbers it takes half as long.
const PARTITION: i64 = 38_300_000;

/// The number of recorded levels of partitions.
const LEVELS: u32 = 8;

/// The work and the longest path of each folded subtree below them.
const FOLDED: (i64, i64) = (2_860_000, 300_000);

/// A task dag of [`quicksort()`](super::quicksort) with about the work and the span of that
/// profile: subtrees of less than 3 ms are folded.
pub fn quicksort_dag() -> Dag {
    let mut builder = DagBuilder::new(REGIONS.to_vec());
    let serial = builder.vertex(VertexKind::Strand, SERIAL, 0);
    let (first, _) = sort(&mut builder, LEVELS, PARTITION);
    builder.edge(serial, first, false);
    Dag {
        grain: 3_000_000,
        burden: 6_000,
        ..builder.finish()
    }
}

/// The region of the serial code, and that of the sort.
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

/// Adds a sort that partitions in `partition` ticks; returns its first and last vertex.
fn sort(builder: &mut DagBuilder, levels: u32, partition: i64) -> (VertexId, VertexId) {
    if levels == 0 {
        let folded = builder.vertex(VertexKind::Folded, FOLDED.0, 1);
        let vertex = &mut builder.vertices[folded.index()];
        (vertex.span, vertex.burdened_span) = (FOLDED.1, FOLDED.1 + 30_000);
        vertex.tasks = 2_000;
        return (folded, folded);
    }
    let fork = builder.vertex(VertexKind::Fork, partition, 1);
    let branches = [(); 2].map(|()| sort(builder, levels - 1, partition / 2));
    let sync = builder.vertex(VertexKind::Sync, 0, 1);
    builder.join(fork, branches, sync);
    (fork, sync)
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
        assert!(is_close(
            dag.totals().span,
            totals.span.value.time().as_nanos()
        ));
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
            assert!(
                prediction.speedup.low > 0.45 * bounds.upper,
                "{prediction:?}"
            );
            assert!(
                prediction.speedup.value <= bounds.upper && prediction.speedup.high <= bounds.upper,
                "{prediction:?}"
            );
        }
    }
}
