//! Everything computed from a profile.

use crate::noise::{levelled, shows_delays};
use crate::plain_runs::plain_runs;
use crate::profile_totals::totals_levelled;
use crate::sampled_library::{SampledOutside, sampled_outside};
use crate::speedup::is_sufficient;
use crate::{
    AssumedCut, Awaited, Books, Dag, Discrepancy, EngineCost, Estimate, Finding, Functions, Limit,
    LockRow, Metric, Note, PlainRuns, Pools, Profile, Region, Runs, RuntimeKind, SitePathPart,
    SiteRow, Span, SpeedupBounds, SpeedupCurve, SpeedupLimits, Totals, Verdict, assumed_cut, books,
    engine_cost, findings, functions, lock_rows, notes, paths, regions, runs, site_rows, verdict,
};

/// Everything computed from a profile; renderers print it.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// What was measured: the metric of all amounts.
    pub metric: Metric,
    /// Totals over the whole program.
    pub totals: Totals,
    /// Whether the intervals of the totals have two ends in spite of what delayed strands. If not,
    /// for want of a task dag, the span is at most, and the parallelism at least, what they say.
    pub shows_delays: bool,
    /// Where the threads' time went; `None` if not measured.
    pub books: Option<Books>,
    /// What runs of the program without a profile say; `None` without any.
    pub plain: Option<PlainRuns>,
    /// What the cores that the run assumed do to the work; `None` where nothing or not known.
    pub cut: Option<AssumedCut>,
    /// What bounds the speedup over the work.
    pub limits: SpeedupLimits,
    /// Speedup bounds on 2, 4, … 256 cores and on the assumed count, over one core, or over one
    /// thread where that was measured and takes less than the work ([`PlainRuns::over_one_thread`]);
    /// none on more cores than the work was cut for ([`Verdict::cut_for`]), and none where
    /// [something else may decide](Analysis::promises_speedups).
    pub speedup: Vec<SpeedupBounds>,
    /// Predicted speedups, one for each entry of `speedup`; `None` without a task dag, or if
    /// simulating it would take too long.
    pub predicted: Option<SpeedupCurve>,
    /// One row per site, including the root, in descending order of share of the span.
    pub sites: Vec<SiteRow>,
    /// What the span of each row consists of, in the order of the rows; `None` if the profile does
    /// not record paths.
    pub paths: Option<Vec<Vec<SitePathPart>>>,
    /// What tasks waited for.
    pub awaited: Awaited,
    /// Where threads ran most while they had no task, if samples tell.
    pub outside: Option<SampledOutside>,
    /// The program's locks, the longest held first.
    pub locks: Vec<LockRow>,
    /// The named regions of the program, in descending order of share of the span.
    pub regions: Vec<Region>,
    /// Which functions make up the span; present if sampling was on or the profile says why it was
    /// not.
    pub functions: Option<Functions>,
    /// What the reader has to know to interpret the figures.
    pub notes: Vec<Note>,
    /// What keeps the program from being faster, in descending order of gain.
    pub findings: Vec<Finding>,
    /// What the engine itself cost.
    pub engine: EngineCost,
    /// The statistics over several runs, if there were several; everything else is from one of
    /// them.
    pub runs: Option<Runs>,
    /// How the program uses pools of rayon.
    pub pools: Pools,
    /// The most threads seen at once of which nothing was measured; 0 if there are none.
    pub unseen_threads: u32,
    /// Why the program's threads were not measured, where they should have been.
    pub threads_unmeasured: Option<String>,
    /// The parallel runtime whose terms fit the program, if known.
    pub runtime: Option<RuntimeKind>,
    /// The answer in one sentence.
    pub verdict: Verdict,
}

impl Analysis {
    /// A parallelism of the totals, as far as it is known: only at least, if what delays add to the
    /// span is not known.
    pub fn known(&self, parallelism: Estimate<f64>) -> Estimate<f64> {
        let beyond = (!self.shows_delays).then_some(f64::INFINITY);
        parallelism.with(beyond)
    }

    /// Whether the interval of a span of the totals matters: also if what delays add to it is not
    /// known.
    pub fn is_open(&self, span: Estimate<Span>) -> bool {
        span.is_wide() || !self.shows_delays
    }

    /// Whether the run says anything about speedups: otherwise no table and no finding promises
    /// one.
    pub fn tells_speedups(&self) -> bool {
        let changes_work =
            !matches!(self.cut, None | Some(AssumedCut::Unchecked)) && self.plain.is_none();
        self.verdict.limit.tells_speedups() && !changes_work && self.discrepancy().is_none()
    }

    /// Whether work and span tell what speedups to expect, and nothing else may decide.
    pub fn promises_speedups(&self) -> bool {
        let tasks_may_cost_more = matches!(self.verdict.limit, Limit::Migration { .. })
            && self.totals.tasking_overhead.is_costly()
            && self.plain.is_none();
        self.tells_speedups() && !self.verdict.limit.leaves_speedups_open() && !tasks_may_cost_more
    }

    /// Whether a program limited by its small tasks may still use half of the cores, by its burdened
    /// parallelism or because nothing is known.
    pub fn leaves_small_tasks_open(&self) -> bool {
        let bounds = self.verdict.bounds;
        let burdened = self.totals.burdened_parallelism.value;
        bounds.leave_all_open() || is_sufficient(burdened, bounds.cores)
    }

    /// Why the run does not show how the program scales, if work and span do not explain where its
    /// time went.
    pub fn discrepancy(&self) -> Option<(&Books, Discrepancy)> {
        // What was seen of the program itself says more.
        if let Limit::OneStrand
        | Limit::Interrupted
        | Limit::Standstill { .. }
        | Limit::OwnThreads
        | Limit::BetweenPools
        | Limit::Unfollowed { .. }
        | Limit::Turns { .. }
        | Limit::Awaited { .. } = self.verdict.limit
        {
            return None;
        }
        if self.verdict.limit == Limit::Contended && self.awaited.limiting().is_some() {
            return None;
        }
        let books = self.books.as_ref()?;
        let is_unseen = |outside: &&SampledOutside| books.leave_out(outside);
        let unseen = self.outside.as_ref().filter(is_unseen);
        let unseen = unseen.map(|_| Discrepancy::Unseen);
        let discrepancy = unseen.or_else(|| books.discrepancy(self.totals.average_strand))?;
        Some((books, discrepancy))
    }
}

/// Analyses `profile` without a task dag.
///
/// # Panics
/// If the profile is not valid ([`Profile::check`]).
pub fn analyse(profile: &Profile) -> Analysis {
    analyse_with_dag(profile, None)
}

/// Analyses `profile` and, if given, the task dag recorded in the same run.
///
/// # Panics
/// If the profile is not valid ([`Profile::check`]), or the dag is not ([`Dag::check`]).
pub fn analyse_with_dag(profile: &Profile, dag: Option<&Dag>) -> Analysis {
    let levelled = levelled(profile, dag);
    let totals = totals_levelled(profile, levelled.as_ref());
    let sites = site_rows(profile);
    let functions = functions(profile);
    let locks = lock_rows(profile, totals.work, &sites);
    let awaited = crate::awaited(profile, &totals, &sites, &locks);
    let plain = plain_runs(profile, &totals);
    let phases = dag.and_then(|dag| dag.phases(totals.parallelism.high));
    let limits = totals.speedup_limits().in_phases(phases);
    let verdict = verdict(
        profile,
        &totals,
        &sites,
        &locks,
        functions.as_ref(),
        &awaited,
        plain.as_ref(),
        &limits,
    );
    let findings = findings(
        profile,
        &totals,
        &sites,
        &locks,
        functions.as_ref(),
        &awaited,
        &verdict,
        dag,
    );
    let mut speedup = limits.table(profile.run.assumed_cores);
    let books = books(profile, &totals);
    let over_one_thread = plain.as_ref().map_or(1.0, PlainRuns::over_one_thread);
    for bounds in &mut speedup {
        *bounds = bounds.times(over_one_thread);
    }
    if let Some(threads) = verdict.cut_for {
        speedup.retain(|bounds| bounds.cores <= threads);
    }
    let mut analysis = Analysis {
        metric: profile.run.metric.clone(),
        // A simulation of the work that was done is not one of what one thread does.
        predicted: dag
            .filter(|_| !plain.is_some_and(|plain| plain.has_more_work()))
            .and_then(|dag| SpeedupCurve::within(&speedup, dag, levelled.as_ref(), &profile.run)),
        limits,
        speedup,
        shows_delays: shows_delays(profile, levelled.as_ref()),
        paths: paths(profile, &sites),
        regions: regions(profile),
        notes: notes(profile, &totals, &sites, &findings, books.as_ref()),
        runs: profile.repetition.as_ref().and_then(runs),
        engine: engine_cost(profile, &totals),
        books,
        plain,
        cut: assumed_cut(profile, &totals, &sites),
        runtime: profile.runtime(),
        pools: profile.pools(),
        outside: sampled_outside(profile),
        unseen_threads: if profile.has_unseen_threads() {
            profile.run.threads
        } else {
            0
        },
        threads_unmeasured: profile.run.threads_unmeasured.clone(),
        verdict,
        findings,
        totals,
        sites,
        awaited,
        locks,
        functions,
    };
    let is_serial = analysis.verdict.limit == Limit::OneStrand;
    if !analysis.tells_speedups() && !is_serial {
        analysis.findings.clear();
    }
    if !analysis.promises_speedups() && !is_serial {
        analysis.speedup.clear();
        analysis.predicted = None;
    }
    analysis
}
