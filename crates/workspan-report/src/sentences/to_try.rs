//! What to try next, in a few words and in a sentence.

use workspan_model::{
    Analysis, AssumedCut, Ceiling, Contender, Diagnosis, Evidence, Finding, Limit, Location, Nanos,
    PlainRuns, RuntimeKind, SampledAtomics, Serialisation, SiteKind, SiteRow, WaitCause,
};

use super::answer::{SiteAnswer, ask_one_thread, capitalised, larger_tasks, scale};
use super::answers::{
    is_open, iterator_limits, pipeline_limits, ran_as_one_piece, sent_at, task, unfinished,
};
use super::contention::{
    LARGER_MESSAGES, PUT_MANY_ITEMS, ask_the_kernel_less, lacks_processors, lock_seen,
    one_at_a_time, sample_more, share_less,
};
use super::plain;
use crate::notation::figures::percent;
use crate::notation::place::phrase;

/// What is the next thing to try?
pub(crate) fn to_try(analysis: &Analysis) -> SiteAnswer {
    if let Some(answer) = before_findings(analysis) {
        return answer;
    }
    if let Some(finding) = shown_finding(analysis) {
        let words = super::finding(finding, analysis);
        return SiteAnswer {
            short: match analysis.fills {
                Some(fills) => format!("More pieces, for more than {fills} cores"),
                None => format!(
                    "Worth {}× on {} cores",
                    super::finding::factor(finding, analysis),
                    finding.gain.cores
                ),
            },
            text: format!(
                "{} {}",
                capitalised(words.advice.as_deref().unwrap_or(&words.text)),
                capitalised(&words.gain)
            ),
            row: Some(finding.row),
        };
    }
    let row = analysis.verdict.limit.row();
    let is_locked = analysis.claims.most(Ceiling::Lock).is_some();
    let (short, text) = match (analysis.verdict.limit, row) {
        (limit, _)
            if (limit == Limit::None || limit.is_span() && is_open(analysis))
                && let Some(lock) = analysis.locks.first().filter(|_| is_locked) =>
        {
            less_under_lock(&analysis.sites[lock.places[0].0])
        }
        (Limit::None, _) if analysis.awaited.has_lock() => (
            "Watch the lock",
            format!(
                "{} More threads wait more: measure it (`{}`).",
                lock_seen(analysis),
                scale(analysis)
            ),
        ),
        (Limit::None, _) if analysis.claims.falls_short().is_some() => find_what_is_lost(analysis),
        (Limit::None, _) if lacks_processors(analysis).is_some() => run_again(),
        (Limit::None, _) if super::cut::compares(analysis) => (
            "Compare with one thread",
            format!(
                "Run it with `--baseline`: if one thread takes less than this work, this speedup is not to be expected. If not, \
                 measure it (`{}`).",
                scale(analysis)
            ),
        ),
        (Limit::None, _) if pipeline_limits(analysis) => more_items(),
        (Limit::None, _) if analysis.verdict.divided_for.is_some() => for_more_cores(analysis),
        (Limit::None, _) | (_, None) if analysis.verdict.limit != Limit::OneStrand => (
            "Nothing for now",
            format!(
                "Nothing was found in the tasks that keeps the program from that speedup; measure it (`{}`) to see what memory \
                 and contention cost.",
                scale(analysis)
            ),
        ),
        (Limit::Lock { .. }, Some(row)) => less_under_lock(&analysis.sites[row]),
        (Limit::Migration { .. }, Some(row)) => {
            ("Make the tasks larger", larger_tasks(&analysis.sites[row]))
        }
        (Limit::Span { .. }, Some(row)) if is_open(analysis) && may_be_uneven(analysis, row) => (
            "Even out the pieces",
            format!(
                "Threads had nothing to run for {} of their time, likely since pieces of {} are uneven: with \
                 `schedule(dynamic)` and small chunks, threads take what is left. `{}` shows how fast it gets.",
                percent(idle_share(analysis)),
                phrase(&analysis.sites[row]),
                scale(analysis)
            ),
        ),
        (Limit::Span { .. }, Some(_)) if is_open(analysis) => (
            "Measure it",
            format!("`{}` shows how fast it gets.", scale(analysis)),
        ),
        (_, Some(row)) => (
            "Shorten the span",
            format!(
                "Make parallel, or faster, what {} runs on the critical path; `workspan advise` tells how much that has to be.",
                phrase(&analysis.sites[row]),
            ),
        ),
        _ if ran_as_one_piece(analysis) => (
            "Cut the iterator",
            "Leave out `with_min_len`, or make it smaller; of one large item, make the work inside it parallel.".to_owned(),
        ),
        (Limit::OneStrand, _) if analysis.pools.installed > 0 => (
            "Install once",
            "Call `install` once for all of these calls, and divide them inside: by a par_iter over them, or a scope that \
             spawns them."
                .to_owned(),
        ),
        _ => (
            "Make a loop parallel",
            format!(
                "Find the loop that takes the time, and {}.",
                super::advice::make_parallel(analysis.runtime)
            ),
        ),
    };
    SiteAnswer {
        short: short.to_owned(),
        text,
        row,
    }
}

/// The share of the threads' time in which they had nothing to run.
fn idle_share(analysis: &Analysis) -> f64 {
    let books = analysis.books.as_ref();
    books.map_or(0.0, |books| {
        let waited = books.waits_in_tasks().iter().map(|(_, time)| *time).sum();
        (books.without_work() - waited).share_of(books.threads_time())
    })
}

/// Whether threads waited so long for others that a loop of OpenMP, which is nearly all of the
/// critical path, may have uneven pieces. Those that are small cost the runtime as much.
fn may_be_uneven(analysis: &Analysis, row: usize) -> bool {
    const SMALL: Nanos = Nanos::from_nanos(100_000);
    let site = &analysis.sites[row];
    let path = analysis.totals.span.value.time();
    analysis.runtime == Some(RuntimeKind::OpenMp)
        && site.kind == SiteKind::Loop
        && site.on_span.local_span.time().share_of(path) >= 0.9
        && analysis.totals.average_strand >= SMALL
        && idle_share(analysis) >= 0.1
}

/// The user's line that the advice is about, where waits or samples show it.
pub(crate) fn line_to_change(analysis: &Analysis) -> Option<&Location> {
    let Analysis { awaited, sites, .. } = analysis;
    let line = match analysis.verdict.limit {
        Limit::Slower => match awaited.limiting().filter(|_| awaited.row.is_some()) {
            Some(lock) => lock.location.as_ref(),
            None => much_at_atomics(analysis)?.location.as_ref(),
        },
        Limit::Inflated { .. } => None,
        _ if analysis.held_to().is_some() => match analysis.placement.held_at.as_slice() {
            [line] => Some(line),
            _ => None,
        },
        _ if about_the_run(analysis).is_some() => None,
        Limit::Contended => match awaited.contender()? {
            Contender::Lock(_) if hardly_shows_the_lock(analysis) => None,
            Contender::Lock(lock) => lock.location.as_ref(),
            Contender::Atomics(atomics) => atomics.location.as_ref(),
            Contender::Runtime(_) | Contender::Kernel(_) => None,
        },
        Limit::Awaited { .. } => match (awaited.reason_besides_locks(), &awaited.contended) {
            (Some(reason), _) => reason.location.as_ref(),
            (None, Some(lock)) => lock.location.as_ref(),
            (None, None) => awaited.lock.as_ref()?.location.as_ref(),
        },
        Limit::Unfollowed { .. } if awaited.receives => {
            sent_at(awaited).or(awaited.received_at.as_ref())
        }
        Limit::Turns { row, .. } => sites[row].location.as_ref(),
        Limit::Lock { row } => {
            let row = numbered(analysis).map_or(row, |finding| finding.row);
            sites[row].location.as_ref()
        }
        Limit::Bridge { row } if iterator_limits(analysis) => sites[row].location.as_ref(),
        _ => {
            let finding = numbered(analysis)?;
            super::advice::join_later(finding, analysis)?;
            awaited.joined_at.as_ref()
        }
    };
    line.filter(|line| !line.is_downloaded())
}

/// The finding that [`to_try`] shows. Of tasks that are too small, it is none that makes more of them.
fn shown_finding(analysis: &Analysis) -> Option<&Finding> {
    let is_of_small_tasks = |finding: &&Finding| {
        matches!(
            finding.diagnosis(),
            Diagnosis::FineTasks | Diagnosis::OverSplitting | Diagnosis::ManySteals
        )
    };
    let mut findings = analysis.findings.iter();
    match analysis.verdict.limit {
        Limit::Migration { .. } | Limit::TaskCost { .. } => findings.find(is_of_small_tasks),
        _ => findings.next(),
    }
}

/// As [`to_try`], in fewer words: of a finding its number, not what the gain rests on.
pub(crate) fn to_try_in_short(analysis: &Analysis) -> SiteAnswer {
    let answer = to_try(analysis);
    let text = numbered(analysis).map(|finding| {
        let text = super::finding::in_short(finding, analysis);
        format!("{text} ({})", finding.diagnosis().number())
    });
    SiteAnswer {
        text: text.unwrap_or(answer.text),
        ..answer
    }
}

/// The finding that [`to_try`] is about, unless it says something else.
pub(crate) fn numbered(analysis: &Analysis) -> Option<&Finding> {
    shown_finding(analysis).filter(|_| before_findings(analysis).is_none())
}

/// What to try about a run that does not show how the program scales.
fn about_the_run(analysis: &Analysis) -> Option<SiteAnswer> {
    let of_books = || {
        let (_, discrepancy) = analysis.discrepancy()?;
        let (short, text) = super::books::to_try(analysis, discrepancy);
        Some(SiteAnswer {
            short: short.to_owned(),
            text,
            row: None,
        })
    };
    super::placement::let_go(analysis)
        .or_else(of_books)
        .or_else(|| super::cut::to_try(analysis))
        .or_else(|| super::claims::to_try(analysis))
}

/// What to try about a run whose findings would promise what nobody knows.
fn before_findings(analysis: &Analysis) -> Option<SiteAnswer> {
    if analysis.verdict.limit == Limit::Slower {
        return Some(instead_of_slower(analysis));
    }
    if let Limit::Inflated { row } = analysis.verdict.limit {
        return Some(plain::add_less(analysis, row));
    }
    if let Some(answer) = about_the_run(analysis) {
        return Some(answer);
    }
    let (short, text) = match analysis.verdict.limit {
        Limit::Interrupted => (
            "Let it end",
            "Give it an input on which it ends by itself.".to_owned(),
        ),
        Limit::Standstill { .. } if analysis.awaited.standstill.is_some() => (
            "Find what waits for what",
            unfinished(analysis)
                .unwrap_or_else(|| "See which of these lines has to go on for the others.".to_owned()),
        ),
        Limit::Standstill { .. } => (
            "Find what waits for what",
            format!(
                "A parallel call while a lock is held does this: its worker takes up another task meanwhile, which wants the \
                 lock. So do tasks that wait for one another on fewer threads than there are of them.{}",
                unfinished(analysis).map_or_else(String::new, |names| format!(" {names}")),
            ),
        ),
        Limit::OwnThreads if analysis.threads_unmeasured.is_some() => (
            "Have its threads measured",
            format!(
                "They were not because: {}.",
                analysis.threads_unmeasured.as_deref().unwrap_or_default()
            ),
        ),
        Limit::OwnThreads => (
            "Compare times",
            "Run it with one thread and with several. What its threads share out can be a parallel loop of rayon, OpenMP, \
             oneTBB or Cilk, which workspan measures."
                .to_owned(),
        ),
        Limit::BetweenPools => (
            "Stay in one pool",
            "Do the work in the pool that the task is in, or give the other one as many threads: a task that waits for a call there \
             keeps its thread, or runs other tasks meanwhile."
                .to_owned(),
        ),
        Limit::Cut if analysis.pools.own.is_some() => (
            "Let the pool be larger",
            "Leave its number of threads to rayon (`num_threads(0)`), or use the global pool.".to_owned(),
        ),
        Limit::Cut => for_more_cores(analysis),
        Limit::TaskCost { .. } if shown_finding(analysis).is_none() => (
            "Compare with one thread",
            "Compare its time with that on one thread (`--baseline`). Where it is no faster, a cutoff helps: below some size \
             call the function directly."
                .to_owned(),
        ),
        Limit::Undivided { row } if analysis.sites[row].may_divide_by_code() => (
            "Compare with one thread",
            "Compare its time with that on one thread (`--baseline`): that shows whether its threads divide the work, or all do the \
             same."
                .to_owned(),
        ),
        Limit::Undivided { .. } => (
            "Compare with one thread",
            "Compare its time with that on one thread (`--baseline`). Where it is no faster, divide the loop in it \
             (`parallel for`), or have one thread make tasks."
                .to_owned(),
        ),
        Limit::Search { .. } => (
            "Compare with one thread",
            "`--baseline` shows whether more threads are faster at all. Where they are not, search block after block, each in \
             parallel: then at most a block is searched in vain."
                .to_owned(),
        ),
        Limit::Span { .. } if pipeline_limits(analysis) => more_items(),
        Limit::Turns { row, .. } if analysis.sites[row].kind == SiteKind::Ordered => (
            "Hand out single iterations",
            "With `schedule(static, 1)` or `schedule(dynamic)`, neighbouring iterations run side by side. Of larger blocks, each \
             waits for the one before it."
                .to_owned(),
        ),
        Limit::Turns { row, .. } => (
            "Acquire it less often",
            format!(
                "Acquire {} less often, and do more each time; or give each task a value of its own and combine them at the end.",
                phrase(&analysis.sites[row])
            ),
        ),
        Limit::Unfollowed { .. } if analysis.awaited.receives => (
            LARGER_MESSAGES,
            PUT_MANY_ITEMS.to_owned(),
        ),
        Limit::Unfollowed { .. } => (
            "Wait by a join",
            format!(
                "{} `{}` measures the program as it is.",
                match analysis.runtime {
                    Some(RuntimeKind::Threads) => "Where a thread is joined, that is followed.",
                    Some(RuntimeKind::Rayon) | None => {
                        "Where tasks are waited for by `scope`, `join`, or a parallel iterator with collect or reduce, that is followed."
                    }
                    Some(_) => "Where tasks are waited for by what the runtime has for that, it is followed.",
                },
                scale(analysis)
            ),
        ),
        Limit::Uncertain { .. } => (
            "Run it three times",
            "`--runs 3` narrows the figures.".to_owned(),
        ),
        Limit::Awaited { row } => wait_less(analysis, &analysis.sites[row]),
        Limit::Contended => match analysis.awaited.contender() {
            Some(Contender::Lock(_)) => contend_less(analysis),
            Some(Contender::Atomics(atomics)) => share_less(analysis, atomics),
            Some(Contender::Kernel(_)) => ask_the_kernel_less(analysis),
            Some(Contender::Runtime(_)) => (
                "Make the pieces larger",
                format!(
                    "Have loops shared out in larger chunks, and make no tasks below some size.{}",
                    ask_one_thread(analysis)
                ),
            ),
            None if one_at_a_time(analysis).is_some() => run_again(),
            None => match &analysis.awaited.few_atomics {
                Some(few) if analysis.plain.is_none() && !few.can_meet => run_again(),
                Some(few) if analysis.plain.is_none() => sample_more(analysis, few),
                _ => find_what_is_lost(analysis),
            },
        },
        Limit::Bridge { .. } if iterator_limits(analysis) => (
            "Do less in the iterator",
            "Move what need not run in order after `par_bridge()`, into a `map`; if the items are in memory, use `par_iter`."
                .to_owned(),
        ),
        Limit::Bridge { .. } => (
            "Measure it",
            format!(
                "`{}` shows how fast it gets. If the items are in memory, or are numbers, `par_iter` has no lock.",
                scale(analysis)
            ),
        ),
        Limit::Migration { row } if analysis.leaves_small_tasks_open() => {
            let words = shown_finding(analysis).map(|found| super::finding(found, analysis));
            let advice = words.and_then(|words| words.advice).map_or_else(
                || larger_tasks(&analysis.sites[row]),
                |advice| capitalised(&advice),
            );
            (
                "Make the tasks larger",
                format!(
                    "{advice}{}",
                    ask_one_thread(analysis)
                ),
            )
        }
        Limit::Freeing { .. } => (
            "Free less",
            format!(
                "Reuse the memory, or leave it to the end of the process; many small pieces can also be freed by several threads \
                 (rayon: `into_par_iter().for_each(drop)`). Whether memory limits the tasks, `{}` measures.",
                scale(analysis)
            ),
        ),
        Limit::Merging { .. } => (
            "Merge less",
            "`reduce` joins two results at a time, the last two on one thread: make fewer of them (`with_min_len`), or have all \
             pieces fill one (a table of atomics, a map in locked shards)."
                .to_owned(),
        ),
        Limit::SerialFilter { .. } => (
            "Do less in the serial filter",
            "It takes one item after the other. Move what need not run in that order to a parallel filter, before or after it."
                .to_owned(),
        ),
        Limit::Collecting { .. } => (
            "Collect in parallel",
            "`collect` into a map, a set or a list puts one item after the other into it, on one thread: have each piece fill one of \
             its own (`fold`) and join these (`reduce`), or collect into a `Vec`."
                .to_owned(),
        ),
        _ => return None,
    };
    Some(SiteAnswer {
        short: short.to_owned(),
        text,
        row: analysis.verdict.limit.row(),
    })
}

/// What to try where threads hardly ran at the same time.
fn run_again() -> (&'static str, String) {
    (
        "Run it again",
        "Run it again with a free processor for each thread: that shows what threads take from one another.".to_owned(),
    )
}

/// What to try where plain runs gain less than they should, and nothing shows why.
fn find_what_is_lost(analysis: &Analysis) -> (&'static str, String) {
    (
        "Find what the speedup is lost to",
        format!(
            "`{} --factored` shows what the speedup is lost to.",
            scale(analysis)
        ),
    )
}

/// What to try where a lock limits.
fn less_under_lock(site: &SiteRow) -> (&'static str, String) {
    (
        "Do less under the lock",
        format!(
            "Shorten what is done under the lock of {}, or have several locks.",
            phrase(site),
        ),
    )
}

/// What to try where a pipeline's limit on items under way makes the span.
fn more_items() -> (&'static str, String) {
    (
        "Have more items under way",
        "The first argument of `parallel_pipeline` is how many there are at most: give several for each core.".to_owned(),
    )
}

/// Tasks at least this long are not too small for any runtime.
const LONG_TASK: Nanos = Nanos::from_nanos(10_000);

/// From this share of the work on, atomic operations are the likeliest cause.
const MUCH_AT_ATOMICS: f64 = 0.2;

/// What to try where more threads are slower than one, in the order in which the answer looks for
/// why.
fn instead_of_slower(analysis: &Analysis) -> SiteAnswer {
    let spawns = |row: &usize| analysis.sites[*row].on_work.spawns;
    let most = (0..analysis.sites.len())
        .max_by_key(spawns)
        .filter(|row| spawns(row) > 0);
    let small = most.filter(|_| task(analysis) < LONG_TASK);
    let plain_runs = analysis.plain.as_ref();
    let lock = analysis.awaited.limiting().and(analysis.awaited.row);
    let row = most;
    let (short, text) = if let Some(row) = lock {
        wait_less(analysis, &analysis.sites[row])
    } else if let Some(atomics) = much_at_atomics(analysis) {
        share_less(analysis, atomics)
    } else if let Some(row) = small {
        ("Make the tasks larger", larger_tasks(&analysis.sites[row]))
    } else if let Some((_, discrepancy)) = analysis.discrepancy() {
        super::books::to_try(analysis, discrepancy)
    } else if let Some(row) = analysis.awaited.row.filter(|_| analysis.awaited.has_lock()) {
        wait_less(analysis, &analysis.sites[row])
    } else if plain_runs.is_some_and(PlainRuns::has_more_work) && most.is_some() {
        let work = |row: &usize| analysis.sites[*row].on_work.local_work;
        let rows = (0..analysis.sites.len()).filter(|row| spawns(row) > 0);
        return plain::add_less(analysis, rows.max_by_key(work).unwrap_or(0));
    } else {
        (
            "Find what the threads wait for",
            format!(
                "`{} --factored` shows what the speedup is lost to.",
                scale(analysis)
            ),
        )
    };
    SiteAnswer {
        short: short.to_owned(),
        text,
        row,
    }
}

/// The atomic instructions that take so much of the work that they are why threads are slower.
fn much_at_atomics(analysis: &Analysis) -> Option<&SampledAtomics> {
    let atomics = analysis.awaited.atomics.as_ref();
    atomics.filter(|atomics| atomics.share >= MUCH_AT_ATOMICS)
}

/// Whether threads ran too seldom at the same time to show how long they wait for the lock.
fn hardly_shows_the_lock(analysis: &Analysis) -> bool {
    let cores = analysis.verdict.bounds.cores;
    let lock = analysis.awaited.limiting();
    lock.is_some_and(|lock| lock.is_starved && !lock.idles_half(cores))
}

/// What to try where tasks waited for a lock that limits them.
fn contend_less(analysis: &Analysis) -> (&'static str, String) {
    let awaited = &analysis.awaited;
    if hardly_shows_the_lock(analysis) {
        return (
            "Run it again",
            "With a free processor for each thread, the run shows how long threads wait for one another."
                .to_owned(),
        );
    }
    let mut tasks = analysis.sites.iter().filter(|site| site.kind.is_parallel());
    let site = awaited.row.map(|row| &analysis.sites[row]).or(tasks.next());
    wait_less(analysis, site.unwrap_or(&analysis.sites[0]))
}

/// What to try where tasks, most of them of `site`, waited.
fn wait_less(analysis: &Analysis, site: &SiteRow) -> (&'static str, String) {
    let awaited = &analysis.awaited;
    if analysis.runtime == Some(RuntimeKind::Threads) && awaited.limiting().is_none() {
        return (
            "Wait less",
            format!(
                "Where threads wait for one another, give each the same to do, and more of it between two waits. `{}` shows \
                 whether more threads are faster.",
                scale(analysis)
            ),
        );
    }
    let reason = awaited.reason_besides_locks();
    match reason.map(|reason| &reason.causes[..]) {
        Some([WaitCause::Sleep]) => {
            return (
                "Run more threads than cores",
                "A task that sleeps keeps its thread from other tasks: run more threads than cores, or sleep outside of \
                 tasks."
                    .to_owned(),
            );
        }
        Some(causes) => {
            let receive = match WaitCause::OUTSIDE.contains(&causes[0]) {
                true => "do so",
                false => "receive",
            };
            return (
                "Wait outside of tasks",
                format!(
                    "A task that waits keeps its thread from other tasks: {receive} before the tasks are made, or run more \
                     threads than cores."
                ),
            );
        }
        None => {}
    }
    if awaited
        .contended
        .as_ref()
        .is_some_and(|lock| lock.is_initialisation)
    {
        return (
            "Initialise it earlier",
            "Make it before the tasks, beside other work or in parallel: one thread makes it, and the others wait.".to_owned(),
        );
    }
    if let Some(function) = (awaited.contended.as_ref()).and_then(|lock| lock.library.as_ref()) {
        return call_less(function);
    }
    let is_allocators = match &awaited.contended {
        Some(lock) => lock.is_allocators,
        None => awaited.lock.as_ref().is_some_and(|lock| lock.is_allocators),
    };
    if is_allocators {
        return (
            "Allocate less in tasks",
            "Reuse buffers instead of allocating them in each task, or take an allocator whose threads have heaps of \
             their own."
                .to_owned(),
        );
    }
    let waits = Evidence::Serialised(Serialisation::Waits {
        blocked: awaited.blocked,
        share: awaited.least_held,
    });
    let advice = super::advice::advice(&waits, site, analysis.runtime).unwrap_or_default();
    if awaited.has_lock() {
        return ("Wait less", format!("{}.", capitalised(advice)));
    }
    let check = match analysis.cut {
        Some(AssumedCut::Unchecked) => {
            "`--baseline` shows whether iterators cut for more cores make it wait. "
        }
        _ => "",
    };
    (
        "Find what it waits for",
        format!(
            "{check}If it sleeps or reads, run more threads than cores; if it is a lock, {advice}."
        ),
    )
}

/// What to try where the work was divided for the threads of the run.
fn for_more_cores(analysis: &Analysis) -> (&'static str, String) {
    let has_own_threads = analysis
        .sites
        .iter()
        .any(|site| site.kind == SiteKind::Thread);
    let how = if has_own_threads || analysis.runtime == Some(RuntimeKind::Threads) {
        "Run it with more threads, on as many cores."
    } else {
        "Run it with `--assume-cores 64`, which cuts loops for 64 threads, or on more threads."
    };
    ("Divide it for more", how.to_owned())
}

/// What to try where a function of a library takes a lock that all threads share.
fn call_less(function: &str) -> (&'static str, String) {
    const RANDOM: [&str; 5] = ["rand", "random", "drand48", "lrand48", "mrand48"];
    const OUTPUT: [&str; 7] = [
        "printf", "fprintf", "puts", "fputs", "putchar", "fputc", "fwrite",
    ];
    let how = if RANDOM.contains(&function) {
        format!("call `{function}_r`, which is given its state, or have a generator in each thread")
    } else if OUTPUT.contains(&function) {
        "put a text together in each task, and write it at once".to_owned()
    } else if function.starts_with("std::") && function.contains("backtrace::") {
        "take no backtrace where errors are expected (`RUST_LIB_BACKTRACE=0`)".to_owned()
    } else {
        "call it less often, or outside of the tasks".to_owned()
    };
    let whose = match function.split_once("::") {
        Some(("std" | "core" | "alloc", _)) => ", of Rust's standard library,",
        _ => "",
    };
    (
        "Call what locks less often",
        format!("At each call, {function}{whose} takes a lock that all threads share: {how}."),
    )
}

#[cfg(test)]
mod tests {
    use super::call_less;

    #[test]
    fn what_to_call_instead_is_said_where_it_is_known() {
        let says = |function, how: &str| call_less(function).1.contains(how);
        assert!(says("rand", "call `rand_r`, which"));
        assert!(says("random", "call `random_r`, which"));
        assert!(says("fputs", "put a text together"));
        let backtrace = "std::sys::backtrace::lock";
        assert!(says(backtrace, "of Rust's standard library"));
        assert!(says(backtrace, "take no backtrace"));
        for other in ["localtime_r", "rand_r", "output", "own::backtrace::lock"] {
            assert!(says(other, "call it less often"), "{other}");
        }
    }
}
