//! Derives a profile from a recorded dag, for a program that left none.

use workspan_model::{Dag, Vertex, VertexId, VertexKind};

use super::Recording;
use crate::raw::{Ended, RawProfile};

impl Recording {
    /// Derives the raw profile of a program that was killed, and returns it with the dag.
    ///
    /// Work and span, of each node and of the whole, and tasks come from the dag. Each task counts
    /// as an instance, and a folded vertex counts at the node that it begins at. Figures that the
    /// dag does not hold are 0.
    pub fn into_raw_profile(self) -> (RawProfile, Dag) {
        let Self {
            dag,
            metric,
            modules,
            sites,
            mut nodes,
        } = self;
        let clock = if metric.is_time() { "tsc" } else { "counter" };
        let totals = dag.totals();
        let node_of = |vertex: &Vertex| dag.regions[vertex.region.index()].node.index();
        for (at, vertex) in (0..).map(VertexId).zip(&dag.vertices) {
            let work = &mut nodes[node_of(vertex)].work;
            work.local_ticks += vertex.work;
            work.count += u64::from(vertex.tasks);
            work.spawns += u64::from(vertex.tasks);
            work.syncs += u64::from(vertex.tasks) + u64::from(vertex.kind == VertexKind::Sync);
            for successor in dag.successors(at) {
                let next = &dag.vertices[successor.to().index()];
                let work = &mut nodes[node_of(next)].work;
                if successor.is_stealable() {
                    work.count += 1;
                    work.spawns += 1;
                    work.stolen += u64::from(next.worker != vertex.worker);
                }
            }
        }
        for vertex in dag.critical_path().vertices {
            let vertex = &dag.vertices[vertex.index()];
            nodes[node_of(vertex)].span.local_ticks += vertex.span;
        }
        let on_path = (0..).zip(nodes.iter().map(|node| node.span.local_ticks));
        let path = on_path.filter(|(node, ticks)| *node == 0 || *ticks != 0);
        let path = path.map(|(node, ticks)| (node, ticks, 0)).collect();
        let root = &mut nodes[0];
        root.work.count = 1;
        root.work.top_count = 1;
        root.work.top_span_ticks = totals.span;
        root.path = path;
        let raw = RawProfile {
            metric,
            clock: clock.to_owned(),
            ticks_per_second: dag.ticks_per_second,
            threads: dag.shape().workers as u32,
            burden_ticks: dag.burden,
            ended: Ended::Signal(9),
            span_ticks: totals.span,
            burdened_span_ticks: totals.burdened_span,
            modules,
            sites,
            nodes,
            ..RawProfile::default()
        };
        (raw, dag)
    }
}
