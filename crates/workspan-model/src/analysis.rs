//! Everything computed from a profile.

use crate::noise::shows_delays;
use crate::{
    Dag, EngineCost, Finding, Functions, LockRow, Metric, Note, Profile, Region, Runs, RuntimeKind,
    SitePathPart, SiteRow, SpeedupBounds, SpeedupCurve, Totals, Verdict, engine_cost, findings,
    functions, lock_rows, notes, paths, regions, runs, site_rows, speedup_table, totals_with_dag,
    verdict,
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
    /// Speedup bounds on 2, 4, … 256 cores and on the assumed count.
    pub speedup: Vec<SpeedupBounds>,
    /// Predicted speedups, one for each entry of `speedup`; `None` without a task dag, or if
    /// simulating it would take too long.
    pub predicted: Option<SpeedupCurve>,
    /// One row per site, including the root, in descending order of share of the span.
    pub sites: Vec<SiteRow>,
    /// What the span of each row consists of, in the order of the rows; `None` if the profile does
    /// not record paths.
    pub paths: Option<Vec<Vec<SitePathPart>>>,
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
    /// The parallel runtime whose terms fit the program, if known.
    pub runtime: Option<RuntimeKind>,
    /// The answer in one sentence.
    pub verdict: Verdict,
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
    let totals = totals_with_dag(profile, dag);
    let sites = site_rows(profile);
    let functions = functions(profile);
    let locks = lock_rows(profile, totals.work, &sites);
    let verdict = verdict(profile, &totals, &sites, &locks, functions.as_ref());
    let findings = findings(
        profile,
        &totals,
        &sites,
        &locks,
        functions.as_ref(),
        &verdict,
        dag,
    );
    let speedup = speedup_table(
        totals.most_speedup(),
        totals.burdened_bound(),
        profile.run.assumed_cores,
    );
    Analysis {
        metric: profile.run.metric.clone(),
        predicted: dag.and_then(|dag| SpeedupCurve::within(&speedup, dag, &profile.run)),
        speedup,
        shows_delays: shows_delays(profile, dag),
        paths: paths(profile, &sites),
        regions: regions(profile),
        notes: notes(profile, &totals, &sites, &findings),
        runs: profile.repetition.as_ref().and_then(runs),
        engine: engine_cost(profile, &totals),
        runtime: profile.runtime(),
        verdict,
        findings,
        totals,
        sites,
        locks,
        functions,
    }
}
