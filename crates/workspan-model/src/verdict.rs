//! The answer in one sentence: does the program scale, and what limits it?

pub(crate) mod claims;
pub(crate) mod plain_runs;

use crate::quantity::speedup::is_sufficient;
use crate::quantity::units::times;
use crate::sampling::library::{LibraryWork, library_work};
use crate::sites::construct::{constructs, rows_of_nodes};
use crate::sites::division::division;
use crate::threads::contention::{serial_code_awaits_tasks, waits_between_threads};
use crate::threads::time::books;
use crate::{
    Awaited, Division, Functions, LockRow, Nanos, PlainRuns, Profile, RuntimeKind, SiteKind,
    SiteRow, Span, SpeedupBounds, SpeedupLimits, Totals, Work, knows_tasking_costs,
};

/// Whether the program scales to a number of cores, and what limits it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// What to expect on the cores that the run assumed, or on the actual ones if it assumed none; on
    /// those that the threads can use, where the work was divided for a number of them.
    pub bounds: SpeedupBounds,
    /// What limits the speedup there.
    pub limit: Limit,
    /// The part of the work that was divided for the number of threads.
    pub division: Division,
    /// These threads, if that part decides: the run says nothing about more cores.
    pub divided_for: Option<u32>,
    /// The function that makes up the span, if the span limits and samples show one: an index into
    /// the rows of functions.
    pub function: Option<usize>,
}

/// What limits the speedup. Rows are indices into the site rows given to [`verdict`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A signal ended the run: its figures are of a part of the program.
    Interrupted,
    /// A signal ended the run after all strands had come to wait, or tasks had waited for most of it.
    Standstill {
        /// The site whose tasks waited longest, if any did.
        row: Option<usize>,
    },
    /// Threads of the program's own ran, or may have, and nothing of them was measured.
    OwnThreads,
    /// The work was cut for a single thread, so that nothing can be told about more cores.
    Cut,
    /// Tasks carried calls to another pool, and waited for them. How many of these run at a time
    /// depends on that pool.
    BetweenPools,
    /// Plain runs were slower on all processors than on one.
    Slower,
    /// There is enough parallelism, but tasks do so much more work than one thread that it does not
    /// help.
    Inflated {
        /// The site with the most work of its own strands.
        row: usize,
    },
    /// Tasks are so short that what they cost is not known, or a large part of the work.
    TaskCost {
        /// The site with the most tasks.
        row: usize,
        /// Whether it is known.
        is_known: bool,
    },
    /// The threads of a parallel region do the work, and nothing in it divides that among them.
    Undivided {
        /// The region with the most work.
        row: usize,
    },
    /// A parallel iterator may end at an item: what other threads do behind that, one would not do.
    Search {
        /// The iterator with the most work.
        row: usize,
    },
    /// Serial code waited for most of the span while tasks ran, likely for what they send, or took
    /// that from a channel. It is followed by no edge, so neither work nor span is that of the program.
    Unfollowed {
        /// The serial code.
        row: usize,
    },
    /// Tasks waited so long that, if it was for one lock, that is what limits.
    Awaited {
        /// The site whose tasks waited longest.
        row: usize,
    },
    /// There may be enough parallelism, but threads waited long for one lock; or much of the work was
    /// sampled at atomic instructions, or in the runtime, and what that does to more threads is not
    /// known; or samples are too few to tell whether it was; or threads hardly ran at the same time; or
    /// plain runs gain little from more processors, and nothing shows why.
    Contended,
    /// The span is known so badly that the bounds say nothing.
    Uncertain {
        /// The site with the largest share of the span.
        row: usize,
    },
    /// No parallel construct was executed, and no thread of the program's own was measured.
    OneStrand,
    /// Nothing yet: at least half of linear speedup is to be expected.
    None,
    /// The cost of moving tasks: the burdened parallelism is less than half of the parallelism.
    Migration {
        /// The site with the most instances on the critical path.
        row: usize,
    },
    /// The work done under one lock, which takes longer than the chain of dependencies.
    Lock {
        /// The site that holds it longest.
        row: usize,
    },
    /// Threads waited long for a lock while no other held it: each for its turn.
    Turns {
        /// The lock, as an index into the rows of locks.
        lock: usize,
        /// The site at which it is held longest.
        row: usize,
    },
    /// The chain of dependencies.
    Span {
        /// The site with the largest share of it.
        row: usize,
    },
    /// The chain of dependencies, at a site that spends at least half of its share in voluntary
    /// waits.
    Waiting {
        /// The site with the largest share of the span.
        row: usize,
    },
    /// The chain of dependencies, at a site that mostly frees memory there.
    Freeing {
        /// The site with the largest share of the span.
        row: usize,
    },
    /// The chain of dependencies, at a site that mostly fills the collection of a parallel iterator
    /// there.
    Collecting {
        /// The site with the largest share of the span.
        row: usize,
    },
    /// The chain of dependencies, at a site that mostly joins there what pieces of a parallel iterator
    /// return.
    Merging {
        /// The site with the largest share of the span.
        row: usize,
    },
    /// The chain of dependencies, at a filter of a pipeline that takes one item after the other.
    SerialFilter {
        /// The site with the largest share of the span.
        row: usize,
    },
    /// The chain of dependencies, at a `par_bridge`: it ran one loop on each actual thread, so the
    /// span says nothing about other numbers of cores.
    Bridge {
        /// The site with the largest share of the span.
        row: usize,
    },
}

impl Limit {
    /// The limit's name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interrupted => "interrupted",
            Self::Standstill { .. } => "standstill",
            Self::OwnThreads => "own_threads",
            Self::Cut => "cut",
            Self::BetweenPools => "between_pools",
            Self::Slower => "slower",
            Self::Contended => "contended",
            Self::Inflated { .. } => "inflated",
            Self::TaskCost { is_known: true, .. } => "task_cost",
            Self::TaskCost { .. } => "unknown_task_cost",
            Self::Undivided { .. } => "undivided",
            Self::Search { .. } => "search",
            Self::Unfollowed { .. } => "unfollowed",
            Self::Awaited { .. } => "awaited",
            Self::Uncertain { .. } => "uncertain",
            Self::Freeing { .. } => "freeing",
            Self::Collecting { .. } => "collecting",
            Self::Merging { .. } => "merging",
            Self::SerialFilter { .. } => "serial_filter",
            Self::OneStrand => "one_strand",
            Self::None => "none",
            Self::Migration { .. } => "migration",
            Self::Lock { .. } => "lock",
            Self::Turns { .. } => "turns",
            Self::Span { .. } => "span",
            Self::Waiting { .. } => "waiting",
            Self::Bridge { .. } => "bridge",
        }
    }

    /// The site that limits, as an index into the site rows.
    pub const fn row(self) -> Option<usize> {
        match self {
            Self::OneStrand
            | Self::None
            | Self::Interrupted
            | Self::OwnThreads
            | Self::Cut
            | Self::BetweenPools
            | Self::Contended
            | Self::Slower => None,
            Self::Standstill { row } => row,
            Self::Migration { row }
            | Self::Inflated { row }
            | Self::TaskCost { row, .. }
            | Self::Undivided { row }
            | Self::Search { row }
            | Self::Unfollowed { row }
            | Self::Awaited { row }
            | Self::Uncertain { row }
            | Self::Freeing { row }
            | Self::Collecting { row }
            | Self::Merging { row }
            | Self::SerialFilter { row }
            | Self::Lock { row }
            | Self::Turns { row, .. }
            | Self::Span { row }
            | Self::Waiting { row }
            | Self::Bridge { row } => Some(row),
        }
    }
}

impl Limit {
    /// Whether the span limits, and what it was seen to be made of is no reason to doubt it.
    pub const fn is_span(self) -> bool {
        matches!(
            self,
            Self::Span { .. }
                | Self::Waiting { .. }
                | Self::Freeing { .. }
                | Self::Collecting { .. }
                | Self::Merging { .. }
                | Self::SerialFilter { .. }
        )
    }

    /// Whether the run says anything about speedups: they are neither shown nor promised otherwise.
    pub const fn tells_speedups(self) -> bool {
        !matches!(
            self,
            Self::OneStrand
                | Self::Interrupted
                | Self::Standstill { .. }
                | Self::OwnThreads
                | Self::Cut
                | Self::BetweenPools
                | Self::Slower
                | Self::Unfollowed { .. }
                | Self::Turns { .. }
        )
    }

    /// Whether work and span are known, but something that is in neither may decide: speedups that
    /// follow from them alone are not shown.
    pub const fn leaves_speedups_open(self) -> bool {
        matches!(
            self,
            Self::Contended
                | Self::Awaited { .. }
                | Self::Search { .. }
                | Self::Undivided { .. }
                | Self::Bridge { .. }
                | Self::TaskCost { .. }
        )
    }
}

/// From this share of the work on, nothing else matters.
const NEARLY_ALL: f64 = 0.9;

/// From this share of the threads' time on, waits that no path shows make their parallelism unknown.
const MUCH_WAITED: f64 = 0.1;

/// What is acquired less often is no lock that tasks share again and again.
const FEW: u64 = 10;

/// Tasks at least this long cost any runtime little.
const LONG_TASK: Nanos = Nanos::from_nanos(10_000);

/// Fewer calls from one pool to another are by the way.
const MANY_CALLS: u64 = 32;

/// The verdict on a profile.
///
/// # Panics
/// If there are no rows.
#[expect(clippy::too_many_arguments, reason = "it weighs all that is known")]
pub fn verdict(
    profile: &Profile,
    totals: &Totals,
    rows: &[SiteRow],
    locks: &[LockRow],
    functions: Option<&Functions>,
    awaited: &Awaited,
    plain: Option<&PlainRuns>,
    limits: &SpeedupLimits,
) -> Verdict {
    let run = &profile.run;
    let division = division(profile, rows);
    let divided_for = division.threads_that_matter(totals);
    let divided_over = |threads| division.cores_for(threads, profile.machine.cores);
    let cores = match divided_for.map_or(run.assumed_cores, divided_over) {
        0 => run.threads.max(profile.machine.cores),
        assumed => assumed,
    };
    let of_work = limits.on(cores);
    let bounds = of_work.times(plain.map_or(1.0, PlainRuns::over_one_thread));
    let one_strand = rows
        .iter()
        .all(|row| row.kind == SiteKind::Root || row.kind.is_serial());
    let is_partial = run.interrupted && !run.is_still_running();
    // What tasks do beyond one thread's work takes a part of the cores, but leaves none idle.
    let half = |bounds: SpeedupBounds| {
        bounds.lower >= f64::from(cores) / 2.0 && limits.allow_nearly_all(cores)
    };
    let is_enough = half(bounds);
    let ran_one_at_a_time =
        || books(profile, totals).is_some_and(|books| books.ran_one_at_a_time());
    // What a lock does to more threads is not known from waits on a few.
    let waits_for_lock =
        awaited.lock.is_some() && !is_sufficient(awaited.likely_most_speedup(), cores);
    let limit = if is_partial && stood_still(totals, awaited) {
        Limit::Standstill { row: awaited.row }
    } else if is_partial {
        Limit::Interrupted
    } else if one_strand && profile.has_unseen_threads() {
        Limit::OwnThreads
    } else if one_strand {
        Limit::OneStrand
    } else if divided_for == Some(1) {
        Limit::Cut
    } else if plain.is_some_and(PlainRuns::is_slower) {
        Limit::Slower
    } else if awaited
        .limiting()
        .is_some_and(|lock| bounds.allow_half() || lock.most_speedup < bounds.upper)
    {
        Limit::Contended
    } else if let Some(row) = awaits_tasks(profile, rows, awaited) {
        Limit::Unfollowed { row }
    } else if profile.pools().between >= MANY_CALLS
        && bounds.allow_half()
        && !plain.is_some_and(PlainRuns::is_well_used)
    {
        Limit::BetweenPools
    } else if let Some(row) = awaited.row.filter(|_| waits_most(awaited, totals)) {
        Limit::Awaited { row }
    } else if bounds.allow_half()
        && awaited.kernel.is_some()
        && awaited.reason.is_none()
        && !awaited.has_lock()
        && !plain.is_some_and(PlainRuns::is_well_used)
    {
        // Waits inside of the kernel for one another show at no address.
        Limit::Contended
    } else if let Some(row) = awaited.row.filter(|_| {
        may_limit(awaited, bounds, locks) && !refutes_one_lock(plain, awaited)
            || is_enough && waits_for_lock && !plain.is_some_and(PlainRuns::is_well_used)
    }) {
        Limit::Awaited { row }
    } else if let Some(row) = awaited
        .row
        .filter(|_| wait_off_path(profile, totals) && bounds.allow_half())
    {
        Limit::Awaited { row }
    } else if let Some((lock, row)) = turns(profile, totals, locks)
        .filter(|_| bounds.allow_half() && !plain.is_some_and(PlainRuns::is_well_used))
    {
        Limit::Turns { lock, row }
    } else if let Some(row) = row_of_costly_tasks(profile, totals, rows)
        .filter(|_| is_enough && !plain.is_some_and(PlainRuns::is_well_used))
    {
        Limit::TaskCost {
            row,
            is_known: knows_tasking_costs(profile),
        }
    } else if let Some(row) = undivided(totals, rows)
        .filter(|_| bounds.allow_half() && row_of_lock(totals, locks).is_none() && plain.is_none())
    {
        Limit::Undivided { row }
    } else if let Some(row) = search(totals, rows).filter(|_| is_enough && plain.is_none()) {
        Limit::Search { row }
    } else if bounds.allow_half()
        && awaited.shares_something()
        && !plain.is_some_and(PlainRuns::is_well_used)
        || is_enough && plain.is_some_and(PlainRuns::gains_little)
        || is_enough && plain.is_none() && (awaited.few_atomics.is_some() || ran_one_at_a_time())
    {
        Limit::Contended
    } else if is_enough {
        Limit::None
    } else if half(of_work) {
        Limit::Inflated {
            row: row_of_most(rows, |row| row.on_work.local_work),
        }
    } else if let Some(row) = row_of_lock(totals, locks) {
        Limit::Lock { row }
    } else if totals.burdened_parallelism.value < totals.parallelism.value / 2.0 {
        Limit::Migration {
            // Calls move no tasks.
            row: row_of_most(rows, |row| (!row.kind.is_serial(), row.on_span.count)),
        }
    } else {
        limit_of_span(profile, rows, bounds)
    };
    let function = match limit {
        Limit::Span { .. } | Limit::SerialFilter { .. } => {
            functions.and_then(Functions::bottleneck)
        }
        _ => None,
    };
    Verdict {
        bounds,
        limit,
        division,
        divided_for,
        function,
    }
}

/// The row that holds the longest-held lock longest, if that lock limits the speedup more than the
/// burdened span does.
fn row_of_lock(totals: &Totals, locks: &[LockRow]) -> Option<usize> {
    let longest = locks.first()?;
    let limits = longest.held.time() > totals.burdened_span.value.time();
    limits.then_some(longest.places.first()?.0)
}

/// The lock that threads waited for longest while no other held it, each for its turn, and its row,
/// if that takes half of what they gain. Where P run one after another, they wait for (P − 1)·E/2 in
/// all. With too few processors, a holder may just not have run.
fn turns(profile: &Profile, totals: &Totals, locks: &[LockRow]) -> Option<(usize, usize)> {
    let ran = profile.threads_that_ran().unwrap_or(0);
    let threads = u32::try_from(ran)
        .unwrap_or(u32::MAX)
        .max(profile.run.threads);
    let others = threads.saturating_sub(1);
    let in_turn = |lock: &LockRow| lock.waited - times(lock.held.time(), others);
    let contended = locks
        .iter()
        .enumerate()
        // In an ordered loop in blocks, each thread waits but once.
        .filter(|(_, lock)| lock.waits > 0 && lock.acquisitions >= FEW);
    let (at, lock) = contended.max_by_key(|(_, lock)| in_turn(lock))?;
    let is_long = in_turn(lock).as_nanos() >= times(profile.run.elapsed, others).as_nanos() / 4;
    let had_processors = books(profile, totals).is_some_and(|books| books.share_taken().is_none());
    (is_long && had_processors).then_some((at, lock.places.first()?.0))
}

/// Whether all strands waited at the end of the run, or tasks did little else for most of it.
fn stood_still(totals: &Totals, awaited: &Awaited) -> bool {
    let twice = awaited.blocked + awaited.blocked;
    let waited = twice >= totals.elapsed && twice >= totals.work.time();
    awaited.standstill.is_some() || waited && awaited.row.is_some()
}

/// The serial code, if it makes up the span, and waits for tasks for most of it, because they ran
/// meanwhile, or send what it waits for; or if it takes what they send for most of it.
fn awaits_tasks(profile: &Profile, rows: &[SiteRow], awaited: &Awaited) -> Option<usize> {
    let row = row_of_most(rows, |row| row.on_span.local_span);
    let (on_span, on_work) = (&rows[row].on_span, &rows[row].on_work);
    let is_serial = rows[row].kind == SiteKind::Root && profile.run.metric.is_time();
    let waits = mostly_waits(on_span.local_span, on_work.local_work, on_work.blocked);
    let waits = waits && serial_code_awaits_tasks(profile, on_work.blocked);
    (is_serial && (waits || awaited.receives)).then_some(row)
}

/// Whether tasks sleep, or wait for messages, for most of their time.
fn waits_most(awaited: &Awaited, totals: &Totals) -> bool {
    let twice = awaited.blocked + awaited.blocked;
    awaited.reason.is_some() && totals.blocked > Nanos::ZERO && twice >= totals.work.time()
}

/// Whether plain runs were certainly faster than one lock for all waits would allow.
fn refutes_one_lock(plain: Option<&PlainRuns>, awaited: &Awaited) -> bool {
    let sure = plain.filter(|plain| plain.speedup.is_sure);
    sure.is_some_and(|plain| plain.speedup.ratio.low > awaited.most_speedup())
}

/// Whether the waits of tasks limit the program, if all of them are for one lock. Locks that were
/// recorded say how long they are held.
fn may_limit(awaited: &Awaited, bounds: SpeedupBounds, locks: &[LockRow]) -> bool {
    let most = awaited.most_speedup();
    locks.is_empty() && most < f64::from(bounds.cores) / 2.0 && most < bounds.upper
}

/// Whether the threads of a program without a runtime waited for one another for much of their time:
/// no path shows those waits.
fn wait_off_path(profile: &Profile, totals: &Totals) -> bool {
    let waited = waits_between_threads(profile);
    waited.share_of(totals.work.time() + waited) >= MUCH_WAITED
}

/// The parallel region whose threads do nearly all of the work outside of loops and tasks, where each
/// may do the same as the others.
fn undivided(totals: &Totals, rows: &[SiteRow]) -> Option<usize> {
    let row = row_of_most(rows, |row| row.on_work.local_work);
    let work = rows[row].on_work.local_work;
    let share = work.time().share_of(totals.work.time());
    (rows[row].kind == SiteKind::Parallel && share >= NEARLY_ALL).then_some(row)
}

/// Parallel iterators that end at the first item that decides.
const SEARCHES: [&str; 4] = ["find", "position", "any", "all"];

/// The parallel iterator with most of the work, if it looks for a match.
fn search(totals: &Totals, rows: &[SiteRow]) -> Option<usize> {
    let row = row_of_most(rows, |row| row.on_work.local_work);
    let work = rows[row].on_work.local_work;
    let name = rows[row].detail.as_deref()?.rsplit("::").next()?;
    let is_search = SEARCHES.iter().any(|search| name.starts_with(search));
    (rows[row].kind == SiteKind::ParIter && is_search && work + work >= totals.work).then_some(row)
}

/// The site with the most tasks, if they are short and what one costs is not known, or a large part
/// of the work.
fn row_of_costly_tasks(profile: &Profile, totals: &Totals, rows: &[SiteRow]) -> Option<usize> {
    let is_short = totals.spawns > 0 && {
        let work = totals.work.time().shown() as f64;
        work / (totals.spawns as f64) < LONG_TASK.shown() as f64
    };
    let is_costly = if knows_tasking_costs(profile) {
        totals.tasking_overhead.is_costly()
    } else {
        is_short
    };
    (is_costly && profile.run.metric.is_time())
        .then(|| row_of_most(rows, |row| (row.kind.is_parallel(), row.on_work.spawns)))
}

fn limit_of_span(profile: &Profile, rows: &[SiteRow], bounds: SpeedupBounds) -> Limit {
    if let Some(row) = row_of_bridge(profile, rows) {
        return Limit::Bridge { row };
    }
    let row = row_of_most(rows, |row| row.on_span.local_span);
    let (on_span, on_work) = (&rows[row].on_span, &rows[row].on_work);
    let row_of_node = rows_of_nodes(profile, rows);
    let is_half = on_span.share >= 0.5;
    if mostly_waits(on_span.local_span, on_work.local_work, on_work.blocked) {
        Limit::Waiting { row }
    } else if bounds.leave_all_open() {
        Limit::Uncertain { row }
    } else {
        match library_work(profile, |node| row_of_node[node.index()] == row) {
            Some(LibraryWork::Frees) => Limit::Freeing { row },
            Some(LibraryWork::Collects) if !rows[row].kind.is_parallel() => {
                Limit::Collecting { row }
            }
            Some(LibraryWork::Merges) if is_half => Limit::Merging { row },
            _ if is_half
                && profile.runtime() == Some(RuntimeKind::Tbb)
                && rows[row].name.as_deref() == Some(SiteRow::SERIAL_FILTER) =>
            {
                Limit::SerialFilter { row }
            }
            _ => Limit::Span { row },
        }
    }
}

/// The row with the largest share of the span, where calls and regions count with the construct
/// that they run in, if it is a `par_bridge`.
fn row_of_bridge(profile: &Profile, rows: &[SiteRow]) -> Option<usize> {
    let bridges = rows.iter().any(|row| row.kind == SiteKind::ParBridge);
    if !bridges {
        return None;
    }
    let constructs = constructs(profile, rows);
    let most = (0..rows.len())
        .rev()
        .max_by_key(|&row| constructs[row].span)?;
    (rows[most].kind == SiteKind::ParBridge).then_some(most)
}

/// Whether strands with this work waited for at least half of their time on the critical path.
///
/// Waits are known only for all strands together. Those off the path are assumed to have done
/// nothing but wait, so what is left was certainly on the path.
pub(crate) fn mostly_waits(on_path: Span, work: Work, blocked: Nanos) -> bool {
    let on_path = on_path.time();
    let off_path = work.time() - on_path;
    let waited = blocked - off_path.max(Nanos::ZERO);
    waited > Nanos::ZERO && waited + waited >= on_path
}

fn row_of_most<K: Ord>(rows: &[SiteRow], key: impl Fn(&SiteRow) -> K) -> usize {
    let rows = rows.iter().enumerate().rev();
    rows.max_by_key(|(_, row)| key(row))
        .expect("the root has a row")
        .0
}

#[cfg(test)]
mod tests;
