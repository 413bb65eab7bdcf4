//! The JSON report's parts.

use serde::{Serialize, Serializer};
use workspan_model::{
    Analysis, Books, BurdenSource, Calibration, EngineCost, EngineCount, Exit, MachineCosts,
    Measure, MeasureKind, Note, On, Profile, Quartiles, RuntimeKind, SitePathPart, SiteRow,
    Verdict,
};

use super::curve::speedup_curve;
use super::findings::finding;
use super::functions::functions;
use super::keys::metric_key;
use super::locks::lock;
use super::place::place;
use super::regions::region;
use super::runs::{run, spread};
use super::totals::{speedups, totals};
use crate::object::object;
use crate::sentences;

/// Version of the JSON report's schema, `docs/profile.schema.json`. Keys may be added within a
/// version; version 4 turned notes of the kind `high_tasking_overhead` into findings.
pub const SCHEMA_VERSION: u32 = 4;

/// The whole report.
pub(super) fn document(profile: &Profile, analysis: &Analysis) -> impl Serialize {
    let notes = analysis.notes.iter().map(|written| note(written, analysis));
    let findings = analysis.findings.iter();
    let runs = analysis.runs.as_ref();
    object! {
        schema_version: SCHEMA_VERSION,
        workspan_version: &profile.run.workspan_version,
        #[serde(flatten)]
        metric: metric_key(&analysis.metric),
        program: program(profile),
        verdict: verdict(analysis),
        totals: totals(&analysis.totals),
        speedup: speedups(&analysis.speedup),
        predicted: analysis.predicted.as_ref().map(speedup_curve),
        sites: sites(analysis),
        regions: analysis.regions.iter().map(region).collect::<Vec<_>>(),
        locks: analysis.locks.iter().map(lock).collect::<Vec<_>>(),
        samples: analysis.functions.as_ref().map(functions),
        notes: notes.collect::<Vec<_>>(),
        findings: findings.map(|found| finding(found, analysis)).collect::<Vec<_>>(),
        machine: machine(profile),
        calibration: calibration(&profile.calibration),
        engine: engine(&analysis.engine),
        books: analysis.books.as_ref().map(|written| books(written, analysis)),
        runs: runs.map_or_else(Vec::new, |runs| runs.runs.iter().map(run).collect()),
        spread: runs.map(spread),
    }
}

fn program(profile: &Profile) -> impl Serialize {
    let run = &profile.run;
    let mut runtimes = run.runtimes.iter();
    let rayon = runtimes.find(|runtime| runtime.kind == RuntimeKind::Rayon);
    let runtimes = run.runtimes.iter().map(|runtime| {
        object! {
            kind: runtime.kind.name(),
            version: &runtime.version,
            text: runtime.to_string(),
        }
    });
    object! {
        command: &run.command,
        exit_code: match run.exit {
            Exit::Code(code) => Some(code),
            Exit::Signal(_) => None,
        },
        signal: match run.exit {
            Exit::Code(_) => None,
            Exit::Signal(signal) => Some(signal),
        },
        interrupted: run.interrupted,
        still_running: run.is_still_running(),
        unfinished_tasks: run.unfinished_tasks,
        started_at: run.started_at,
        rayon_version: rayon.and_then(|rayon| rayon.version.as_ref()),
        runtimes: runtimes.collect::<Vec<_>>(),
        threads: run.threads,
        threads_that_ran: profile.threads_that_ran(),
        assumed_cores: run.assumed_cores,
        clock: &run.clock,
        clock_note: &run.clock_note,
        timing: profile.timing.kind.name(),
        burden_ns: run.burden.shown(),
        burden_source: run.burden_source.as_ref().map(BurdenSource::name),
        own_cost_ns: run.own_cost.shown(),
        off_processor_ns: run.off_processor.shown(),
        truncated_tree: run.truncated_tree,
    }
}

fn verdict(analysis: &Analysis) -> impl Serialize {
    let Verdict { bounds, limit, .. } = analysis.verdict;
    object! {
        text: sentences::verdict(analysis),
        cores: bounds.cores,
        lower: bounds.lower,
        upper: bounds.upper,
        limit: limit.name(),
        site: limit.row(),
        function: analysis.verdict.function,
    }
}

fn sites(analysis: &Analysis) -> Vec<impl Serialize> {
    let paths = analysis.paths.as_ref();
    let sites = analysis.sites.iter().enumerate();
    sites
        .map(|(index, row)| site(row, paths.map(|paths| paths[index].as_slice())))
        .collect()
}

fn site(site: &SiteRow, path: Option<&[SitePathPart]>) -> impl Serialize {
    let (on_work, on_span) = (&site.on_work, &site.on_span);
    object! {
        #[serde(flatten)]
        place: place(site.location.as_ref()),
        kind: site.kind.name(),
        name: &site.name,
        callee: site.callee.as_ref().map(ToString::to_string),
        function: &site.function,
        detail: &site.detail,
        note: &site.note,
        on_work: object! {
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
            #[serde(flatten)]
            measures: measures(site, On::Work),
        },
        on_span: object! {
            count: on_span.count,
            local_span_ns: on_span.local_span.time().shown(),
            share: on_span.share,
            #[serde(flatten)]
            measures: measures(site, On::Span),
        },
        path: path.map(|parts| parts.iter().map(path_part).collect::<Vec<_>>()),
    }
}

fn measures(site: &SiteRow, on: On) -> impl Serialize {
    let of_kind = |kind| measure(site.measure(on, kind));
    object! {
        top_call_site: of_kind(MeasureKind::TopCallSite),
        top_caller: of_kind(MeasureKind::TopCaller),
        local: of_kind(MeasureKind::Local),
    }
}

fn measure(measure: Measure) -> impl Serialize {
    object! {
        work_ns: measure.work.map(|work| work.time().shown()),
        span_ns: measure.span.map(|span| span.time().shown()),
        parallelism: measure.parallelism,
        count: measure.count,
    }
}

fn path_part(part: &SitePathPart) -> impl Serialize {
    object! {
        site: part.row,
        local_span_ns: part.local_span.time().shown(),
        count: part.count,
        share: part.share,
    }
}

fn note(note: &Note, analysis: &Analysis) -> impl Serialize {
    object! {
        kind: note.name(),
        text: sentences::note(note, analysis),
        site: note.row(),
    }
}

fn machine(profile: &Profile) -> impl Serialize {
    let machine = &profile.machine;
    let is_time = profile.run.metric.is_time();
    object! {
        cores: machine.cores,
        processor: &machine.processor,
        os: &machine.os,
        architecture: &machine.architecture,
        ticks_per_second: is_time.then_some(machine.ticks_per_second),
        costs: match &profile.run.burden_source {
            Some(BurdenSource::Measured(measured)) => Some(costs(measured)),
            _ => None,
        },
    }
}

fn costs(costs: &MachineCosts) -> impl Serialize {
    object! {
        steal_ns: quartiles(costs.steal),
        hand_back_ns: quartiles(costs.hand_back),
        wake_up_ns: quartiles(costs.wake_up),
        join_ns: quartiles(costs.join),
        spawn_ns: quartiles(costs.spawn),
        scope_ns: quartiles(costs.scope),
    }
}

fn quartiles(quartiles: Quartiles) -> impl Serialize {
    object! {
        lower: quartiles.lower.as_nanos(),
        median: quartiles.median.as_nanos(),
        upper: quartiles.upper.as_nanos(),
        samples: quartiles.samples,
    }
}

fn calibration(calibration: &Calibration) -> impl Serialize {
    object! {
        clock_read_ns: calibration.clock_read.as_nanos(),
        join_ns: calibration.join.as_nanos(),
        join_boundary_ns: calibration.join_boundary.as_nanos(),
        spawn_ns: calibration.spawn.as_nanos(),
        spawn_boundary_ns: calibration.spawn_boundary.as_nanos(),
        scope_ns: calibration.scope.as_nanos(),
    }
}

fn engine(engine: &EngineCost) -> impl Serialize {
    object! {
        own_cost_ns: engine.own_cost.shown(),
        own_cost_share: engine.own_cost_share,
        boundaries_per_task: engine.boundaries_per_task,
        clock_reads_per_boundary: engine.clock_reads_per_boundary,
        counts: ByName(&engine.counts),
    }
}

fn books(books: &Books, analysis: &Analysis) -> impl Serialize {
    object! {
        elapsed_ns: books.elapsed.shown(),
        threads: books.threads,
        processor_time_ns: books.processor_time.shown(),
        work_ns: books.work.time().shown(),
        blocked_ns: books.blocked.shown(),
        waiting_ns: books.waiting.shown(),
        engine_ns: books.engine.shown(),
        taken_by_others_ns: books.taken_by_others.shown(),
        idle_on_span_ns: books.idle_on_span().shown(),
        unexplained_ns: books.unexplained.shown(),
        unexplained_share: books.unexplained_share(),
        discrepancy: analysis.discrepancy().map(|(_, discrepancy)| discrepancy.name()),
    }
}

/// Counts, each with its name as the key.
struct ByName<'a>(&'a [EngineCount]);

impl Serialize for ByName<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|count| (&count.name, count.value)))
    }
}
