//! The JSON report's parts.

use serde::{Serialize, Serializer};
use workspan_model::{
    Analysis, AssumedCut, BurdenSource, Calibration, Caller, Claim, EngineCost, EngineCount, Exit,
    Finding, FunctionRow, Functions, Gain, InstanceFigures, LockRow, MachineCosts, Measure,
    MeasureKind, Nanos, Note, On, PlainRuns, Prediction, Profile, Quartiles, Reach, Region,
    RegionFigures, RunFigures, Runs, RuntimeKind, SampleShare, SitePathPart, SiteRow, SiteSpread,
    SpeedupCurve, Verdict,
};

use super::books::{books, waits};
use super::keys::{metric_key, place, place_of_function};
use crate::object::{Document, object};
use crate::sentences;
use crate::totals::{parallelism_interval, span_interval, spread, totals, totals_spread};

/// Version of the JSON report's schema, `docs/profile.schema.json`. Keys may be added within a
/// version; version 4 turned notes of the kind `high_tasking_overhead` into findings, version 5
/// leaves out speedups that the run contradicts.
pub const SCHEMA_VERSION: u32 = 5;

/// The whole report.
pub(super) fn document(profile: &Profile, analysis: &Analysis) -> impl Document {
    let notes = analysis.notes.iter().map(|written| note(written, analysis));
    let findings = analysis.findings.iter();
    let runs = analysis.runs.as_ref();
    object! {
        /// Version of this schema. Keys may be added within a version; none is removed or changes its
        /// meaning. Version 3 added the kinds of sites `function` and `region`, and of sites `name`,
        /// `callee`, the measures `top_call_site`, `top_caller` and `local`, and `path`. Version 4 added
        /// `findings`, in place of notes of the kind `high_tasking_overhead`. Version 5 added the verdict's
        /// `claims`, and leaves out speedups that the run contradicts. A profile that an older
        /// workspan stored is reported in this version: what it lacks is null.
        #[cfg_attr(test, schemars(extend("const" = SCHEMA_VERSION)))]
        schema_version: SCHEMA_VERSION,
        /// Version of workspan that made the profile
        workspan_version: &profile.run.workspan_version,
        #[serde(flatten)]
        /// What was measured of strands, where that is not just time
        metric: metric_key(&analysis.metric),
        /// The run
        program: program(profile),
        /// The answer in one sentence
        verdict: verdict(analysis),
        /// Totals over the whole program
        totals: totals(&analysis.totals, analysis),
        /// Bounds on the speedup against one core, in ascending order of cores; divided by `baseline`.`work_ratio`
        /// where that is more than 1.1; empty where the verdict tells no speedups
        speedup: analysis.speedup.as_slice(),
        /// What a simulation of the scheduler over the recorded task dag predicts, one entry for each of
        /// `speedup`; null without a dag, and with one that is too large for about a second of simulation
        /// (`workspan predict` takes any)
        predicted: analysis.predicted.as_ref().map(speedup_curve),
        /// One row a site, the largest share of the span first; the program's serial code is the row of kind
        /// root
        sites: sites(analysis),
        /// The regions that the program names, the largest share of the span first
        regions: analysis.regions.iter().map(region).collect::<Vec<_>>(),
        /// The locks that were held for any time, the one that was held longest first; of very many those
        /// only. Profiles of before locks were measured have none
        locks: analysis.locks.iter().map(lock).collect::<Vec<_>>(),
        /// Functions by samples; null if the run was made without and does not say why. Samples fall on
        /// processor time: waits are in no function
        samples: analysis.functions.as_ref().map(functions),
        /// What the reader has to know to read the figures right, the gravest first
        notes: notes.collect::<Vec<_>>(),
        /// What keeps the program from being faster, the greatest gain first; at most one a site
        findings: findings.map(|found| finding(found, analysis)).collect::<Vec<_>>(),
        /// Where the program ran
        machine: machine(profile),
        /// Costs of one operation, measured before the run
        calibration: calibration(&profile.calibration),
        /// What the engine cost that measured the program
        engine: engine(&analysis.engine),
        /// Where the threads' time went; null when not measured
        books: analysis.books.as_ref().map(|written| books(written, profile.timeline.as_ref(), analysis)),
        /// What runs without a profile say, on one processor and on all; null where none were made
        baseline: analysis.plain.as_ref().map(baseline),
        /// What tasks waited for
        waits: waits(&analysis.awaited),
        /// What the cores that the run assumed do to the work; null where nothing, or where there are none
        assumed_cut: analysis.cut.as_ref().map(assumed_cut),
        /// Each of several runs, in the order in which they ran; empty for one run, which everything else is
        /// of
        runs: runs.map_or_else(Vec::new, |runs| {
            let run = |figures| run(figures, analysis);
            runs.runs.iter().map(run).collect()
        }),
        /// What several runs say together; null for one run. All else is of the run with the median span
        spread: runs.map(runs_spread),
    }
}

fn program(profile: &Profile) -> impl Document {
    let run = &profile.run;
    let (code, killed_by) = match run.exit {
        Exit::Code(code) => (Some(code), None),
        Exit::Signal(signal) => (None, Some(signal)),
    };
    let mut runtimes = run.runtimes.iter();
    let rayon = runtimes.find(|runtime| runtime.kind == RuntimeKind::Rayon);
    let runtimes = run.runtimes.iter().map(|runtime| {
        object! {
            /// Which one; `c` is the C interface, called by the program itself
            kind: runtime.kind.name() => RuntimeKind,
            /// Its version: of rayon that of rayon-core; null when not known
            version: &runtime.version,
            /// Both as the report shows them, such as `OpenMP (LLVM 16.0.6)`
            text: runtime.to_string(),
        }
    });
    object! {
        /// The program and its arguments
        command: &run.command,
        /// Exit code; null when a signal ended the program
        exit_code: code,
        /// Signal that ended the program
        signal: killed_by,
        /// Whether the profile is of a part of the run: a signal ended it early, or it has not ended
        interrupted: run.interrupted,
        /// Whether the program went on after the profile was written
        still_running: run.is_still_running(),
        /// Tasks still running when the profile was written
        unfinished_tasks: run.unfinished_tasks,
        /// Start, in seconds since 1970-01-01 UTC
        started_at: run.started_at,
        /// Version of rayon-core
        rayon_version: rayon.and_then(|rayon| rayon.version.as_ref()),
        /// The parallel runtimes that the program used, as far as they reported themselves
        runtimes: runtimes.collect::<Vec<_>>(),
        /// Real size of the default thread pool, of OpenMP the most threads of a team; 0 when none was
        /// started
        threads: run.threads,
        /// Threads that ran something; null where the engine did not count them
        threads_that_ran: profile.threads_that_ran(),
        /// What current_num_threads answered in pools of default size; 0 when nothing asked
        assumed_cores: run.assumed_cores,
        /// The clock that was read
        #[cfg_attr(test, schemars(extend("enum" = ["tsc", "monotonic", "thread", "counter", "emulated", "virtual"])))]
        clock: &run.clock,
        /// Why not the better clock
        clock_note: &run.clock_note,
        /// Where the clock was read: at every boundary between strands, or around subtrees of tiny tasks,
        /// whose time is shared evenly among their strands
        timing: profile.timing.kind.name() => TimingKind,
        /// Cost of moving a task, added on every edge that can be stolen, in nanoseconds
        burden_amount: run.burden.shown(),
        /// Where the burden comes from: Cilkview's 15,000 cycles, the user, or `machine.costs`; null when not
        /// known
        #[cfg_attr(test, schemars(extend("enum" = ["cilkview", "unknown", "given", "measured", null])))]
        burden_source: run.burden_source.as_ref().map(BurdenSource::name),
        /// The profiler's own cost, taken off the strands, in nanoseconds
        own_cost_amount: run.own_cost.shown(),
        /// Time in which threads were ready but off the processor, taken off the strands, in nanoseconds
        off_processor_ns: run.off_processor.shown(),
        /// Whether the call tree hit its size limit
        truncated_tree: run.truncated_tree,
    }
}

fn verdict(analysis: &Analysis) -> impl Document {
    let Verdict { bounds, limit, .. } = analysis.verdict;
    object! {
        /// The sentence
        text: sentences::verdict(analysis),
        /// The cores that it is about
        cores: bounds.cores,
        /// Lower bound of the speedup there
        lower: bounds.lower,
        /// Upper bound of the speedup there
        upper: bounds.upper,
        /// What limits the speedup, or why the run does not tell: interrupted, a signal ended it;
        /// standstill, the same after tasks had waited for most of it; own_threads, threads ran
        /// that were not measured; cut, its loops were cut for one thread; between_pools, tasks
        /// waited for calls in another pool; slower, plain runs took longer on all processors than
        /// on one; contended, threads waited long for one lock, or much of the work was sampled at
        /// atomic operations, in the runtime or in the kernel, or samples are too few to tell
        /// (few_atomics), or threads hardly ran at the same time, or plain runs gain little from more
        /// processors; inflated, tasks do so
        /// much more work than one thread that parallelism does not help; unknown_task_cost, tasks
        /// are short and cost nobody knows what; task_cost, tasks are short, and making them is a
        /// tenth of the work or more; undivided, nothing divides the code of a parallel region
        /// among its threads; search, a parallel iterator ends at the first item that decides;
        /// unfollowed, serial code waited for what tasks send; awaited, the waits of tasks, if they
        /// are for one lock, or of threads for one another; uncertain, bounds too far apart;
        /// freeing, the chain of dependent strands, at a site that mostly frees memory; collecting,
        /// the same where it fills a parallel iterator's collection; merging, where it joins what
        /// the iterator's pieces return; serial_filter, the same at a filter of a pipeline that
        /// takes one item after the other; one_strand, no parallel construct was executed; none,
        /// nothing; migration, moving tasks; span, the chain of dependent strands; waiting, that
        /// chain, at a site that mostly waits; bridge, that chain, at a par_bridge, so that the
        /// bounds are those of the real threads; lock, what is done under one lock; turns, waits
        /// for a lock that others held only briefly
        #[cfg_attr(test, schemars(extend("enum" = [
            "interrupted", "standstill", "own_threads", "cut", "between_pools", "slower", "contended", "inflated", "unknown_task_cost", "task_cost", "undivided", "search", "unfollowed", "awaited", "uncertain", "freeing", "collecting", "merging", "serial_filter",
            "one_strand", "none", "migration", "span", "waiting", "bridge", "lock", "turns",
        ])))]
        limit: limit.name(),
        /// Whether the run says anything about speedups: otherwise `speedup` is empty, and the findings promise nothing
        tells_speedups: analysis.promises_speedups(),
        /// Whether there is enough parallelism for these cores; null where the run cannot tell
        enough: sentences::answers::enough_parallelism(analysis).is_enough,
        /// What the answer claims, as far as the run bears it out
        claims: analysis.claims.made.iter().map(|made| claim(*made)).collect::<Vec<_>>(),
        /// What it would claim, and what the run shows against that
        withdrawn: analysis.claims.withdrawn.iter().map(|&(withdrawn, against)| object! {
            #[serde(flatten)]
            claim: claim(withdrawn),
            /// What contradicts it: busier, the run kept more processors busy than that; faster, slower:
            /// plain runs were certainly faster than claimed, or slower; others_ran, threads ran that
            /// were not recorded; divided, a part of the longest chain is divided by the number of
            /// threads, and a weaker claim stands in its place
            #[cfg_attr(test, schemars(extend("enum" = ["busier", "faster", "slower", "others_ran", "divided"])))]
            contradiction: against.name(),
        }).collect::<Vec<_>>(),
        /// Index into `sites` of the site that this is about
        site: limit.row(),
        /// Index into the functions of `samples` of the one that the span is made of, where that limits and
        /// samples tell it clearly
        function: analysis.verdict.function,
    }
}

fn claim(claim: Claim) -> impl Document {
    let (expected, most) = match claim {
        Claim::Expect {
            cores,
            lower,
            upper,
        } => (Some((cores, lower, upper)), None),
        Claim::AtMost { speedup, by, reach } => (None, Some((speedup, by, reach))),
        _ => (None, None),
    };
    object! {
        /// expect: a speedup on `cores`, from `lower` to `upper`; at_most: none greater than `speedup`,
        /// on any number of cores, or while the work is divided for as many `threads`; serial: one
        /// thread does everything; waits_for_lock, shares_memory: threads wait for one another;
        /// too_fine: tasks are too small
        #[cfg_attr(test, schemars(extend("enum" = [
            "expect", "at_most", "serial", "waits_for_lock", "shares_memory", "too_fine",
        ])))]
        claim: claim.name(),
        /// Of expect: the cores
        cores: expected.map(|(cores, _, _)| cores),
        /// Of expect: the speedup at least; null where only the other end is claimed
        lower: expected.and_then(|(_, lower, _)| lower),
        /// Of expect: the speedup at most; null where it may be more
        upper: expected.and_then(|(_, _, upper)| upper),
        /// Of at_most: the speedup
        speedup: most.map(|(speedup, _, _)| speedup),
        /// Of at_most, why: span, the longest chain; lock, work under a recorded lock; waits, work under
        /// a lock, estimated from waits for it; iterator, what feeds a par_bridge
        #[cfg_attr(test, schemars(extend("enum" = ["span", "lock", "waits", "iterator", null])))]
        by: most.map(|(_, by, _)| by.name()),
        /// Of at_most: the threads that the work was divided for, where that is a condition; null: on any
        /// number of cores
        threads: most.and_then(|(_, _, reach)| match reach {
            Reach::AnyCores => None,
            Reach::AsDivided { threads } => Some(threads),
        }),
    }
}

fn sites(analysis: &Analysis) -> Vec<impl Document> {
    let paths = analysis.paths.as_ref();
    let site_with_path = |(index, row)| with_path(row, paths.map(|paths| &paths[index]));
    let sites = analysis.sites.iter().enumerate();
    sites.map(site_with_path).collect()
}

fn with_path<'a>(row: &'a SiteRow, path: Option<&'a Vec<SitePathPart>>) -> impl Document {
    object! {
        #[serde(flatten)]
        site: site(row),
        /// What the span of the site is made up of: the longest paths of its top-call-site executions, or of
        /// some of them where they are many and short, the largest part first; null where the profile does
        /// not tell
        path: path.map(|parts| parts.iter().map(path_part).collect::<Vec<_>>()),
    }
}

pub(crate) fn site(site: &SiteRow) -> impl Document {
    let (on_work, on_span) = (&site.on_work, &site.on_span);
    object! {
        #[serde(flatten)]
        place: place(site.location.as_ref()),
        /// What the site does
        kind: site.kind.name() => SiteKind,
        /// Name of the region, or of the function called; of another construct without a place where its code
        /// is: function and offset
        name: &site.name,
        /// Where the function called is defined, `file:line:column`
        callee: site.callee.as_ref().map(ToString::to_string),
        /// The function around it
        function: &site.function,
        /// What was called there
        detail: &site.detail,
        /// What the reader should know about its figures
        note: &site.note,
        /// Figures over all instances
        on_work: object! {
            /// Instances
            count: on_work.count,
            /// Instances with no outer instance of the site
            top_count: on_work.top_count,
            /// Work of the top instances, with all that they wait for, in nanoseconds
            work_amount: on_work.work.time().shown(),
            /// Sum of the spans of the top instances, in nanoseconds
            span_amount: on_work.span.time().shown(),
            /// Work of the site's own strands, in nanoseconds
            local_work_amount: on_work.local_work.time().shown(),
            /// Work / span; null when no top instance has finished
            parallelism: on_work.parallelism,
            /// Voluntary waits in the site's own strands, in nanoseconds
            blocked_ns: on_work.blocked.shown(),
            /// Tasks that ran on another thread than their spawner
            stolen: on_work.stolen,
            /// Tasks created
            spawns: on_work.spawns,
            /// Waits for tasks
            syncs: on_work.syncs,
            /// Cost of creating and scheduling the site's tasks as a share of its work, from 0
            tasking_overhead: on_work.tasking_overhead.share,
            /// Cost of creating and scheduling the site's tasks, in nanoseconds
            tasking_overhead_amount: on_work.tasking_overhead.time.shown(),
            #[serde(flatten)]
            measures: measures(site, On::Work),
        },
        /// Figures over the critical path
        on_span: object! {
            /// Instances whose start lies on the critical path
            count: on_span.count,
            /// Time of the site's own strands on the critical path, in nanoseconds
            local_span_amount: on_span.local_span.time().shown(),
            /// That time as a share of the span; over all sites they sum up to 1, from 0
            share: on_span.share,
            #[serde(flatten)]
            measures: measures(site, On::Span),
        },
    }
}

fn measures(site: &SiteRow, on: On) -> impl Document {
    let of_kind = |kind| measure(site.measure(on, kind));
    object! {
        /// Executions with no outer execution of the site, with all that they wait for
        top_call_site: of_kind(MeasureKind::TopCallSite),
        /// Of these, those that the outermost execution of the function around the site made
        top_caller: of_kind(MeasureKind::TopCaller),
        /// Every execution, without what it calls
        local: of_kind(MeasureKind::Local),
    }
}

fn measure(measure: Measure) -> impl Document {
    object! {
        /// Their works, in nanoseconds; null when not known
        work_amount: measure.work.map(|work| work.time().shown()),
        /// Their spans, in nanoseconds; null when not known
        span_amount: measure.span.map(|span| span.time().shown()),
        /// Work / span; null when not known, or without a span
        parallelism: measure.parallelism,
        /// How many they are; null when not known
        count: measure.count,
    }
}

fn path_part(part: &SitePathPart) -> impl Document {
    object! {
        /// Index into `sites`
        site: part.row,
        /// Time of its own strands on these paths, in nanoseconds
        local_span_amount: part.local_span.time().shown(),
        /// Its executions that start on these paths
        count: part.count,
        /// That time as a share of the sum over all sites of the path
        share: part.share,
    }
}

fn note(note: &Note, analysis: &Analysis) -> impl Document {
    object! {
        /// Name of the note
        #[cfg_attr(test, schemars(extend("enum" = [
            "no_parallel_construct", "interrupted", "still_running", "failed", "unfinished_tasks", "truncated_tree",
            "unexplained", "counts", "second_best_clock", "long_waits", "par_bridge", "no_lines", "site",
        ])))]
        kind: note.name(),
        /// The note, with what to do
        text: sentences::note(note, analysis),
        /// Index into `sites` of the site that this is about
        site: note.row(),
    }
}

fn machine(profile: &Profile) -> impl Document {
    let machine = &profile.machine;
    let is_time = profile.run.metric.is_time();
    object! {
        /// Cores that the process could use
        cores: machine.cores,
        /// The processor's name
        processor: &machine.processor,
        /// The operating system
        os: &machine.os,
        /// The architecture
        architecture: &machine.architecture,
        /// Rate of the clock
        ticks_per_second: is_time.then_some(machine.ticks_per_second),
        /// What rayon's operations cost there, as measured by `workspan calibrate`; null unless the burden is
        /// measured. The burden is the median of a steal and of the way back
        costs: match &profile.run.burden_source {
            Some(BurdenSource::Measured(measured)) => Some(costs(measured)),
            _ => None,
        },
    }
}

fn costs(costs: &MachineCosts) -> impl Document {
    object! {
        /// From the push of a task until a worker that was looking for work runs it
        steal_ns: quartiles(costs.steal),
        /// From the end of a stolen task until the worker that waits for it goes on
        hand_back_ns: quartiles(costs.hand_back),
        /// From the push of a task until a worker that was asleep runs it
        wake_up_ns: quartiles(costs.wake_up),
        /// One join of which nothing is stolen
        join_ns: quartiles(costs.join),
        /// One task spawned into a scope and not stolen
        spawn_ns: quartiles(costs.spawn),
        /// One empty scope
        scope_ns: quartiles(costs.scope),
    }
}

fn quartiles(quartiles: Quartiles) -> impl Document {
    object! {
        /// A quarter of the samples is less
        lower: quartiles.cost.low.as_nanos(),
        /// Half of them are less
        median: quartiles.cost.value.as_nanos(),
        /// A quarter of them is more
        upper: quartiles.cost.high.as_nanos(),
        /// How many there are
        samples: quartiles.samples,
    }
}

fn calibration(calibration: &Calibration) -> impl Document {
    object! {
        /// One reading of the clock
        clock_read_amount: calibration.clock_read.as_nanos(),
        /// Rayon's own cost of one join
        join_amount: calibration.join.as_nanos(),
        /// Taken off for each boundary of a join
        join_boundary_amount: calibration.join_boundary.as_nanos(),
        /// Rayon's own cost of one spawned task
        spawn_amount: calibration.spawn.as_nanos(),
        /// Taken off for each boundary of a spawned task
        spawn_boundary_amount: calibration.spawn_boundary.as_nanos(),
        /// Rayon's own cost of one scope
        scope_amount: calibration.scope.as_nanos(),
    }
}

fn engine(engine: &EngineCost) -> impl Document {
    object! {
        /// Its own cost that was taken off the strands, in nanoseconds
        own_cost_amount: engine.own_cost.shown(),
        /// It, as a share of the work that is left, from 0
        own_cost_share: engine.own_cost_share,
        /// Boundaries between strands for each task created; null when not counted
        boundaries_per_task: engine.boundaries_per_task,
        /// Readings of the clock for each boundary; null when not counted
        clock_reads_per_boundary: engine.clock_reads_per_boundary,
        /// What it counted of itself; keys that end in _nanos and _bytes have that unit. Keys come and go
        /// with versions of workspan
        counts: ByName(&engine.counts),
    }
}

fn baseline(plain: &PlainRuns) -> impl Document {
    object! {
        /// Median elapsed time on one processor, in nanoseconds
        one_ns: plain.one.shown(),
        /// Median elapsed time on all processors, in nanoseconds
        all_ns: plain.all.shown(),
        /// How many processors that were
        processors: plain.processors,
        /// One over all: the median over pairs of runs
        speedup: plain.speedup.ratio.value,
        /// Lower end of its interval
        lower: plain.speedup.ratio.low,
        /// Upper end of its interval
        upper: plain.speedup.ratio.high,
        /// The confidence of that interval: with fewer than six pairs less than 95 %
        confidence: plain.speedup.confidence,
        /// How many pairs there were
        pairs: plain.speedup.rounds,
        /// Work of the profiled run over the time on one processor; where it is more than 1.1, speedups are over
        /// that time and not over the work
        work_ratio: plain.work_ratio,
    }
}

fn assumed_cut(cut: &AssumedCut) -> impl Document {
    let (row, real) = match cut {
        AssumedCut::ChangesWork { row, real } => (Some(*row), Some(real)),
        _ => (None, None),
    };
    let per_piece = match cut {
        AssumedCut::GrowsWork(work) => Some(work.share),
        _ => None,
    };
    object! {
        /// Whether a second run, with iterators cut for the real threads, did other work; false where none was
        /// made
        changes_work: real.is_some(),
        /// Index into `sites` of the site whose work differs most
        site: row,
        /// Work of the second run, in nanoseconds
        work_amount: real.map(|real| real.work.time().shown()),
        /// That of the site's own strands in it, in nanoseconds
        site_work_amount: real.map(|real| real.site_work.time().shown()),
        /// The least share of the samples of the work in what iterators do once for each piece; null where
        /// it is little
        per_piece_share: per_piece,
    }
}

/// Counts, each with its name as the key.
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
struct ByName<'a>(
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, i64>"))]
    &'a [EngineCount],
);

impl Serialize for ByName<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|count| (&count.name, count.value)))
    }
}

pub(super) fn finding(finding: &Finding, analysis: &Analysis) -> impl Document {
    let words = sentences::finding(finding, analysis);
    object! {
        /// Number of the diagnosis
        #[cfg_attr(test, schemars(extend("enum" = workspan_model::Diagnosis::ALL.map(workspan_model::Diagnosis::number))))]
        number: finding.diagnosis().number(),
        /// Name of the diagnosis
        name: finding.diagnosis().name() => Diagnosis,
        /// What it is, where, and the evidence
        text: format!("{} {}", words.text, words.evidence),
        /// What to try; null if nothing is known that fits
        advice: words.advice,
        /// Index into `sites` of the site that it is about
        site: finding.row,
        /// Index into `sites` of the function or region within the site's code that has most of its span;
        /// null if it is the site's own code, or not known
        within: finding.within,
        /// Index into `samples.functions` of the function that the span is made of, where samples tell
        function: finding.function,
        /// Figures that show it; which of them are there depends on the diagnosis
        #[cfg_attr(test, schemars(schema_with = "super::schema::evidence"))]
        evidence: words.figures,
        /// Expected times before and after the change: (work + cost of tasks and of steals) / cores +
        /// burdened span, or + what is done under one lock if that is longer. A greedy schedule takes no
        /// longer
        gain: gain(&finding.gain),
    }
}

pub(super) fn gain(gain: &Gain) -> impl Document {
    let factor = gain.factor;
    object! {
        /// Number of cores
        cores: gain.cores,
        /// Expected time as the program is, in nanoseconds
        now_amount: gain.now.value.shown(),
        /// Expected time after the change, in nanoseconds
        after_amount: gain.after.value.shown(),
        /// `now_ns / after_ns`
        factor: factor.value,
        /// The least that the change brings by these bounds, if it does all it can: 1 by `bounds`. Where code is
        /// to be divided among cores, no run shows how evenly it divides. What
        /// memory and caches take is in none of this
        factor_low: factor.low,
        /// The most that it can bring
        factor_high: factor.high,
        /// What tells of the program after the change: the profile, with the part of the span taken off that
        /// the change is about (`bounds`: at most `factor_high`), or the task dag of the run, changed so
        /// (`what_if`)
        estimate: gain.estimate.name() => EstimatedBy,
    }
}

pub(super) fn functions(functions: &Functions) -> impl Document {
    object! {
        /// Samples asked for in a second of a thread's processor time
        rate_hz: functions.rate,
        /// Why there are no samples, or what limits them
        note: &functions.note,
        /// The samples
        on_work: functions.on_work,
        /// Those on the critical path
        on_span: functions.on_span,
        /// Those during which threads had no strand; the time is that of these threads
        idle: functions.idle,
        /// The functions, those first that the span is made of (`serial`)
        functions: functions.rows.iter().map(function).collect::<Vec<_>>(),
    }
}

fn function(row: &FunctionRow) -> impl Document {
    let hottest = |(index, on_span): (usize, SampleShare)| {
        object! {
            /// Index into `functions`
            function: index,
            /// What of it that function runs
            on_span: on_span,
        }
    };
    object! {
        /// Its readable name; null stands for all that no function of the program's own called
        function: &row.function,
        #[serde(flatten)]
        definition: place_of_function(row.definition.as_ref()),
        /// Whether a spawn site stands in it, or in what it calls
        parallel: row.parallel,
        /// What it runs itself; the standard library and rayon run for the function that called them
        #[serde(rename = "self")]
        own: row.own,
        /// What it runs with all that it calls and spawns
        total: row.total,
        /// What the span is made of: serial functions that parallel ones call, each with all that it calls,
        /// and what parallel functions run themselves. The shares of all functions sum up to 1
        serial: row.serial,
        /// The threads' time without a strand that passed while `serial` ran
        idle: row.idle,
        /// The line that ran or called most of that; null where none certainly did
        idle_line: row.idle_line.as_ref().map(ToString::to_string),
        /// What its own machine code ran: functions inlined into it count as it
        physical_self: row.physical_own,
        /// What its own machine code ran, with all that it calls; what it spawns counts only where it ran on its
        /// stack
        physical_total: row.physical_total,
        /// From where it was called, the most frequent on the span first; recursion folded
        callers: row.callers.iter().map(caller).collect::<Vec<_>>(),
        /// The function that runs most of `serial` on the span itself; null where that is nothing
        hottest: row.hottest.map(hottest),
    }
}

fn caller(caller: &Caller) -> impl Document {
    object! {
        /// The calling function
        function: &caller.function,
        #[serde(flatten)]
        place: place_of_function(caller.location.as_ref()),
        #[serde(flatten)]
        share: caller.share,
    }
}

pub(super) fn lock(lock: &LockRow) -> impl Document {
    let places = lock.places.iter().map(|&(row, held)| {
        object! {
            /// Index into `sites`
            site: row,
            /// For how long it was held from there
            held_amount: held.time().shown(),
        }
    });
    object! {
        /// Sum over the acquisitions of what was done under the lock. No execution takes less time
        held_amount: lock.held.time().shown(),
        /// This as a share of the work
        work_share: lock.work_share,
        /// Work by this time: no number of cores makes the program more times as fast as one
        most_speedup: lock.most_speedup,
        /// How often it was acquired
        acquisitions: lock.acquisitions,
        /// How many of these took longer than a microsecond, on the threads of this run
        waits: lock.waits,
        /// How long all acquisitions took
        waited_ns: lock.waited.shown(),
        /// Where it is acquired, the place that holds it longest first
        places: places.collect::<Vec<_>>(),
    }
}

/// One of several runs.
pub(super) fn run(run: &RunFigures, analysis: &Analysis) -> impl Document {
    object! {
        /// Start, in seconds since 1970-01-01 UTC
        started_at: run.started_at,
        /// Totals over the whole program
        totals: totals(&run.totals, analysis),
    }
}

/// How figures vary over several runs.
pub(super) fn runs_spread(runs: &Runs) -> impl Document {
    object! {
        /// How many runs
        runs: runs.runs.len(),
        /// Index into `runs` of the run with the median span
        shown: runs.shown,
        /// Totals over the whole program
        totals: totals_spread(runs),
        /// The sites, those of the run with the median span first, in its order; matched by kind and
        /// location, or by kind, function and detail where no location is known
        sites: runs.sites.iter().map(site_spread).collect::<Vec<_>>(),
    }
}

fn site_spread(site: &SiteSpread) -> impl Document {
    let row = &site.medians;
    object! {
        /// `file:line:column`; null for the root, and where symbols do not give one
        location: row.location.as_ref().map(ToString::to_string),
        /// What the site does
        kind: row.kind.name() => SiteKind,
        /// Name of the region, or of the function called; of another construct without a place where its code
        /// is: function and offset
        name: &row.name,
        /// The function around it
        function: &row.function,
        /// What was called there
        detail: &row.detail,
        /// In how many runs it was reached; the figures are of those
        runs: site.rows.len(),
        /// Instances
        count: spread(site.spread(|row| row.on_work.count)),
        /// Instances with no outer instance of the site
        top_count: spread(site.spread(|row| row.on_work.top_count)),
        /// Work of the top instances, with all that they wait for, in nanoseconds
        work_amount: spread(site.spread(|row| row.on_work.work.time().shown())),
        /// Sum of the spans of the top instances, in nanoseconds
        span_amount: spread(site.spread(|row| row.on_work.span.time().shown())),
        /// Work of the site's own strands, in nanoseconds
        local_work_amount: spread(site.spread(|row| row.on_work.local_work.time().shown())),
        /// Work / span, over the runs in which a top instance has finished; null when there is none
        parallelism: site.known_spread(|row| row.on_work.parallelism).map(spread),
        /// Voluntary waits in the site's own strands, in nanoseconds
        blocked_ns: spread(site.spread(|row| row.on_work.blocked.shown())),
        /// Tasks that ran on another thread than their spawner
        stolen: spread(site.spread(|row| row.on_work.stolen)),
        /// Tasks created
        spawns: spread(site.spread(|row| row.on_work.spawns)),
        /// Waits for tasks
        syncs: spread(site.spread(|row| row.on_work.syncs)),
        /// Cost of creating and scheduling the site's tasks as a share of its work, from 0
        tasking_overhead: spread(site.spread(|row| row.on_work.tasking_overhead.share)),
        /// Cost of creating and scheduling the site's tasks, in nanoseconds
        tasking_overhead_amount: spread(site.spread(|row| row.on_work.tasking_overhead.time.shown())),
        /// Instances whose start lies on the critical path
        count_on_span: spread(site.spread(|row| row.on_span.count)),
        /// Time of the site's own strands on the critical path, in nanoseconds
        local_span_amount: spread(site.spread(|row| row.on_span.local_span.time().shown())),
        /// That time as a share of the span, from 0
        share_of_span: spread(site.spread(|row| row.on_span.share)),
    }
}

pub(super) fn region(region: &Region) -> impl Document {
    object! {
        #[serde(flatten)]
        named: named(region),
        #[serde(flatten)]
        whole: whole(region),
        /// What the report tells of the whole program, of a part of it
        sum: figures(&region.sum),
        /// Single instances, in the order of their starts; of many the first
        instances: region.instances.iter().map(instance).collect::<Vec<_>>(),
    }
}

fn named(region: &Region) -> impl Document {
    object! {
        /// The name that the program gives it
        name: &region.name,
        #[serde(flatten)]
        place: place(region.location.as_ref()),
        /// The function around it
        function: &region.function,
    }
}

fn whole(region: &Region) -> impl Document {
    object! {
        /// Instances
        count: region.count,
        /// Instances that no other of the region is around, and that ended: those summed up
        top_count: region.top_count,
        /// Time that the program's critical path spent in the region, with all that it waited for, in
        /// nanoseconds
        on_span_amount: region.on_span.time().shown(),
        /// It, as a share of the program's span
        share_of_span: region.share_of_span,
        /// Tasks that ran on another thread than their spawner
        stolen: region.stolen,
        /// Voluntary waits of strands, part of the work, in nanoseconds
        blocked_ns: region.blocked.shown(),
        /// Cost of creating and scheduling tasks as a share of the work, from 0
        tasking_overhead: region.tasking_overhead.share,
        /// Cost of creating and scheduling tasks, in nanoseconds
        tasking_overhead_amount: region.tasking_overhead.time.shown(),
    }
}

fn instance(instance: &InstanceFigures) -> impl Document {
    object! {
        /// When it began, since the program's start, in nanoseconds
        start_ns: instance.start.shown(),
        /// What the report tells of the whole program, of a part of it
        figures: figures(&instance.figures),
    }
}

/// The records of a region: one of its own, and one for each of its instances.
pub(crate) fn region_records(region: &Region) -> impl Iterator<Item = impl Document> {
    let instances = (1..).zip(&region.instances);
    let instances = instances.map(|(number, of)| (Some(number), Some(of.start), &of.figures));
    let all = std::iter::once((None::<u64>, None, &region.sum)).chain(instances);
    all.map(|(number, start, of)| {
        object! {
            #[serde(flatten)]
            named: named(region),
            instance: number,
            start_ns: start.map(Nanos::shown),
            #[serde(flatten)]
            whole: number.is_none().then(|| whole(region)),
            #[serde(flatten)]
            figures: figures(of),
        }
    })
}

fn figures(figures: &RegionFigures) -> impl Document {
    let [parallelism, burdened_parallelism] = figures.parallelisms();
    object! {
        /// Work, with all that is waited for, in nanoseconds
        work_amount: figures.work.time().shown(),
        /// Span, in nanoseconds
        span_amount: figures.span.value.time().shown(),
        /// Span with the burden, in nanoseconds
        burdened_span_amount: figures.burdened_span.value.time().shown(),
        /// Work / span; null without a span
        parallelism: parallelism,
        /// Work / burdened span; null without a span
        burdened_parallelism: burdened_parallelism,
        /// What is known of the span; just the span when the timing is exact
        span_interval: span_interval(figures.span),
        /// What is known of the burdened span
        burdened_span_interval: span_interval(figures.burdened_span),
        /// What is known of the parallelism
        parallelism_interval: parallelism_interval(figures.parallelism),
        /// What is known of the burdened parallelism
        burdened_parallelism_interval: parallelism_interval(figures.burdened_parallelism),
        /// Tasks created, whoever waits for them
        spawns: figures.spawns,
        /// Waits for tasks
        syncs: figures.syncs,
        /// Work / (instances + 2 spawns + syncs), in nanoseconds
        average_strand_amount: figures.average_strand.shown(),
        /// Bounds on the speedup of the region alone; empty without a span
        speedup: figures.speedup.as_slice(),
    }
}

/// A curve, and what it rests on.
pub(crate) fn speedup_curve(curve: &SpeedupCurve) -> impl Document {
    let costs = &curve.costs;
    object! {
        /// The scheduler that was simulated
        scheduler: curve.scheduler.name() => Scheduler,
        /// What scheduling was taken to cost, in nanoseconds
        costs: object! {
            /// For each task, beyond what the recorded strands have of it
            spawn_amount: costs.spawn.as_nanos(),
            /// From the push of a task until a worker that looks for work runs it
            steal_amount: costs.steal.as_nanos(),
            /// A look at a worker that has no task, while another one has
            failed_attempt_amount: costs.failed_attempt.as_nanos(),
            /// From the end of what a worker waits for until it goes on
            hand_back_amount: costs.hand_back.as_nanos(),
            /// In place of both, of a worker that is asleep
            wake_up_amount: costs.wake_up.as_nanos(),
            /// How long a worker looks for work before it falls asleep
            sleep_after_amount: costs.sleep_after.as_nanos(),
        },
        /// Where the costs come from: those of an unknown machine, measured on this one, or some given by the
        /// user
        costs_source: curve.costs_source.name() => CostsSource,
        /// Predictions
        speedup: curve.predictions.iter().map(prediction).collect::<Vec<_>>(),
    }
}

pub(crate) fn prediction(prediction: &Prediction) -> impl Document {
    let median = &prediction.median;
    object! {
        /// Number of cores
        cores: prediction.cores,
        /// Lower bound, as in `speedup`, of the dag
        lower: prediction.bounds.lower,
        /// Median speedup of the runs, over the work
        median: prediction.speedup.value,
        /// The least of a run, also of the dag whose like strands take the same time, if delays may have
        /// lengthened some
        least: prediction.speedup.low,
        /// The greatest of these
        most: prediction.speedup.high,
        /// Upper bound, as in `speedup`, of the dag
        upper: prediction.bounds.upper,
        /// How many runs were simulated
        seeds: prediction.seeds,
        /// Simulated time, in nanoseconds
        time_amount: median.time.shown(),
        /// Share of the workers' time in which they ran strands
        utilisation: median.utilisation,
        /// Time that workers spent on spawning, stealing and going on after waiting, in nanoseconds
        scheduling_amount: median.scheduling.shown(),
        /// Time in which workers had nothing to do, in nanoseconds
        idle_amount: median.idle.shown(),
        /// Time in which a sync was ready whose worker had not come back to it, in nanoseconds
        held_up_amount: median.held_up.shown(),
        /// Tasks stolen
        steals: median.steals,
        /// Attempts to steal that found nothing while there was a task, or came too late
        failed_steals: median.failed_steals,
    }
}
