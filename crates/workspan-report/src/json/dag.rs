//! A task dag for programs.

use std::io;

use serde::{Serialize, Serializer};
use workspan_model::{
    Boundary, CriticalPath, Dag, DagFigures, DagShape, Metric, Side, StrandRegionId, Totals,
    Vertex, VertexId,
};

use super::keys::{told, write_compact};
use crate::CodeView;

/// Version of the JSON of `workspan dag`. Keys may be added within a version.
const VERSION: u32 = 1;

/// Writes `dag`, which `view` tells the code of, with its vertices and edges. Their times are in ticks, so that nothing is
/// rounded. `measured` is what the engine computed of the same run while it ran, if that is known.
///
/// # Errors
/// Those of `output`.
pub fn dag_json(
    dag: &Dag,
    shape: &DagShape,
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
    let document = Document {
        version: VERSION,
        truncated: dag.is_truncated,
        metric: told(metric),
        ticks_per_second: metric.is_time().then_some(dag.ticks_per_second),
        grain_ticks: dag.grain,
        burden_ticks: dag.burden,
        work_ns: figures.work.time().shown(),
        span_ns: figures.span.time().shown(),
        burdened_span_ns: figures.burdened_span.time().shown(),
        parallelism: figures.parallelism,
        burdened_parallelism: figures.burdened_parallelism,
        tasks: figures.tasks,
        measured: measured.map(|totals| MeasuredPart {
            work_ns: totals.work.time().shown(),
            span_ns: totals.span.time().shown(),
            burdened_span_ns: totals.burdened_span.time().shown(),
            tasks: totals.spawns,
        }),
        shape,
        regions: Regions(dag, view),
        vertices: Vertices(dag, &is_critical),
    };
    write_compact(&document, metric, output)
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    metric: Option<&'a Metric>,
    ticks_per_second: Option<f64>,
    grain_ticks: i64,
    burden_ticks: i64,
    work_ns: u64,
    span_ns: u64,
    burdened_span_ns: u64,
    parallelism: f64,
    burdened_parallelism: f64,
    tasks: u64,
    measured: Option<MeasuredPart>,
    shape: &'a DagShape,
    regions: Regions<'a>,
    vertices: Vertices<'a>,
}

#[derive(Serialize)]
struct MeasuredPart {
    work_ns: u64,
    span_ns: u64,
    burdened_span_ns: u64,
    tasks: u64,
}

struct Regions<'a>(&'a Dag, &'a CodeView<'a>);

impl Serialize for Regions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(dag, view) = self;
        let ids = (0..).map(StrandRegionId);
        serializer.collect_seq(ids.zip(&dag.regions).map(|(id, region)| RegionPart {
            node: region.node.0,
            from: BoundaryPart::of(region.from),
            to: BoundaryPart::of(region.to),
            code: view.words(view.code.index_of(id)),
        }))
    }
}

#[derive(Serialize)]
struct RegionPart {
    node: u32,
    from: BoundaryPart,
    to: BoundaryPart,
    code: String,
}

#[derive(Serialize)]
struct BoundaryPart {
    site: u32,
    side: &'static str,
}

impl BoundaryPart {
    fn of(boundary: Boundary) -> Self {
        Self {
            site: boundary.site.0,
            side: match boundary.side {
                Side::Outside => "outside",
                Side::Left => "left",
                Side::Right => "right",
                Side::Body => "body",
            },
        }
    }
}

struct Vertices<'a>(&'a Dag, &'a [bool]);

impl Serialize for Vertices<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(dag, is_critical) = self;
        let vertices = dag.vertices.iter().zip(*is_critical).enumerate();
        serializer.collect_seq(vertices.map(|(at, (vertex, is_critical))| {
            VertexPart::of(dag, VertexId(at as u32), vertex, *is_critical)
        }))
    }
}

#[derive(Serialize)]
struct VertexPart {
    kind: &'static str,
    work_ticks: i64,
    span_ticks: i64,
    burdened_span_ticks: i64,
    region: u32,
    tasks: u32,
    worker: u16,
    begun_by: u32,
    on_critical_path: bool,
    successors: Vec<SuccessorPart>,
}

#[derive(Serialize)]
struct SuccessorPart {
    to: u32,
    stealable: bool,
}

impl VertexPart {
    fn of(dag: &Dag, id: VertexId, vertex: &Vertex, on_critical_path: bool) -> Self {
        let successors = dag.successors(id).iter();
        Self {
            kind: vertex.kind.name(),
            work_ticks: vertex.work,
            span_ticks: vertex.span,
            burdened_span_ticks: vertex.burdened_span,
            region: vertex.region.0,
            tasks: vertex.tasks,
            worker: vertex.worker,
            begun_by: vertex.begun_by.0,
            on_critical_path,
            successors: successors
                .map(|successor| SuccessorPart {
                    to: successor.to().0,
                    stealable: successor.is_stealable(),
                })
                .collect(),
        }
    }
}
