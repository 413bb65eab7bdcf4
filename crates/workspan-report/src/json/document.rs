//! The JSON report's parts; field names are its keys.

use serde::{Serialize, Serializer};
use workspan_model::{
    Analysis, BurdenSource, Calibration, EngineCost, EngineCount, Exit, Machine, MachineCosts,
    Measure, MeasureKind, Metric, Note, On, ParallelismInterval, Profile, Quartiles, Run, Runtime,
    RuntimeKind, SitePathPart, SiteRow, SpanInterval, SpeedupBounds, Totals, Verdict,
};

use super::SCHEMA_VERSION;
use super::curve::CurvePart;
use super::findings::FindingPart;
use super::functions::FunctionsPart;
use super::keys::told;
use super::locks::LockPart;
use super::regions::RegionPart;
use super::runs::{RunPart, SpreadPart};
use crate::sentences;

/// The whole report.
#[derive(Serialize)]
pub(super) struct Document<'a> {
    schema_version: u32,
    workspan_version: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    metric: Option<&'a Metric>,
    program: ProgramPart<'a>,
    verdict: VerdictPart,
    totals: TotalsPart,
    speedup: Vec<SpeedupPart>,
    predicted: Option<CurvePart>,
    sites: Vec<SitePart<'a>>,
    regions: Vec<RegionPart<'a>>,
    locks: Vec<LockPart>,
    samples: Option<FunctionsPart<'a>>,
    notes: Vec<NotePart>,
    findings: Vec<FindingPart>,
    machine: MachinePart<'a>,
    calibration: CalibrationPart,
    engine: EnginePart<'a>,
    runs: Vec<RunPart>,
    spread: Option<SpreadPart<'a>>,
}

impl<'a> Document<'a> {
    pub(super) fn of(profile: &'a Profile, analysis: &'a Analysis) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            workspan_version: &profile.run.workspan_version,
            metric: told(&analysis.metric),
            program: ProgramPart::of(profile),
            verdict: VerdictPart::of(analysis),
            totals: TotalsPart::of(&analysis.totals),
            speedup: analysis.speedup.iter().map(SpeedupPart::of).collect(),
            predicted: analysis.predicted.as_ref().map(CurvePart::of),
            sites: SitePart::all(analysis),
            regions: analysis.regions.iter().map(RegionPart::of).collect(),
            locks: LockPart::all(analysis),
            samples: analysis.functions.as_ref().map(FunctionsPart::of),
            notes: analysis
                .notes
                .iter()
                .map(|note| NotePart::of(note, analysis))
                .collect(),
            findings: FindingPart::all(analysis),
            machine: MachinePart::of(&profile.machine, &profile.run),
            calibration: CalibrationPart::of(&profile.calibration),
            engine: EnginePart::of(&analysis.engine),
            runs: RunPart::all(analysis.runs.as_ref()),
            spread: analysis.runs.as_ref().map(SpreadPart::of),
        }
    }
}

#[derive(Serialize)]
struct ProgramPart<'a> {
    command: &'a [String],
    exit_code: Option<i32>,
    signal: Option<i32>,
    interrupted: bool,
    still_running: bool,
    unfinished_tasks: u64,
    started_at: u64,
    rayon_version: Option<&'a str>,
    runtimes: Vec<RuntimePart<'a>>,
    threads: u32,
    threads_that_ran: Option<u64>,
    assumed_cores: u32,
    clock: &'a str,
    clock_note: Option<&'a str>,
    timing: &'static str,
    burden_ns: u64,
    burden_source: Option<&'static str>,
    own_cost_ns: u64,
    off_processor_ns: u64,
    truncated_tree: bool,
}

impl<'a> ProgramPart<'a> {
    fn of(profile: &'a Profile) -> Self {
        let run = &profile.run;
        let (exit_code, signal) = match run.exit {
            Exit::Code(code) => (Some(code), None),
            Exit::Signal(signal) => (None, Some(signal)),
        };
        Self {
            command: &run.command,
            exit_code,
            signal,
            interrupted: run.interrupted,
            still_running: run.is_still_running(),
            unfinished_tasks: run.unfinished_tasks,
            started_at: run.started_at,
            rayon_version: run
                .runtimes
                .iter()
                .find(|runtime| runtime.kind == RuntimeKind::Rayon)
                .and_then(|runtime| runtime.version.as_deref()),
            runtimes: run.runtimes.iter().map(RuntimePart::of).collect(),
            threads: run.threads,
            threads_that_ran: profile.threads_that_ran(),
            assumed_cores: run.assumed_cores,
            clock: &run.clock,
            clock_note: run.clock_note.as_deref(),
            timing: profile.timing.kind.name(),
            burden_ns: run.burden.shown(),
            burden_source: run.burden_source.as_ref().map(BurdenSource::name),
            own_cost_ns: run.own_cost.shown(),
            off_processor_ns: run.off_processor.shown(),
            truncated_tree: run.truncated_tree,
        }
    }
}

#[derive(Serialize)]
struct RuntimePart<'a> {
    kind: &'static str,
    version: Option<&'a str>,
    text: String,
}

impl<'a> RuntimePart<'a> {
    fn of(runtime: &'a Runtime) -> Self {
        Self {
            kind: runtime.kind.name(),
            version: runtime.version.as_deref(),
            text: runtime.to_string(),
        }
    }
}

#[derive(Serialize)]
struct VerdictPart {
    text: String,
    cores: u32,
    lower: f64,
    upper: f64,
    limit: &'static str,
    site: Option<usize>,
    function: Option<usize>,
}

impl VerdictPart {
    fn of(analysis: &Analysis) -> Self {
        let Verdict {
            bounds,
            limit,
            function,
        } = analysis.verdict;
        Self {
            text: sentences::verdict(analysis),
            cores: bounds.cores,
            lower: bounds.lower,
            upper: bounds.upper,
            limit: limit.name(),
            site: limit.row(),
            function,
        }
    }
}

#[derive(Serialize)]
pub(super) struct TotalsPart {
    work_ns: u64,
    span_ns: u64,
    burdened_span_ns: u64,
    parallelism: f64,
    burdened_parallelism: f64,
    span_interval: SpanIntervalPart,
    burdened_span_interval: SpanIntervalPart,
    parallelism_interval: ParallelismIntervalPart,
    burdened_parallelism_interval: ParallelismIntervalPart,
    shared_share: f64,
    spawns: u64,
    syncs: u64,
    average_strand_ns: u64,
    tasking_overhead: f64,
    tasking_overhead_ns: u64,
    blocked_ns: u64,
    stolen: u64,
    elapsed_ns: u64,
}

impl TotalsPart {
    pub(super) fn of(totals: &Totals) -> Self {
        Self {
            work_ns: totals.work.time().shown(),
            span_ns: totals.span.time().shown(),
            burdened_span_ns: totals.burdened_span.time().shown(),
            parallelism: totals.parallelism,
            burdened_parallelism: totals.burdened_parallelism,
            span_interval: SpanIntervalPart::of(totals.span_interval),
            burdened_span_interval: SpanIntervalPart::of(totals.burdened_span_interval),
            parallelism_interval: ParallelismIntervalPart::of(totals.parallelism_interval),
            burdened_parallelism_interval: ParallelismIntervalPart::of(
                totals.burdened_parallelism_interval,
            ),
            shared_share: totals.shared_share,
            spawns: totals.spawns,
            syncs: totals.syncs,
            average_strand_ns: totals.average_strand.shown(),
            tasking_overhead: totals.tasking_overhead.share,
            tasking_overhead_ns: totals.tasking_overhead.time.shown(),
            blocked_ns: totals.blocked.shown(),
            stolen: totals.stolen,
            elapsed_ns: totals.elapsed.shown(),
        }
    }
}

#[derive(Serialize)]
pub(super) struct SpanIntervalPart {
    lower_ns: u64,
    upper_ns: u64,
}

impl SpanIntervalPart {
    pub(super) fn of(interval: SpanInterval) -> Self {
        Self {
            lower_ns: interval.lower.time().shown(),
            upper_ns: interval.upper.time().shown(),
        }
    }
}

#[derive(Serialize)]
pub(super) struct ParallelismIntervalPart {
    lower: f64,
    upper: Option<f64>,
}

impl ParallelismIntervalPart {
    pub(super) fn of(interval: ParallelismInterval) -> Self {
        Self {
            lower: interval.lower,
            upper: interval.upper,
        }
    }
}

#[derive(Serialize)]
pub(super) struct SpeedupPart {
    cores: u32,
    lower: f64,
    upper: f64,
}

impl SpeedupPart {
    pub(super) fn of(bounds: &SpeedupBounds) -> Self {
        Self {
            cores: bounds.cores,
            lower: bounds.lower,
            upper: bounds.upper,
        }
    }
}

#[derive(Serialize)]
struct SitePart<'a> {
    location: Option<String>,
    file: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
    kind: &'static str,
    name: Option<&'a str>,
    callee: Option<String>,
    function: Option<&'a str>,
    detail: Option<&'a str>,
    note: Option<&'a str>,
    on_work: OnWorkPart,
    on_span: OnSpanPart,
    path: Option<Vec<PathPart>>,
}

#[derive(Serialize)]
struct OnWorkPart {
    count: u64,
    top_count: u64,
    work_ns: u64,
    span_ns: u64,
    local_work_ns: u64,
    parallelism: Option<f64>,
    blocked_ns: u64,
    stolen: u64,
    spawns: u64,
    syncs: u64,
    tasking_overhead: f64,
    tasking_overhead_ns: u64,
    #[serde(flatten)]
    measures: MeasuresPart,
}

#[derive(Serialize)]
struct OnSpanPart {
    count: u64,
    local_span_ns: u64,
    share: f64,
    #[serde(flatten)]
    measures: MeasuresPart,
}

#[derive(Serialize)]
struct MeasuresPart {
    top_call_site: MeasurePart,
    top_caller: MeasurePart,
    local: MeasurePart,
}

impl MeasuresPart {
    fn of(site: &SiteRow, on: On) -> Self {
        let measure = |kind| MeasurePart::of(site.measure(on, kind));
        Self {
            top_call_site: measure(MeasureKind::TopCallSite),
            top_caller: measure(MeasureKind::TopCaller),
            local: measure(MeasureKind::Local),
        }
    }
}

#[derive(Serialize)]
struct MeasurePart {
    work_ns: Option<u64>,
    span_ns: Option<u64>,
    parallelism: Option<f64>,
    count: Option<u64>,
}

impl MeasurePart {
    fn of(measure: Measure) -> Self {
        Self {
            work_ns: measure.work.map(|work| work.time().shown()),
            span_ns: measure.span.map(|span| span.time().shown()),
            parallelism: measure.parallelism,
            count: measure.count,
        }
    }
}

#[derive(Serialize)]
struct PathPart {
    site: usize,
    local_span_ns: u64,
    count: u64,
    share: f64,
}

impl PathPart {
    fn of(part: &SitePathPart) -> Self {
        Self {
            site: part.row,
            local_span_ns: part.local_span.time().shown(),
            count: part.count,
            share: part.share,
        }
    }
}

impl<'a> SitePart<'a> {
    fn all(analysis: &'a Analysis) -> Vec<Self> {
        let sites = analysis.sites.iter().enumerate();
        let path = |index: usize| analysis.paths.as_ref().map(|paths| paths[index].as_slice());
        sites
            .map(|(index, site)| Self::of(site, path(index)))
            .collect()
    }

    fn of(site: &'a SiteRow, path: Option<&[SitePathPart]>) -> Self {
        let location = site.location.as_ref();
        let (on_work, on_span) = (&site.on_work, &site.on_span);
        Self {
            location: location.map(ToString::to_string),
            file: location.map(|location| location.file.as_str()),
            line: location.map(|location| location.line),
            column: location.map(|location| location.column),
            kind: site.kind.name(),
            name: site.name.as_deref(),
            callee: site.callee.as_ref().map(ToString::to_string),
            function: site.function.as_deref(),
            detail: site.detail.as_deref(),
            note: site.note.as_deref(),
            on_work: OnWorkPart {
                count: on_work.count,
                top_count: on_work.top_count,
                work_ns: on_work.work.time().shown(),
                span_ns: on_work.span.time().shown(),
                local_work_ns: on_work.local_work.time().shown(),
                parallelism: on_work.parallelism,
                blocked_ns: on_work.blocked.shown(),
                stolen: on_work.stolen,
                spawns: on_work.spawns,
                syncs: on_work.syncs,
                tasking_overhead: on_work.tasking_overhead.share,
                tasking_overhead_ns: on_work.tasking_overhead.time.shown(),
                measures: MeasuresPart::of(site, On::Work),
            },
            on_span: OnSpanPart {
                count: on_span.count,
                local_span_ns: on_span.local_span.time().shown(),
                share: on_span.share,
                measures: MeasuresPart::of(site, On::Span),
            },
            path: path.map(|parts| parts.iter().map(PathPart::of).collect()),
        }
    }
}

#[derive(Serialize)]
struct NotePart {
    kind: &'static str,
    text: String,
    site: Option<usize>,
}

impl NotePart {
    fn of(note: &Note, analysis: &Analysis) -> Self {
        Self {
            kind: note.name(),
            text: sentences::note(note, analysis),
            site: note.row(),
        }
    }
}

#[derive(Serialize)]
struct MachinePart<'a> {
    cores: u32,
    processor: Option<&'a str>,
    os: &'a str,
    architecture: &'a str,
    ticks_per_second: Option<f64>,
    costs: Option<CostsPart>,
}

impl<'a> MachinePart<'a> {
    fn of(machine: &'a Machine, run: &Run) -> Self {
        let metric = &run.metric;
        let costs = match &run.burden_source {
            Some(BurdenSource::Measured(costs)) => Some(CostsPart::of(costs)),
            _ => None,
        };
        Self {
            cores: machine.cores,
            processor: machine.processor.as_deref(),
            os: &machine.os,
            architecture: &machine.architecture,
            ticks_per_second: metric.is_time().then_some(machine.ticks_per_second),
            costs,
        }
    }
}

#[derive(Serialize)]
struct CostsPart {
    steal_ns: QuartilesPart,
    hand_back_ns: QuartilesPart,
    wake_up_ns: QuartilesPart,
    join_ns: QuartilesPart,
    spawn_ns: QuartilesPart,
    scope_ns: QuartilesPart,
}

impl CostsPart {
    fn of(costs: &MachineCosts) -> Self {
        Self {
            steal_ns: QuartilesPart::of(costs.steal),
            hand_back_ns: QuartilesPart::of(costs.hand_back),
            wake_up_ns: QuartilesPart::of(costs.wake_up),
            join_ns: QuartilesPart::of(costs.join),
            spawn_ns: QuartilesPart::of(costs.spawn),
            scope_ns: QuartilesPart::of(costs.scope),
        }
    }
}

#[derive(Serialize)]
struct QuartilesPart {
    lower: f64,
    median: f64,
    upper: f64,
    samples: u64,
}

impl QuartilesPart {
    fn of(quartiles: Quartiles) -> Self {
        Self {
            lower: quartiles.lower.as_nanos(),
            median: quartiles.median.as_nanos(),
            upper: quartiles.upper.as_nanos(),
            samples: quartiles.samples,
        }
    }
}

#[derive(Serialize)]
struct CalibrationPart {
    clock_read_ns: f64,
    join_ns: f64,
    join_boundary_ns: f64,
    spawn_ns: f64,
    spawn_boundary_ns: f64,
    scope_ns: f64,
}

impl CalibrationPart {
    fn of(calibration: &Calibration) -> Self {
        Self {
            clock_read_ns: calibration.clock_read.as_nanos(),
            join_ns: calibration.join.as_nanos(),
            join_boundary_ns: calibration.join_boundary.as_nanos(),
            spawn_ns: calibration.spawn.as_nanos(),
            spawn_boundary_ns: calibration.spawn_boundary.as_nanos(),
            scope_ns: calibration.scope.as_nanos(),
        }
    }
}

#[derive(Serialize)]
struct EnginePart<'a> {
    own_cost_ns: u64,
    own_cost_share: f64,
    boundaries_per_task: Option<f64>,
    clock_reads_per_boundary: Option<f64>,
    #[serde(serialize_with = "by_name")]
    counts: &'a [EngineCount],
}

impl<'a> EnginePart<'a> {
    fn of(engine: &'a EngineCost) -> Self {
        Self {
            own_cost_ns: engine.own_cost.shown(),
            own_cost_share: engine.own_cost_share,
            boundaries_per_task: engine.boundaries_per_task,
            clock_reads_per_boundary: engine.clock_reads_per_boundary,
            counts: &engine.counts,
        }
    }
}

fn by_name<S: Serializer>(counts: &&[EngineCount], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(counts.iter().map(|count| (&count.name, count.value)))
}
