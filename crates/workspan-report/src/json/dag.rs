//! A task dag as JSON.

use std::io;

use serde::{Serialize, Serializer};
use workspan_model::{
    Boundary, CriticalPath, Dag, DagFigures, DagShape, StrandRegionId, Totals, Vertex, VertexId,
};

use super::keys::{metric_key, write_compact};
use crate::CodeView;
use crate::object::object;

/// Version of the JSON of `workspan dag`. Keys may be added within a version.
const VERSION: u32 = 1;

/// Writes `dag` as JSON, with its vertices and edges; `view` says what code they run. Their times
/// are in ticks, so that nothing is rounded. `measured` is what the engine computed during the same
/// run, if that is known.
///
/// # Errors
/// Any error from writing to `output`.
pub fn dag_json(
    dag: &Dag,
    dag_shape: &DagShape,
    figures: &DagFigures,
    path: &CriticalPath,
    measured: Option<&Totals>,
    view: &CodeView<'_>,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let mut is_critical = vec![false; dag.vertices.len()];
    for vertex in &path.vertices {
        is_critical[vertex.index()] = true;
    }
    let metric = view.metric();
    let document = object! {
        version: VERSION,
        truncated: dag.is_truncated,
        #[serde(flatten)]
        metric: metric_key(metric),
        ticks_per_second: metric.is_time().then_some(dag.ticks_per_second),
        grain_ticks: dag.grain,
        burden_ticks: dag.burden,
        #[serde(flatten)]
        figures: dag_figures(figures),
        measured: measured.map(|totals| object! {
            work_ns: totals.work.time().shown(),
            span_ns: totals.span.time().shown(),
            burdened_span_ns: totals.burdened_span.time().shown(),
            tasks: totals.spawns,
        }),
        shape: dag_shape,
        regions: Regions(dag, view),
        vertices: Vertices(dag, &is_critical),
    };
    write_compact(&document, metric, output)
}

pub(crate) fn dag_figures(figures: &DagFigures) -> impl Serialize {
    object! {
        work_ns: figures.work.time().shown(),
        span_ns: figures.span.time().shown(),
        burdened_span_ns: figures.burdened_span.time().shown(),
        parallelism: figures.parallelism,
        burdened_parallelism: figures.burdened_parallelism,
        tasks: figures.tasks,
    }
}

struct Regions<'a>(&'a Dag, &'a CodeView<'a>);

impl Serialize for Regions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(dag, view) = self;
        let ids = (0..).map(StrandRegionId);
        serializer.collect_seq(ids.zip(&dag.regions).map(|(id, region)| {
            object! {
                node: region.node.0,
                from: boundary(region.from),
                to: boundary(region.to),
                code: view.words(view.code.index_of(id)),
            }
        }))
    }
}

fn boundary(boundary: Boundary) -> impl Serialize {
    object! {
        site: boundary.site.0,
        side: boundary.side.name(),
    }
}

struct Vertices<'a>(&'a Dag, &'a [bool]);

impl Serialize for Vertices<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(dag, is_critical) = self;
        let vertices = dag.vertices.iter().zip(*is_critical).enumerate();
        serializer.collect_seq(vertices.map(|(at, (executed, is_critical))| {
            vertex(dag, VertexId(at as u32), executed, *is_critical)
        }))
    }
}

fn vertex(dag: &Dag, id: VertexId, vertex: &Vertex, is_critical: bool) -> impl Serialize {
    let successors = dag.successors(id).iter().map(|successor| {
        object! {
            to: successor.to().0,
            stealable: successor.is_stealable(),
        }
    });
    object! {
        kind: vertex.kind.name(),
        work_ticks: vertex.work,
        span_ticks: vertex.span,
        burdened_span_ticks: vertex.burdened_span,
        region: vertex.region.0,
        tasks: vertex.tasks,
        worker: vertex.worker,
        begun_by: vertex.begun_by.0,
        on_critical_path: is_critical,
        successors: successors.collect::<Vec<_>>(),
    }
}
