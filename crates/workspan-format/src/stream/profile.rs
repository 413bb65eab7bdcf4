//! The profile that follows from a recorded dag, where the engine left none.

use workspan_model::{Dag, TimingKind, Vertex, VertexId, VertexKind};

use super::Recording;
use crate::raw::{Ended, RawCalibration, RawProfile};

impl Recording {
    /// A raw profile with what the dag tells, of a program that was killed: work and span, of each node and of the whole,
    /// and tasks, each of which counts as an instance. A folded vertex counts for the node that it begins at. What the dag
    /// does not tell is 0. And the dag.
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
        let mut on_path = vec![0; nodes.len()];
        for vertex in dag.critical_path().vertices {
            let vertex = &dag.vertices[vertex.index()];
            on_path[node_of(vertex)] += vertex.span;
        }
        for (node, ticks) in nodes.iter_mut().zip(&on_path) {
            node.span.local_ticks = *ticks;
        }
        let root = &mut nodes[0];
        root.work.count = 1;
        root.work.top_count = 1;
        root.work.top_span_ticks = totals.span;
        root.path = (0..)
            .zip(on_path)
            .filter(|(node, ticks)| *node == 0 || *ticks != 0)
            .map(|(node, ticks)| (node, ticks, 0))
            .collect();
        let raw = RawProfile {
            metric,
            metric_problem: None,
            clock: clock.to_owned(),
            clock_note: None,
            ticks_per_second: dag.ticks_per_second,
            elapsed_ticks: 0,
            threads: dag.shape().workers as u32,
            assumed_cores: 0,
            machine_cores: 0,
            burden_ticks: dag.burden,
            runtimes: Vec::new(),
            pid: 0,
            ended: Ended::Signal(9),
            command: Vec::new(),
            started_at: 0,
            unfinished_tasks: 0,
            off_processor_ticks: 0,
            own_cost_ticks: 0,
            calibration: RawCalibration::default(),
            span_ticks: totals.span,
            burdened_span_ticks: totals.burdened_span,
            timing: TimingKind::Exact,
            span_open_ticks: 0,
            burdened_span_open_ticks: 0,
            shared_ticks: 0,
            engine: Vec::new(),
            truncated_tree: false,
            modules,
            sites,
            nodes,
            instances: Vec::new(),
            locks: Vec::new(),
            other_locks: Vec::new(),
            sampling: None,
            sampling_note: None,
            stacks: Vec::new(),
            damaged_stacks: 0,
        };
        (raw, dag)
    }
}
