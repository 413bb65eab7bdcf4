//! Everything computed from a profile.

pub(crate) mod assumed_cores;
pub(crate) mod noise;
pub(crate) mod notes;
pub(crate) mod regions;
pub(crate) mod runs;
pub(crate) mod totals;

use crate::dag::Levelled;
use crate::profile::threads::threads;
use crate::quantity::speedup::is_sufficient;
use crate::sampling::library::{SampledOutside, sampled_outside};
use crate::threads::efficiency::balances;
use crate::threads::placement::{Placement, placement};
use crate::verdict::plain_runs::plain_runs;
use crate::{
    AssumedCut, Awaited, Balance, Books, Ceiling, Claim, Claims, Contender, Dag, Discrepancy,
    EngineCost, Estimate, Finding, Functions, Ledger, Limit, LockRow, Metric, Nanos, Note,
    PlainRuns, Pools, Profile, Reach, Region, Runs, RuntimeKind, SiteKind, SitePathPart, SiteRow,
    Span, SpeedupBounds, SpeedupCurve, SpeedupLimits, Totals, Verdict, assumed_cut, books,
    engine_cost, findings, functions, lock_rows, notes, paths, regions, runs, site_rows, verdict,
};
use noise::{levelled, shows_delays};
use totals::totals_levelled;

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
    /// none on more cores than the work was divided for ([`Verdict::divided_for`]), and none where
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
    /// How evenly parallel regions, loops, sections and named regions were divided among threads;
    /// empty where that isn't known.
    pub balances: Vec<Balance>,
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
    /// How many processors the program's threads had.
    pub placement: Placement,
    /// The most threads seen at once of which nothing was measured; 0 if there are none.
    pub unseen_threads: u32,
    /// Why the program's threads were not measured, where they should have been.
    pub threads_unmeasured: Option<String>,
    /// The parallel runtime whose terms fit the program, if known.
    pub runtime: Option<RuntimeKind>,
    /// On how many cores the recorded tasks leave hardly one idle, if those are more than the run had and
    /// fewer than the answer is for, the longest chain allows no more, and no task is much longer than
    /// the others.
    pub fills: Option<u32>,
    /// The answer in one sentence.
    pub verdict: Verdict,
    /// What that answer claims, as far as the run bears it out.
    pub claims: Claims,
}

/// From this share of the work on, what is done under one lock is a claim of its own, however short
/// it is held at a time.
const MUCH_LOCKED: f64 = 0.25;

/// From this share on, nearly all of a site's work is on the span, or of the cores in use.
const NEARLY_ALL: f64 = 0.9;

/// Tasks count as uneven if, with enough cores, much of the work is done on more than this many times those
/// that they fill.
const FAR_MORE: f64 = 2.0;

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
        self.verdict.limit.tells_speedups() && self.is_of_the_program()
    }

    /// Whether the figures are those of the program, as far as the run shows.
    fn is_of_the_program(&self) -> bool {
        let changes_work =
            !matches!(self.cut, None | Some(AssumedCut::Unchecked)) && self.plain.is_none();
        !changes_work
            && self.held_to().is_none()
            && self.discrepancy().is_none()
            && self.claims.refuted().is_none()
    }

    /// On how many processors the program let its threads run, if each could have had one of its own
    /// otherwise, or the runtime would have had more threads.
    pub fn held_to(&self) -> Option<u32> {
        let is_for_one = self.verdict.divided_for == Some(1);
        let decides = is_for_one || self.placement.crowded().is_some();
        self.placement.held_to.filter(|_| decides)
    }

    /// Whether work and span tell what speedups to expect, and nothing else may decide.
    pub fn promises_speedups(&self) -> bool {
        let tasks_may_cost_more = matches!(self.verdict.limit, Limit::Migration { .. })
            && self.totals.tasking_overhead.is_costly()
            && self.plain.is_none();
        self.tells_speedups() && !self.verdict.limit.leaves_speedups_open() && !tasks_may_cost_more
    }

    /// Whether the program is known to have nothing that runs in parallel.
    fn is_serial(&self) -> bool {
        self.verdict.limit == Limit::OneStrand && self.claims.refuted().is_none()
    }

    /// Whether speedups on numbers of cores are shown: none whose lower bounds plain runs miss.
    pub fn shows_speedups(&self) -> bool {
        let is_missed = self.claims.falls_short().is_some();
        self.promises_speedups() && !is_missed || self.is_serial()
    }

    /// Whether the speedup may be more than its bounds: if the span is what bounds it, and is known at
    /// most.
    pub fn may_be_more(&self) -> bool {
        !self.shows_delays
            && self.totals.most_speedup().high < f64::from(self.verdict.bounds.cores)
            && !matches!(self.verdict.limit, Limit::Lock { .. })
    }

    /// Whether plain runs show that the program certainly has half of what the processors can gain.
    pub fn is_well_used(&self) -> bool {
        let plain = self.plain.as_ref();
        plain.is_some_and(PlainRuns::is_well_used)
    }

    /// Whether threads also wait for one another at what they share, so that the speedup may be less than
    /// work and span allow.
    pub fn is_contended_besides(&self) -> bool {
        let limit = self.verdict.limit;
        // The tasks of these take longer the more there are.
        let is_inflated = matches!(limit, Limit::Inflated { .. });
        is_inflated || limit.is_span() && self.awaited.shares_something() && !self.is_well_used()
    }

    /// What the answer would claim.
    fn wanted_claims(&self) -> Vec<Claim> {
        if !self.is_of_the_program() {
            return Vec::new();
        }
        let Verdict { bounds, limit, .. } = self.verdict;
        let of_span = limit.is_span();
        let mut claims = Vec::new();
        let may_be_more = self.may_be_more();
        let expects = of_span
            || matches!(
                limit,
                Limit::None | Limit::Lock { .. } | Limit::Migration { .. } | Limit::Inflated { .. }
            );
        if expects && self.promises_speedups() {
            claims.push(Claim::Expect {
                cores: bounds.cores,
                lower: Some(bounds.lower).filter(|_| !self.is_contended_besides()),
                upper: Some(bounds.upper).filter(|_| !may_be_more),
            });
        }
        let at_most = |speedup: f64, by: Ceiling| Claim::AtMost {
            speedup,
            by,
            reach: Reach::AnyCores,
        };
        let over_one_thread = self.plain.as_ref().map_or(1.0, PlainRuns::over_one_thread);
        let most = self.totals.most_speedup().high;
        match limit {
            Limit::OneStrand => claims.push(Claim::Serial),
            Limit::Lock { .. } => {
                claims.push(Claim::WaitsForLock);
                claims.push(at_most(most * over_one_thread, Ceiling::Lock));
            }
            Limit::Turns { .. } => claims.push(Claim::WaitsForLock),
            Limit::Migration { .. } => claims.push(Claim::TooFine),
            Limit::Bridge { .. } if self.iterator_limits() => {
                claims.push(at_most(1.0 / self.awaited.bridge_held, Ceiling::Iterator));
            }
            _ if of_span && !may_be_more && most < f64::from(bounds.cores) => {
                claims.push(at_most(most * over_one_thread, Ceiling::Span));
            }
            _ => {}
        }
        if let Some(lock) = self.locks.first().filter(|lock| lock.limits_many_cores()) {
            let is_open = matches!(limit, Limit::None | Limit::Undivided { .. });
            let is_certain = lock.is_held_long() || of_span && lock.work_share >= MUCH_LOCKED;
            if (of_span || is_open) && is_certain {
                claims.push(at_most(lock.most_speedup * over_one_thread, Ceiling::Lock));
            }
        }
        let of_contention = matches!(limit, Limit::Contended | Limit::Slower);
        if of_contention || of_span && self.is_contended_besides() {
            claims.extend(self.contended_claims());
        }
        claims
    }

    /// What is claimed of what threads wait for one another at.
    fn contended_claims(&self) -> Vec<Claim> {
        let cores = self.verdict.bounds.cores;
        let at_most = |speedup: f64, by: Ceiling| Claim::AtMost {
            speedup,
            by,
            reach: Reach::AnyCores,
        };
        match self.awaited.contender() {
            Some(Contender::Lock(lock)) if lock.idles_half(cores) => {
                vec![
                    Claim::WaitsForLock,
                    at_most(lock.most_speedup, Ceiling::Waits),
                ]
            }
            Some(Contender::Lock(_)) => vec![Claim::WaitsForLock],
            Some(Contender::Atomics(_) | Contender::Kernel(_)) => vec![Claim::SharesMemory],
            Some(Contender::Runtime(_)) => vec![Claim::TooFine],
            None => Vec::new(),
        }
    }

    /// Whether what a `par_bridge` does under its lock keeps half of the cores idle.
    fn iterator_limits(&self) -> bool {
        self.awaited.bridge_held * f64::from(self.verdict.bounds.cores) > 2.0
    }

    /// What the run shows for and against its claims.
    fn ledger(&self) -> Ledger {
        let over_one_thread = self.plain.as_ref().map_or(1.0, PlainRuns::over_one_thread);
        let sure = self.plain.as_ref().filter(|plain| plain.speedup.is_sure);
        let measured = sure.map(|plain| (plain.processors, plain.speedup.ratio.ends()));
        let division = self.verdict.division;
        Ledger {
            busy: self.books.as_ref().map(|books| {
                let spinning = self.awaited.spinning_share();
                let useful = books.useful().as_nanos() as f64 * (1.0 - spinning);
                let busy = useful * over_one_thread / (books.elapsed.as_nanos() as f64).max(1.0);
                (books.threads, busy)
            }),
            others: self.books.as_ref().map(|books| {
                let ran = books.ran_without_task();
                let own_code = self
                    .outside
                    .as_ref()
                    .map_or(1.0, |outside| outside.own_code.share.high);
                Nanos::from_nanos_f64(own_code * ran.as_nanos() as f64)
            }),
            elapsed: self.totals.elapsed,
            measured,
            expected: sure.map(|plain| self.limits.on(plain.processors).times(over_one_thread)),
            divided_for: division.threads,
            divided_share: division.share_of_span(&self.totals),
            division_matters: self.verdict.divided_for.is_some(),
        }
    }

    /// Whether the tasks of a site, the threads of its region, or those that it starts, ran one after
    /// another, even if the span is as short as it may be.
    pub fn runs_in_turn(&self, site: &SiteRow) -> bool {
        let (on_span, on_work) = (site.on_span.local_span, site.on_work.local_work);
        let span = self.totals.span;
        let surely = span.low.time().share_of(span.value.time());
        let are_threads = site.kind == SiteKind::Thread && site.on_span.count > 1;
        (site.kind.is_parallel() || are_threads)
            && surely * on_span.time().share_of(on_work.time()) >= NEARLY_ALL
    }

    /// Whether a program limited by its small tasks may still use half of the cores, by the most that its
    /// burdened parallelism may be or because nothing is known.
    pub fn leaves_small_tasks_open(&self) -> bool {
        let bounds = self.verdict.bounds;
        let burdened = self.totals.burdened_parallelism.high;
        bounds.leave_all_open() || is_sufficient(burdened, bounds.cores)
    }

    /// Whether the serial code of the program mostly ran while threads that the main thread had
    /// started were running: it is the main thread's share of their work.
    pub fn overlaps_threads(&self, site: &SiteRow) -> bool {
        let overlap = self.verdict.division.overlap;
        site.kind == SiteKind::Root
            && overlap > Span::ZERO
            && overlap + overlap >= site.on_span.local_span
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

/// [`Analysis::fills`], by a simulation.
///
/// Nothing in a run tells whether more pieces are wanted, if they are even. If one is much longer than the
/// others, there are more already.
fn fills(
    profile: &Profile,
    analysis: &Analysis,
    dag: &Dag,
    levelled: Option<&Levelled<'_>>,
) -> Option<u32> {
    if !analysis.verdict.limit.is_span() {
        return None;
    }
    let parallelism = analysis.totals.parallelism;
    let ends = [parallelism.high, parallelism.value];
    let mut counts = ends.map(|end| end.round() as u32).into_iter();
    counts.find(|&cores| {
        let is_between = cores > threads(profile) && cores < analysis.verdict.bounds.cores;
        is_between && dag.share_above(FAR_MORE * f64::from(cores)) <= 1.0 - NEARLY_ALL && {
            let bounds = [analysis.limits.on(cores)];
            let curve = SpeedupCurve::within(&bounds, dag, levelled, &profile.run);
            let speedup = curve.map_or(0.0, |curve| curve.predictions[0].speedup.value);
            speedup >= NEARLY_ALL * f64::from(cores)
        }
    })
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
    if let Some(threads) = verdict.divided_for {
        speedup.retain(|bounds| bounds.cores <= threads);
    }
    let mut analysis = Analysis {
        metric: profile.run.metric.clone(),
        predicted: None,
        fills: None,
        limits,
        speedup,
        shows_delays: shows_delays(profile, levelled.as_ref()),
        paths: paths(profile, &sites),
        regions: regions(profile),
        notes: notes(profile, &totals, &sites, &findings, books.as_ref()),
        runs: profile.repetition.as_ref().and_then(runs),
        engine: engine_cost(profile, &totals),
        balances: Vec::new(),
        books,
        plain,
        cut: assumed_cut(profile, &totals, &sites),
        runtime: profile.runtime(),
        pools: profile.pools(),
        outside: sampled_outside(profile),
        placement: placement(profile),
        unseen_threads: if profile.has_unseen_threads() {
            profile.run.threads
        } else {
            0
        },
        threads_unmeasured: profile.run.threads_unmeasured.clone(),
        verdict,
        claims: Claims::default(),
        findings,
        totals,
        sites,
        awaited,
        locks,
        functions,
    };
    // What threads were seen to run is not all that they did, or they did not run all the time.
    let leaves_out = analysis
        .discrepancy()
        .is_some_and(|(_, why)| matches!(why, Discrepancy::Unseen | Discrepancy::Stalled));
    if let Some(books) = analysis.books.as_mut().filter(|_| leaves_out) {
        books.efficiency = None;
    }
    let efficiency = analysis.books.and_then(|books| books.efficiency);
    analysis.balances = efficiency.map_or_else(Vec::new, |of| {
        balances(profile, &analysis.sites, of.threads)
    });
    analysis.claims = analysis.ledger().hold(analysis.wanted_claims());
    if !analysis.tells_speedups() && !analysis.is_serial() {
        analysis.findings.clear();
    }
    if analysis.claims.refuted().is_some() {
        // One that is not seen may have been.
        let is_of_all = |note: &Note| *note != Note::NoParallelConstruct;
        analysis.notes.retain(is_of_all);
    }
    if !analysis.shows_speedups() {
        analysis.speedup.clear();
        return analysis;
    }
    // Last, since simulations take longer than all else. That of the work that was done is not one of
    // what one thread does.
    let has_more_work = analysis.plain.is_some_and(|plain| plain.has_more_work());
    if let Some(dag) = dag.filter(|_| !has_more_work) {
        let levelled = levelled.as_ref();
        analysis.predicted = SpeedupCurve::within(&analysis.speedup, dag, levelled, &profile.run);
        analysis.fills = fills(profile, &analysis, dag, levelled);
    }
    analysis
}
