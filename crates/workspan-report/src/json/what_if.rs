//! What-if and advice as JSON. Times are in nanoseconds, shares from 0 to 1.

use std::io;

use serde::{Serialize, Serializer};
use workspan_model::{
    Advice, AdviceEnd, Boundary, Change, CodeEstimate, CodeOnPath, CriticalPath, Dag, DagFigures,
    DagShape, Estimate, ExpectedSpeedup, Goal, LockLimit, Span, SpeedupChange, StrandRegionId,
    Totals, Until, Vertex, VertexId, WhatIf, WhatIfRange,
};

use super::keys::{metric_key, write_compact, write_pretty};
use crate::CodeView;
use crate::object::{finite, object};

/// Version of the JSON of `workspan whatif` and `workspan advise`. Keys may be added within a
/// version.
const VERSION: u32 = 1;

/// Writes what changes give, each in the user's words, and what the search for a factor found, as
/// JSON.
///
/// # Errors
/// Any error from writing to `output`.
pub fn what_if_json(
    changes: &[(String, Change)],
    until: Option<(f64, Until)>,
    what_if: &WhatIf,
    view: &CodeView<'_>,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let changes = changes.iter().zip(&what_if.shares);
    let page = object! {
        version: VERSION,
        #[serde(flatten)]
        metric: metric_key(view.metric()),
        truncated: view.is_truncated,
        changes: changes
            .map(|((words, asked), share)| change(words, asked, *share))
            .collect::<Vec<_>>(),
        until: until.map(|(target, found)| factor_for(target, found)),
        before: figures(&what_if.before, view),
        after: figures(&what_if.after, view),
        // For estimates from samples: how far off they can be by the number of samples, at a
        // confidence of 95%.
        after_range: what_if.range.map(range),
        speedup: what_if.speedup.iter().map(speedup).collect::<Vec<_>>(),
        lock: what_if.lock.map(lock),
    };
    write_pretty(&page, view.metric(), output)
}

/// Writes what to make parallel, as JSON; `what_if` is what all of it gives together.
///
/// # Errors
/// Any error from writing to `output`.
pub fn advice_json(
    goal: Goal,
    advice: &Advice,
    what_if: &WhatIf,
    view: &CodeView<'_>,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let steps = advice.steps.iter().map(|step| {
        object! {
            code: view.words(step.code),
            share_of_span: step.share,
            span_amount: step.span.time().shown(),
            strands: step.strands,
            factor: step.factor,
            parallelism: finite(step.parallelism),
            burdened_parallelism: finite(step.burdened_parallelism),
        }
    });
    let advised = advice.advised.iter().map(|advised| {
        let source = view.excerpt(advised.code);
        let hot = view.hot(advised.code).iter().map(|hot| {
            object! {
                function: &hot.function,
                definition: hot.definition.as_ref().map(ToString::to_string),
                share: hot.share,
                samples: hot.samples,
            }
        });
        object! {
            #[serde(flatten)]
            place: place(advised.code, view),
            factor: advised.factor,
            share_of_span: advised.share,
            repeats: view.repeats(advised.code),
            source: source
                .map(|lines| lines.into_iter().flatten().map(line).collect::<Vec<_>>()),
            hot_functions: hot.collect::<Vec<_>>(),
        }
    });
    let page = object! {
        version: VERSION,
        #[serde(flatten)]
        metric: metric_key(view.metric()),
        truncated: view.is_truncated,
        target: goal.target,
        factor: goal.factor,
        least_strand_amount: goal.least_strand.shown(),
        steps: steps.collect::<Vec<_>>(),
        advised: advised.collect::<Vec<_>>(),
        end: advice.end.name(),
        longest_left_amount: match advice.end {
            AdviceEnd::TooShort { longest } => Some(longest.shown()),
            _ => None,
        },
        before: figures(&advice.before, view),
        after: figures(&advice.after, view),
        speedup: what_if.speedup.iter().map(speedup).collect::<Vec<_>>(),
        lock: what_if.lock.map(lock),
    };
    write_pretty(&page, view.metric(), output)
}

fn line((number, code): (u32, &str)) -> impl Serialize {
    object! {
        line: number,
        text: code,
    }
}

/// The least and the most of each.
fn range(range: WhatIfRange) -> impl Serialize {
    let both = |span: Estimate<Span>| span.ends().map(|span| span.time().shown());
    object! {
        span_amount: both(range.span),
        burdened_span_amount: both(range.burdened_span),
        parallelism: range.parallelism.ends(),
    }
}

fn change(text: &str, change: &Change, share: Option<f64>) -> impl Serialize {
    let estimated = change.code().and_then(|code| code.estimate.as_ref());
    let (name, times) = match change {
        Change::Parallelise { factor, .. } => ("parallelise", *factor),
        Change::SpeedUp { factor, .. } => ("speed_up", *factor),
        Change::Coarsen { factor, .. } => ("grain", f64::from(*factor)),
    };
    object! {
        words: text,
        change: name,
        factor: times,
        share_of_span: share,
        // For code that is known by samples alone.
        estimate: estimated.map(estimate),
    }
}

fn estimate(estimate: &CodeEstimate) -> impl Serialize {
    object! {
        meaning: &estimate.meaning,
        on_work: sampled(estimate.samples_on_work, estimate.on_work),
        on_span: sampled(estimate.samples_on_span, estimate.on_span),
    }
}

/// A share of all samples on the work or on the span.
fn sampled(count: f64, share: Estimate<f64>) -> impl Serialize {
    object! {
        samples: count,
        share: share.value,
        lower: share.low,
        upper: share.high,
    }
}

/// What the search for a factor that brings the parallelism to a target found.
fn factor_for(parallelism: f64, found: Until) -> impl Serialize {
    let (least, most) = match found {
        Until::Factor(factor) => (Some(factor), None),
        Until::OutOfReach { most } => (None, finite(most)),
    };
    object! {
        target: parallelism,
        factor: least,
        most_parallelism: most,
    }
}

/// Where a piece of code is.
fn place(code: usize, view: &CodeView<'_>) -> impl Serialize {
    let lines = view.region(code).lines(view.profile);
    object! {
        code: view.words(code),
        file: lines.map(|(file, _, _)| file),
        first_line: lines.map(|(_, first, _)| first),
        last_line: lines.map(|(_, _, last)| last),
    }
}

fn figures(figures: &DagFigures, view: &CodeView<'_>) -> impl Serialize {
    let path = figures.path.iter().map(|part| on_path(part, view));
    object! {
        #[serde(flatten)]
        figures: dag_figures(figures),
        critical_path: path.collect::<Vec<_>>(),
    }
}

fn on_path(part: &CodeOnPath, view: &CodeView<'_>) -> impl Serialize {
    object! {
        #[serde(flatten)]
        place: place(part.code, view),
        span_amount: part.span.time().shown(),
        share_of_span: part.share,
        strands: part.strands,
        longest_amount: part.longest.shown(),
        work_amount: part.work.time().shown(),
    }
}

/// The most speedup over the program on one core that the lock held longest allows.
fn lock(limit: LockLimit) -> impl Serialize {
    object! {
        held_amount: limit.held.time().shown(),
        most_speedup_before: limit.before,
        // If no time is saved under the lock, and if all of it is saved there; the latter is `null`
        // if nothing is then left under the lock.
        most_speedup_after: limit.after.ends().map(finite),
    }
}

pub(crate) fn speedup(change: &SpeedupChange) -> impl Serialize {
    object! {
        cores: change.cores,
        before: expected(&change.before),
        after: expected(&change.after),
    }
}

fn expected(speedup: &ExpectedSpeedup) -> impl Serialize {
    object! {
        lower: speedup.bounds.lower,
        predicted: speedup.predicted,
        upper: speedup.bounds.upper,
    }
}

/// Version of the JSON of `workspan dag`. Keys may be added within a version.
const DAG_VERSION: u32 = 1;

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
        version: DAG_VERSION,
        truncated: dag.is_truncated,
        #[serde(flatten)]
        metric: metric_key(metric),
        ticks_per_second: metric.is_time().then_some(dag.ticks_per_second),
        grain_ticks: dag.grain,
        burden_ticks: dag.burden,
        #[serde(flatten)]
        figures: dag_figures(figures),
        measured: measured.map(|totals| object! {
            work_amount: totals.work.time().shown(),
            span_amount: totals.span.value.time().shown(),
            burdened_span_amount: totals.burdened_span.value.time().shown(),
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
        work_amount: figures.work.time().shown(),
        span_amount: figures.span.time().shown(),
        burdened_span_amount: figures.burdened_span.time().shown(),
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
