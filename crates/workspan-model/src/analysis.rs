//! All that follows from a profile.

use crate::{
    Dag, EngineCost, Finding, Functions, LockRow, Metric, Note, Profile, Region, Runs, RuntimeKind,
    SitePathPart, SiteRow, SpeedupBounds, SpeedupCurve, Totals, Verdict, engine_cost, findings,
    functions, lock_rows, notes, paths, regions, runs, site_rows, speedup_table, totals, verdict,
};

/// All that follows from a profile; what renderers print.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// What the amounts are of.
    pub metric: Metric,
    /// Totals over the whole program.
    pub totals: Totals,
    /// Speedup bounds on 2, 4, … 256 cores and on the assumed count.
    pub speedup: Vec<SpeedupBounds>,
    /// Predicted speedups, one for each of these bounds; `None` without a task dag, and with one that takes too long.
    pub predicted: Option<SpeedupCurve>,
    /// One row a site, the largest share of the span first; the root's among them.
    pub sites: Vec<SiteRow>,
    /// What the span of each row is made up of, in the order of the rows; `None` where the profile does not tell.
    pub paths: Option<Vec<Vec<SitePathPart>>>,
    /// The program's locks, the one that was held longest first.
    pub locks: Vec<LockRow>,
    /// The regions that the program names, the largest share of the span first.
    pub regions: Vec<Region>,
    /// Which functions make up the span, if sampling was on or says why it was not.
    pub functions: Option<Functions>,
    /// What the reader has to know to read the figures right.
    pub notes: Vec<Note>,
    /// What keeps the program from being faster, the greatest gain first.
    pub findings: Vec<Finding>,
    /// What the engine cost that measured it.
    pub engine: EngineCost,
    /// What several runs say together, when there were several; all else is of one of them.
    pub runs: Option<Runs>,
    /// The parallel runtime whose words fit the program, where known.
    pub runtime: Option<RuntimeKind>,
    /// The answer in one sentence.
    pub verdict: Verdict,
}

/// Analyses `profile`, of which no task dag is known.
///
/// # Panics
/// When the profile is not valid ([`Profile::check`]).
pub fn analyse(profile: &Profile) -> Analysis {
    analyse_with_dag(profile, None)
}

/// Analyses `profile`, and the task dag that was recorded in the same run.
///
/// # Panics
/// When the profile is not valid ([`Profile::check`]), or the dag ([`Dag::check`]).
pub fn analyse_with_dag(profile: &Profile, dag: Option<&Dag>) -> Analysis {
    let totals = totals(profile);
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
        predicted: dag.and_then(|dag| SpeedupCurve::beside(&speedup, dag, &profile.run)),
        speedup,
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
