//! The three answers that a first-time reader needs, a sentence each.

use workspan_model::{
    Analysis, Awaited, Ceiling, Limit, Location, Nanos, RuntimeKind, SiteKind, SiteRow, Standstill,
    WaitCause, Work,
};

use super::answer::{Enough, Short, SiteAnswer};
use super::contention::{
    at_lock, certain_lock, contention, held, lacks_processors, likely, limits_besides,
    little_gained, one_at_a_time, reason, threads_waited, too_few,
};
use super::{
    COLLECTING, FREEING, MERGING, ONE_BY_ONE, by_samples, division, never_more, plain,
    share_of_span_below, speedup, within,
};
use crate::notation::figures::{
    amount_in_words, counted, duration, grouped, interval, percent, ratio,
};
use crate::notation::place::{code_of, function_and_line, kind_and_name, phrase};

/// Is the parallelism enough for the cores of the verdict?
pub(crate) fn enough_parallelism(analysis: &Analysis) -> Enough {
    match (&analysis.plain, analysis.verdict.limit) {
        (Some(plain), Limit::Slower) => return plain::slower(analysis, plain),
        (Some(plain), Limit::Inflated { .. }) if analysis.claims.refuted().is_none() => {
            return plain::inflated(analysis, plain);
        }
        _ => {}
    }
    let withheld = (super::placement::held(analysis).map(|text| (Short::Other(HELD), text)))
        .or_else(|| {
            let (books, discrepancy) = analysis.discrepancy()?;
            let short = match super::placement::crowded(analysis, discrepancy) {
                Some(_) => Short::Other(CROWDED),
                None => Short::CannotTell,
            };
            Some((short, super::books::seen(analysis, books, discrepancy)))
        })
        .or_else(|| {
            let text = super::cut::changes_work(analysis);
            let text = text.or_else(|| super::claims::contradicted(analysis));
            text.map(|text| (Short::CannotTell, text))
        });
    if let Some((short, text)) = withheld {
        return Enough {
            is_enough: None,
            short,
            text,
        };
    }
    let verdict = &analysis.verdict;
    let cores = counted(verdict.bounds.cores.into(), "core", "cores");
    let parallelism = super::parallelism(analysis);
    let expected = speedup(analysis);
    let limiting_lock = analysis.awaited.limiting();
    let short_of = lacks_processors(analysis);
    let shortfall = super::claims::shortfall(analysis);
    let most_under_lock = analysis.claims.most(Ceiling::Lock);
    let is_promised = short_of.is_none() && shortfall.is_none();
    let (is_enough, short, text) = match verdict.limit {
        Limit::OneStrand if ran_as_one_piece(analysis) => (
            Some(false),
            Short::NoneAtAll,
            "No parallel construct of rayon made a task. If a parallel iterator ran, it ran as one piece: it had one item, or \
             `with_min_len` exceeds half of its length."
                .to_owned(),
        ),
        Limit::OneStrand if analysis.pools.installed > 0 => (
            Some(false),
            Short::NoneAtAll,
            format!(
                "`install` carried {} to a pool, and each caller waited for its own; none divided its work, so none used \
                 more than one thread.",
                counted(analysis.pools.installed, "call", "calls"),
            ),
        ),
        Limit::OneStrand if analysis.runtime == Some(RuntimeKind::Threads) => (
            Some(false),
            Short::NoneAtAll,
            "The program ran as one strand: it started no thread, so more cores cannot make it faster.".to_owned(),
        ),
        Limit::OneStrand => (
            Some(false),
            Short::NoneAtAll,
            format!(
                "The program ran as one strand: no {} made a task, so more cores cannot make it faster.",
                super::construct(analysis.runtime)
            ),
        ),
        Limit::None => (
            Some(true).filter(|_| {
                is_promised && verdict.divided_for.is_none() && most_under_lock.is_none()
            }),
            match verdict.divided_for {
                _ if !is_promised => Short::Perhaps,
                _ if let Some(most) = most_under_lock => {
                    Short::UpTo(verdict.bounds.cores.min(most as u32))
                }
                Some(_) => Short::Beyond(verdict.bounds.cores),
                None => Short::Yes,
            },
            format!(
                "A parallelism of {parallelism} is enough for {cores}: expect {expected}{}{}.{}{}{}",
                if analysis.is_well_used() {
                    ""
                } else {
                    ", as far as memory and caches keep up"
                },
                under_lock(analysis).unwrap_or_else(|| division(verdict.divided_for)),
                shortfall.clone().unwrap_or_default(),
                on_many_cores(analysis),
                child_processes(analysis),
            ),
        ),
        Limit::Migration { row } => (
            Some(false).filter(|_| !analysis.leaves_small_tasks_open()),
            if analysis.leaves_small_tasks_open() {
                Short::PerhapsNot("with tasks this small")
            } else {
                Short::Not("with tasks this small")
            },
            format!(
                "{}, but what it costs to move tasks to other cores leaves {}{}. Of the moves that count {} are of {}.",
                if analysis.totals.parallelism.value >= f64::from(verdict.bounds.cores) {
                    format!("A parallelism of {parallelism} would do")
                } else {
                    format!("The parallelism is {parallelism}")
                },
                ratio(analysis.totals.burdened_parallelism.value),
                match analysis.promises_speedups() {
                    true => format!(": on {cores} expect {expected}"),
                    false => format!(
                        ", and making tasks is {} of the work: one thread may take much less",
                        percent(analysis.totals.tasking_overhead.share)
                    ),
                },
                grouped(analysis.sites[row].on_span.count),
                phrase(&analysis.sites[row]),
            ),
        ),
        Limit::Lock { row } => (
            Some(false),
            Short::Not(WITH_THIS_LOCK),
            format!(
                "The parallelism is {parallelism}, but {} of the work is done under the lock of {}, by one thread after the \
                 other: on {cores} expect {expected}{}.",
                percent(
                    analysis
                        .totals
                        .locked
                        .time()
                        .share_of(analysis.totals.work.time())
                ),
                phrase(&analysis.sites[row]),
                never_more(analysis),
            ),
        ),
        Limit::Turns { lock, row } => (
            Some(false),
            match analysis.sites[row].kind {
                SiteKind::Ordered => Short::Not("in this order"),
                _ => Short::Not(WITH_THIS_LOCK),
            },
            format!(
                "The parallelism is {parallelism}, but threads waited {} for their turn at {}, which is held for {} in all: the \
                 run took {} for {} of work.",
                duration(analysis.locks[lock].waited),
                phrase(&analysis.sites[row]),
                duration(analysis.locks[lock].held.time()),
                duration(analysis.totals.elapsed),
                duration(analysis.totals.work.time()),
            ),
        ),
        limit if limit.is_span() && is_open(analysis) => (
            None,
            Short::Perhaps,
            format!(
                "The parallelism is {parallelism}: on {cores} expect {expected}{}.",
                under_lock(analysis).unwrap_or_else(|| division(verdict.divided_for)),
            ),
        ),
        Limit::Span { .. }
        | Limit::Waiting { .. }
        | Limit::Freeing { .. }
        | Limit::Collecting { .. }
        | Limit::Merging { .. }
        | Limit::SerialFilter { .. } => (
            Some(false),
            analysis.fills.map_or(Short::No, Short::UpTo),
            format!(
                "The parallelism is {parallelism}: on {cores} expect {expected}{}.{}{}",
                never_more(analysis),
                match analysis.fills {
                    Some(fills) => format!(
                        " On {fills} cores nearly all are busy, as far as memory and caches keep up."
                    ),
                    None => String::new(),
                },
                serial_child_processes(analysis),
            ),
        ),
        Limit::Uncertain { .. } => (
            None,
            Short::CannotTell,
            format!(
                "On {cores} it may be anything from {} to {} times as fast as on one.",
                ratio(verdict.bounds.lower),
                ratio(verdict.bounds.upper)
            ),
        ),
        Limit::Interrupted => (
            None,
            Short::Other("The run was interrupted"),
            format!(
                "A signal ended it after {}: what it did until then says nothing about the whole program.",
                duration(analysis.totals.elapsed),
            ),
        ),
        Limit::Standstill { row } => (
            None,
            Short::Other("The program stood still"),
            format!(
                "A signal ended it after {}; {}.",
                duration(analysis.totals.elapsed),
                match (&analysis.awaited.standstill, row) {
                    (Some(standstill), _) => standing(standstill),
                    (None, Some(row)) => format!(
                        "for most of that, tasks waited, longest in {}{}",
                        phrase(&analysis.sites[row]),
                        at_lock(analysis)
                    ),
                    (None, None) => "for most of that, tasks waited".to_owned(),
                },
            ),
        ),
        Limit::OwnThreads if analysis.threads_unmeasured.is_some() => (
            None,
            Short::CannotTell,
            "The program can start threads itself, and none was measured.".to_owned(),
        ),
        Limit::OwnThreads => (
            None,
            Short::CannotTell,
            format!(
                "{} ran outside of any task. workspan measures tasks of rayon, OpenMP, oneTBB and \
                 Cilk, and the program ran none.",
                counted(analysis.unseen_threads.into(), "thread", "threads"),
            ),
        ),
        Limit::BetweenPools => (
            None,
            Short::CannotTell,
            format!(
                "Tasks carried {} to another pool by `install`, and waited for them: how many of these can run at a time, the run \
                 does not show.",
                counted(analysis.pools.between, "call", "calls"),
            ),
        ),
        Limit::Cut => (
            None,
            Short::CannotTell,
            if analysis.pools.own.is_some() {
                "Its iterators ran in a pool for which the program chose 1 thread, and were cut for that, so nothing can be told \
                 about more cores."
            } else {
                "Its loops were cut for 1 thread, so nothing can be told about more cores."
            }
            .to_owned(),
        ),
        Limit::TaskCost { row, is_known } => (
            None,
            Short::CannotTell,
            format!(
                "The parallelism is {parallelism}, but a task takes {} on average, most tasks being those of {}, and {}",
                amount_in_words(task(analysis), &analysis.metric),
                phrase(&analysis.sites[row]),
                if is_known {
                    format!(
                        "making them is {} of the work: without them, one thread may take much less than that work.",
                        percent(analysis.totals.tasking_overhead.share)
                    )
                } else {
                    "what it costs this runtime to make one is not known: it may cost more than it saves.".to_owned()
                },
            ),
        ),
        Limit::Undivided { row } if analysis.sites[row].may_divide_by_code() => (
            None,
            Short::Perhaps,
            format!(
                "Each thread of {} asks for its number, as code does that divides its work (gcc makes such code of a static loop): \
                 if it does, expect {expected} on {cores}{}.",
                phrase(&analysis.sites[row]),
                under_lock(analysis).unwrap_or_else(|| division(verdict.divided_for)),
            ),
        ),
        Limit::Undivided { row } => (
            None,
            Short::CannotTell,
            format!(
                "Each thread of {} runs its code, and no loop or task divides it, as far as the runtime tells: if all of them do \
                 the same, more threads are no faster.",
                phrase(&analysis.sites[row]),
            ),
        ),
        Limit::Search { row } => (
            None,
            Short::CannotTell,
            format!(
                "The parallelism is {parallelism}, but {} ends at the first item that decides: one thread does nothing behind that \
                 item, but more threads do, and may take no less time.",
                phrase(&analysis.sites[row]),
            ),
        ),
        Limit::Unfollowed { .. } if analysis.awaited.receives => (
            None,
            Short::PerhapsNot("with messages this small"),
            format!(
                "On the critical path the serial code mostly takes messages from a channel, one after the other, and hardly waits \
                 for them: the receiver is the limit, and more threads that send{} are no faster.",
                sent_at(&analysis.awaited)
                    .map_or_else(String::new, |line| format!(", as at {line},")),
            ),
        ),
        Limit::Unfollowed { row } => (
            None,
            Short::CannotTell,
            format!(
                "The serial code waited {}{} while {tasks} ran, likely for what they send. That is not followed, so neither work \
                 nor span is known: the {tasks} themselves ran for {}.",
                duration(analysis.sites[row].on_work.blocked),
                (analysis.awaited.received_at.as_ref())
                    .map_or_else(String::new, |line| format!(", most at {line},")),
                duration(time_of_tasks(analysis, &analysis.sites[row])),
                tasks = match analysis.runtime {
                    Some(RuntimeKind::Threads) => "threads",
                    _ => "tasks",
                },
            ),
        ),
        Limit::Awaited { .. } if analysis.awaited.reason.is_some() => (
            None,
            Short::CannotTell,
            format!(
                "The parallelism is {parallelism}, but {}.",
                reason(analysis).unwrap_or_default()
            ),
        ),
        Limit::Awaited { .. } if analysis.runtime == Some(RuntimeKind::Threads) => (
            None,
            Short::CannotTell,
            format!(
                "The parallelism is {parallelism}, but its threads together waited {}, and this run does not show how much of that is on the \
                 longest chain.",
                duration(analysis.awaited.blocked),
            ),
        ),
        Limit::Awaited { row } if !analysis.awaited.has_lock() => (
            None,
            Short::CannotTell,
            format!(
                "The parallelism is {parallelism}, but tasks waited {}, longest in {}; the run does not show for what: sleep, \
                 input and output, a channel or a lock. If {} is for one lock, expect a speedup of at most {}.{}",
                duration(analysis.awaited.blocked),
                phrase(&analysis.sites[row]),
                waits_for_one_lock(&analysis.awaited),
                ratio(analysis.awaited.most_speedup()),
                child_processes(analysis),
            ),
        ),
        Limit::Awaited { row } => (
            None,
            if analysis.awaited.least_held >= CERTAINLY_HELD {
                Short::Not(WITH_THIS_LOCK)
            } else if analysis.awaited.most_speedup() < f64::from(verdict.bounds.cores) / 2.0 {
                Short::PerhapsNot(WITH_THIS_LOCK)
            } else {
                Short::CannotTell
            },
            format!(
                "The parallelism is {parallelism}, but tasks waited {}, longest in {}{}. If {} was for one lock, {} of the work \
                 is done under it: a speedup of {} on any number of cores.",
                duration(analysis.awaited.blocked),
                phrase(&analysis.sites[row]),
                at_lock(analysis),
                waits_for_one_lock(&analysis.awaited),
                held(&analysis.awaited),
                likely(
                    "at most",
                    ratio(analysis.awaited.most_speedup()),
                    ratio(analysis.awaited.likely_most_speedup()),
                ),
            ),
        ),
        Limit::Contended => (
            certain_lock(analysis).map(|_| false),
            match limiting_lock {
                Some(lock) if certain_lock(analysis).is_some() => match lock.is_initialisation {
                    true => Short::Not(WITH_THIS_INITIALISATION),
                    false => Short::Not(WITH_THIS_LOCK),
                },
                Some(lock) if lock.is_initialisation => Short::PerhapsNot(WITH_THIS_INITIALISATION),
                Some(lock) if !lock.is_starved => Short::PerhapsNot(WITH_THIS_LOCK),
                _ => Short::CannotTell,
            },
            format!(
                "The parallelism is {parallelism}, but {}.",
                contention(analysis)
                    .or_else(|| little_gained(analysis))
                    .or_else(|| one_at_a_time(analysis))
                    .or_else(|| analysis.awaited.few_atomics.as_ref().map(too_few))
                    .unwrap_or_default()
            ),
        ),
        Limit::Slower | Limit::Inflated { .. } => {
            unreachable!("only plain runs show these limits")
        }
        Limit::Bridge { row } if iterator_limits(analysis) => (
            Some(false),
            Short::Not("with this iterator"),
            format!(
                "At least {} of the work is in the iterator that feeds {}, which only one thread at a time can call: at most {} times \
                 as fast on any number of cores.",
                percent(analysis.awaited.bridge_held),
                phrase(&analysis.sites[row]),
                ratio(analysis.claims.most(Ceiling::Iterator).unwrap_or(f64::INFINITY)),
            ),
        ),
        Limit::Bridge { row } => (
            None,
            Short::CannotTell,
            format!(
                "{} of the span is code run by {}, which runs one loop on each real thread, so the parallelism of \
                 {} is that of the threads of this run, not of the program.",
                percent(share_of_span_below(analysis, &analysis.sites[row])),
                phrase(&analysis.sites[row]),
                ratio(analysis.totals.parallelism.value),
            ),
        ),
    };
    let unchecked = (is_enough != Some(false)).then(|| super::cut::unchecked(analysis));
    Enough {
        is_enough,
        short,
        text: text
            + &unchecked.unwrap_or_default()
            + &limits_besides(analysis)
            + &threads_waited(analysis).unwrap_or_default()
            + &short_of.unwrap_or_default(),
    }
}

/// What a run says that had to do with fewer processors than there are.
const HELD: &str = "Held to too few processors to tell";
/// What one says whose threads outnumbered the processors.
const CROWDED: &str = "Too many threads to tell";

const WITH_THIS_LOCK: &str = "with this lock";

const WITH_THIS_INITIALISATION: &str = "with this initialisation";

/// The cores of a machine that a program may have to grow to.
const MANY_CORES: u32 = 64;

/// What to expect on more cores than the program was judged for, if that is less than half of them.
/// Iterators of rayon were cut for fewer.
fn on_many_cores(analysis: &Analysis) -> String {
    let beyond = analysis.speedup.iter().find(|at| {
        at.cores == MANY_CORES && at.cores > analysis.verdict.bounds.cores && !at.allow_half()
    });
    let beyond = beyond.filter(|_| analysis.runtime != Some(RuntimeKind::Rayon));
    beyond.map_or_else(String::new, |at| {
        let expected = within(Some(at.lower), at.upper);
        let with = match has_pipeline(analysis) {
            true => ", with the pipeline's present limit on items under way",
            false => "",
        };
        format!(" On {MANY_CORES} cores expect only {expected}{with}.")
    })
}

/// Whether a pipeline of oneTBB ran, which has a greatest number of items under way.
fn has_pipeline(analysis: &Analysis) -> bool {
    analysis.runtime == Some(RuntimeKind::Tbb) && analysis.sites.iter().any(SiteRow::is_filter)
}

/// Whether the limit on a pipeline's items under way makes its span: then that is a chain of items,
/// each of which began when an earlier one had ended.
pub(super) fn pipeline_limits(analysis: &Analysis) -> bool {
    let most = (analysis.sites.iter()).max_by_key(|row| row.on_span.local_span);
    let is_chain = most.is_some_and(|row| {
        let span = &row.on_span;
        row.name.as_deref() == Some(SiteRow::PARALLEL_FILTER)
            && span.share > 0.5
            && span.count >= 10
    });
    is_chain
        && match analysis.verdict.limit {
            Limit::Span { .. } => true,
            Limit::None => !on_many_cores(analysis).is_empty(),
            _ => false,
        }
}

/// Whether rayon was asked for its threads, as an iterator does, but nothing was cut.
pub(super) fn ran_as_one_piece(analysis: &Analysis) -> bool {
    analysis.verdict.limit == Limit::OneStrand && analysis.pools.asked_for_threads
}

/// From this share of the work on that is done under a lock at least, one line is taken for one lock;
/// below, it may be many.
const CERTAINLY_HELD: f64 = 0.1;

/// Whether what a `par_bridge` does under its lock is claimed to limit.
pub(super) fn iterator_limits(analysis: &Analysis) -> bool {
    analysis.claims.most(Ceiling::Iterator).is_some()
}

/// Whether the span limits, but the speedup may be enough: it may be all there is, or nothing is found
/// that keeps it lower.
pub(super) fn is_open(analysis: &Analysis) -> bool {
    let bounds = analysis.verdict.bounds;
    let has_cause = !matches!(
        analysis.verdict.limit,
        Limit::Span { .. } | Limit::Waiting { .. }
    );
    let may_be_enough = bounds.allow_half() || analysis.may_be_more();
    analysis.limits.allow_nearly_all(bounds.cores)
        || analysis.findings.is_empty() && may_be_enough && !has_cause
}

/// The end of a sentence: what the lock that is held longest leaves of any number of cores, if that is
/// little.
fn under_lock(analysis: &Analysis) -> Option<String> {
    let most = analysis.claims.most(Ceiling::Lock)?;
    let lock = analysis.locks.first()?;
    Some(format!(
        "; {} of the work is done under the lock of {}: at most {} times as fast as one thread, on any number of cores",
        percent(lock.work_share),
        phrase(&analysis.sites[lock.places[0].0]),
        ratio(most),
    ))
}

/// The line at which threads waited longest to send.
pub(super) fn sent_at(awaited: &Awaited) -> Option<&Location> {
    let mut reasons = [&awaited.of_threads, &awaited.reason].into_iter().flatten();
    let sends = reasons.find(|reason| reason.causes.contains(&WaitCause::Channel))?;
    sends.location.as_ref()
}

/// How long tasks ran, by the row of the serial code.
fn time_of_tasks(analysis: &Analysis, serial: &SiteRow) -> Nanos {
    let ran = |work: Work, blocked: Nanos| work.time() - blocked;
    let totals = &analysis.totals;
    let of_serial = ran(serial.on_work.local_work, serial.on_work.blocked);
    ran(totals.work, totals.blocked) - of_serial
}

/// What child processes ran that tasks may have waited for, in a sentence.
fn child_processes(analysis: &Analysis) -> String {
    let awaited = &analysis.awaited;
    awaited.children.map_or_else(String::new, |children| {
        format!(
            " Tasks waited {}, and child processes ran for {}: these need cores as well.",
            duration(awaited.blocked),
            duration(children),
        )
    })
}

/// That the serial code likely waits for child processes, where that makes up the span, in a sentence.
fn serial_child_processes(analysis: &Analysis) -> String {
    let is_serial = |row: usize| analysis.sites[row].kind == SiteKind::Root;
    match (analysis.verdict.limit, &analysis.awaited.serial_children) {
        (Limit::Waiting { row }, Some(children)) if is_serial(row) => {
            let line = children.location.as_ref();
            let line = line.map_or_else(String::new, |line| format!(", most at {line}"));
            format!(
                " The serial code waited {} for input, output or child processes{line}; child processes ran for {}.",
                duration(children.waited),
                duration(children.ran),
            )
        }
        _ => String::new(),
    }
}

/// The waits that may be for one lock, as the subject of a clause.
fn waits_for_one_lock(awaited: &Awaited) -> String {
    if awaited.for_one_lock < awaited.blocked {
        format!("{} of that", duration(awaited.for_one_lock))
    } else {
        "it".to_owned()
    }
}

/// Average work of a task.
pub(super) fn task(analysis: &Analysis) -> Nanos {
    let totals = &analysis.totals;
    let tasks = totals.spawns.max(1) as f64;
    Nanos::from_nanos_f64(totals.work.time().shown() as f64 / tasks)
}

/// At most this many sites are named.
const MOST_NAMED: usize = 2;
/// After the first, sites with a smaller share of the span are not named.
const WORTH_NAMING: f64 = 0.05;

/// What is the longest chain of dependent strands made of?
pub(crate) fn makes_up_the_span(analysis: &Analysis) -> SiteAnswer {
    makes_up(analysis, "the longest chain of dependent work", true)
}

/// As [`makes_up_the_span`], with other words for the chain, and what samples show only if asked
/// for.
pub(crate) fn makes_up(analysis: &Analysis, chain: &str, with_samples: bool) -> SiteAnswer {
    if analysis.verdict.limit == Limit::OwnThreads {
        return SiteAnswer {
            short: "Not known".to_owned(),
            text: "Nothing of these threads was measured.".to_owned(),
            row: None,
        };
    }
    if analysis.awaited.standstill.is_some() && !analysis.tells_speedups() {
        return SiteAnswer {
            short: "Not known".to_owned(),
            text: "The program had not come to its end.".to_owned(),
            row: None,
        };
    }
    let mut sites = analysis.sites.iter().enumerate();
    let Some((row, first)) = sites.next() else {
        return SiteAnswer {
            short: "Nothing".to_owned(),
            text: "The run had no span.".to_owned(),
            row: None,
        };
    };
    let share = |site: &SiteRow| percent(site.on_span.share);
    let waits = match analysis.verdict.limit {
        Limit::Unfollowed { .. } if analysis.awaited.receives => "",
        Limit::Waiting { row: waiting } | Limit::Unfollowed { row: waiting } if waiting == row => {
            ", most of which waits (sleep, I/O, locks, channels)"
        }
        Limit::Freeing { row: freeing } if freeing == row => FREEING,
        Limit::Collecting { row: collecting } if collecting == row => COLLECTING,
        Limit::Merging { row: merging } if merging == row => MERGING,
        Limit::SerialFilter { row: filter } if filter == row => ONE_BY_ONE,
        _ if analysis.runs_in_turn(first) => ", nearly all of it by one thread at a time",
        _ => "",
    };
    let others = sites
        .map(|(_, site)| site)
        .take(MOST_NAMED - 1)
        .filter(|site| site.on_span.share >= WORTH_NAMING);
    let code = |site: &SiteRow| match analysis.overlaps_threads(site) {
        true => {
            "code of the main thread, mostly run while threads that it had started were running"
                .to_owned()
        }
        false => code_of(site),
    };
    let others: String = others
        .map(|site| format!(", {} {}", share(site), code(site)))
        .collect();
    let is_of_the_program = analysis.claims.refuted().is_none();
    let chain = match is_of_the_program {
        true => chain,
        false => "what was recorded",
    };
    let by_samples = hottest(analysis).filter(|_| with_samples);
    let by_samples = by_samples.unwrap_or_default();
    SiteAnswer {
        short: match first.kind {
            _ if !is_of_the_program => "Not known".to_owned(),
            SiteKind::Root if analysis.overlaps_threads(first) => {
                format!("{} main thread", share(first))
            }
            SiteKind::Root => format!("{} serial code", share(first)),
            _ => format!("{} {}", share(first), kind_and_name(first)),
        },
        text: format!(
            "{} of {chain} is {}{waits}{others}{by_samples}.",
            share(first),
            code(first),
        ),
        row: Some(row),
    }
}

/// The end of a sentence: the function that samples show to make up the span, or else the work.
fn hottest(analysis: &Analysis) -> Option<String> {
    let functions = analysis.functions.as_ref()?;
    by_samples(analysis, functions.bottleneck()).or_else(|| {
        let row = functions.most_work()?;
        Some(format!(
            "; by samples, {} of the work is in {}",
            interval(row.serial.on_work.share),
            function_and_line(row, false),
        ))
    })
}

/// At most this many lines are named at which threads stand still.
const MOST_STANDING: usize = 5;

/// What each thread waited for, as a clause.
fn standing(standstill: &Standstill) -> String {
    let waits = standstill.waits.iter().map(|wait| {
        let place = wait.location.as_ref();
        let place = place.map_or_else(
            || "at a line that is not known".to_owned(),
            |place| format!("at {place}"),
        );
        let reason = match wait.cause {
            Some(WaitCause::Lock) => " for a lock",
            Some(WaitCause::Channel) => " for a channel",
            Some(WaitCause::Condition) => " for a condition",
            Some(WaitCause::Park) => " for another thread",
            Some(WaitCause::Thread) => " for the end of a thread",
            Some(WaitCause::Runtime) => " for a pool to run its call",
            Some(WaitCause::InputOutput) => " for input or output",
            Some(WaitCause::ChildProcess) => " for a child process",
            Some(WaitCause::Sleep) | None => "",
        };
        let ended_by = wait.ended_by.as_ref();
        let ended_by = ended_by.map_or_else(String::new, |line| {
            format!("; {line} ended such a wait before")
        });
        let threads = counted(wait.threads, "thread", "threads");
        let waited = duration(wait.waited);
        format!("{threads} {place}{reason} ({waited}{ended_by})")
    });
    let waits: Vec<String> = waits.take(MOST_STANDING).collect();
    format!(
        "for the last {} of that, its threads waited, and none ran: {}",
        duration(standstill.lasted),
        waits.join("; ")
    )
}

/// Names the constructs that were begun and never ended.
pub(super) fn unfinished(analysis: &Analysis) -> Option<String> {
    let open = analysis.sites.iter().filter(|site| {
        site.kind.is_parallel() && site.on_work.count > 0 && site.on_work.top_count == 0
    });
    let names: Vec<String> = open.map(phrase).collect();
    (!names.is_empty()).then(|| format!("Begun and not ended: {}.", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::super::to_try::to_try;
    use super::*;
    use workspan_model::{EngineCount, Span, analyse, example};

    #[test]
    fn the_quicksort_is_limited_by_its_partition() {
        let analysis = analyse(&example::quicksort());
        let enough = enough_parallelism(&analysis);
        assert_eq!(enough.is_enough, Some(false));
        assert!(
            enough.text.starts_with(
                "The parallelism is at least 10.5: on 64 cores expect a speedup of 5.70 to 10.8 (more if"
            ),
            "{}",
            enough.text
        );
        let span = makes_up_the_span(&analysis);
        assert_eq!((span.row, span.short.as_str()), (Some(0), "78.2% join"));
        assert!(
            span.text.contains("21.8% the serial code of the program"),
            "{}",
            span.text
        );
        let to_try = to_try(&analysis);
        assert_eq!(to_try.row, Some(0));
        assert!(
            to_try.text.starts_with(char::is_uppercase),
            "{}",
            to_try.text
        );
    }

    #[test]
    fn work_divided_for_few_threads_is_promised_for_these_alone() {
        let said = |kind, runtime| {
            let mut profile = example::quicksort();
            (profile.sites[1].kind, profile.run.runtimes[0].kind) = (kind, runtime);
            (profile.run.assumed_cores, profile.run.threads) = (0, 2);
            profile.machine.cores = 2;
            (
                profile.tree[1].on_work.top_count,
                profile.tree[1].on_work.spawns,
            ) = (1, 8);
            let analysis = analyse(&profile);
            let enough = enough_parallelism(&analysis);
            let to_try = to_try(&analysis).text;
            (enough.is_enough, enough.short.headline(), to_try)
        };
        let (is_enough, headline, advice) = said(SiteKind::Loop, RuntimeKind::OpenMp);
        assert_eq!(is_enough, None);
        assert_eq!(
            headline,
            "Cannot be told from this run for more than 2 cores."
        );
        assert!(advice.contains("--assume-cores 64"), "{advice}");
        let (_, _, advice) = said(SiteKind::Thread, RuntimeKind::Threads);
        assert!(!advice.contains("--assume-cores"), "{advice}");
    }

    #[test]
    fn the_main_thread_while_its_threads_run_is_no_serial_code() {
        let short = |threads: i64| {
            let mut profile = example::quicksort();
            profile.sites[1].kind = SiteKind::Thread;
            profile.engine = vec![EngineCount {
                name: "threads".to_owned(),
                value: threads,
            }];
            profile.tree[0].on_span.local_span = Span::from_nanos(97_000_000);
            profile.tree[1].on_span.local_span = Span::from_nanos(1_000_000);
            makes_up_the_span(&analyse(&profile)).short
        };
        assert_eq!(short(2), "99.0% main thread");
        assert_eq!(short(1_000), "99.0% serial code");
    }

    #[test]
    fn what_threads_share_leaves_less_than_the_span_allows() {
        let mut profile = example::quicksort();
        let mut samples = example::samples(&["app::count"], &[(1, &[0], 90.0, 0.0)]);
        samples.frames[0].at_atomic = true;
        profile.samples = Some(samples);
        let text = enough_parallelism(&analyse(&profile)).text;
        assert!(
            text.contains("on 64 cores expect a speedup of at most 10.8"),
            "{text}"
        );
        assert!(
            text.contains("Also, 100% of the samples of the work are at atomic"),
            "{text}"
        );
    }

    #[test]
    fn calls_carried_to_a_pool_are_said_where_nothing_was_divided() {
        let mut profile = example::serial();
        profile.engine.push(EngineCount {
            name: "installed".to_owned(),
            value: 60_000,
        });
        let analysis = analyse(&profile);
        let text = enough_parallelism(&analysis).text;
        assert!(text.starts_with("`install` carried 60,000 calls"), "{text}");
        assert_eq!(to_try(&analysis).short, "Install once");
    }

    #[test]
    fn one_receiver_of_small_messages_is_said() {
        let mut profile = example::quicksort();
        profile.tree[0].on_span.local_span = Span::from_nanos(80_000_000);
        profile.tree[0].on_work.local_work = Work::from_nanos(80_000_000);
        let stacks: &[(u32, &[u32], f64, f64)] = &[(0, &[0, 1], 80.0, 80.0)];
        let functions = ["std::sync::mpsc::Receiver::recv", "app::main"];
        profile.samples = Some(example::samples(&functions, stacks));
        let analysis = analyse(&profile);
        let answer = enough_parallelism(&analysis);
        assert_eq!(answer.is_enough, None);
        let takes = "takes messages from a channel, one after the other";
        assert!(answer.text.contains(takes), "{}", answer.text);
        assert!(!makes_up_the_span(&analysis).text.contains("waits"));
        assert!(
            to_try(&analysis)
                .text
                .starts_with("Put many items into one message")
        );
    }

    #[test]
    fn child_processes_that_serial_code_waits_for_are_said() {
        let text = |ran: i64| {
            let [waited, ran] = [70_000_000, ran].map(Nanos::from_nanos);
            enough_parallelism(&analyse(&example::of_serial_children(waited, ran))).text
        };
        let said = text(60_000_000);
        assert!(
            said.contains(
                "or child processes, most at main.rs:10; child processes ran for 60.0 ms"
            ),
            "{said}"
        );
        // They hardly ran.
        assert!(!text(30_000_000).contains("child processes"));
    }

    #[test]
    fn a_serial_program_is_advised_to_become_parallel() {
        let mut profile = example::serial();
        let analysis = analyse(&profile);
        assert_eq!(enough_parallelism(&analysis).is_enough, Some(false));
        assert!(to_try(&analysis).text.contains("par_iter"));
        assert_eq!(makes_up_the_span(&analysis).row, Some(0));
        // Only an iterator asks for threads, and then makes no task.
        profile.engine.push(EngineCount {
            name: "asked_default_pool".to_owned(),
            value: 1,
        });
        assert!(to_try(&analyse(&profile)).text.contains("with_min_len"));
    }
}
