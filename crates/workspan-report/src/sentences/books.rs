//! What to say where work and span do not explain the time of the run.

use workspan_model::{
    Analysis, Balance, Books, Discrepancy, Nanos, RuntimeKind, SiteKind, SiteRow, Spent,
};

use super::answer::{ask_one_thread, awaited};
use super::placement::crowded;
use crate::notation::figures::{amount_in_words, counted, duration, grouped, interval, percent};
use crate::notation::place::{function, phrase, place};

/// What was seen, and what likely causes it.
pub(crate) fn seen(analysis: &Analysis, books: &Books, discrepancy: Discrepancy) -> String {
    let work = duration(books.work.time());
    let processor_time = duration(books.processor_time);
    let seen = if books.shows_in_time() && discrepancy != Discrepancy::Unseen {
        format!(
            "{} elapsed on {} for {work} of work: {} of the threads' time was in no task, and the span does not explain it.",
            duration(books.elapsed),
            threads_of(books),
            percent(books.beyond_span_share()),
        )
    } else {
        format!("The process used {processor_time} of processor time for {work} of work.")
    };
    let cause = match discrepancy {
        Discrepancy::Unseen => {
            "Threads ran the program's own code in no task that workspan knows of: its work and span are not those of the whole program."
                .to_owned()
        }
        _ if let Some((threads, processors)) = crowded(analysis, discrepancy) => format!(
            "{threads} threads ran on {}: those that wait, as at barriers, likely keep those that work from running.",
            counted(processors.into(), "processor", "processors"),
        ),
        _ if builds_pools(analysis) => format!(
            "It built {} thread pools, and likely spent the time on starting and ending their threads.",
            grouped(analysis.pools.built)
        ),
        _ if let Some((site, work)) = short_threads(analysis) => format!(
            "It started {} threads at {}, which did {} each on average, and likely spent the time on starting and ending them.",
            grouped(site.on_work.count),
            place(site),
            duration(work),
        ),
        Discrepancy::FineTasks => format!(
            "With strands of {} on average, making and finding the tasks{} likely takes longer than they do.",
            amount_in_words(analysis.totals.average_strand, &analysis.metric),
            site_of_most_tasks(analysis).map_or_else(String::new, |site| format!(
                ", most of them those of {},",
                phrase(site)
            )),
        ),
        Discrepancy::Spinning => {
            "Threads likely spin outside of tasks, since they used the processors meanwhile."
                .to_owned()
        }
        Discrepancy::Sleeping => format!(
            "Threads likely sleep outside of tasks, since the process used {processor_time} of processor time."
        ),
        Discrepancy::Stalled => {
            "Strands lasted longer than they ran, and no wait was seen in them.".to_owned()
        }
    };
    let outside = match discrepancy {
        Discrepancy::FineTasks | Discrepancy::Spinning | Discrepancy::Unseen => outside(analysis),
        Discrepancy::Sleeping | Discrepancy::Stalled => None,
    };
    format!("{seen} {cause}{}", outside.unwrap_or_default())
}

/// The site with most of the tasks.
fn site_of_most_tasks(analysis: &Analysis) -> Option<&SiteRow> {
    let tasks = |site: &&SiteRow| site.on_work.spawns;
    let sites = analysis.sites.iter().filter(|site| tasks(site) > 0);
    sites.max_by_key(tasks)
}

/// From this share on, a place is said to be where threads run that have no task.
const MUCH: f64 = 0.25;

/// Where threads ran that had no task.
fn outside(analysis: &Analysis) -> Option<String> {
    let place = analysis.outside.as_ref();
    let place = place.filter(|place| place.share.share.low >= MUCH)?;
    let share = interval(place.share.share);
    let at = match (&place.location, &place.function) {
        (Some(location), _) => format!("at {location}"),
        (None, Some(function)) => format!("in {function}"),
        (None, None) => {
            return Some(format!(
                " By samples, {share} of what they ran there is the runtime itself, which looks for tasks."
            ));
        }
    };
    Some(match &place.called {
        Some(called) => {
            format!(" By samples, {share} of what they ran there is {called}, called {at}.")
        }
        None => format!(" By samples, {share} of what they ran there is {at}."),
    })
}

/// Parts of the threads' time below this share are left out, but never what is not explained.
const WORTH_NAMING: f64 = 0.005;

/// What the threads spent their time on, and what ran while some had nothing to run; `None` where
/// they ran much that is not known.
pub(crate) fn spent(analysis: &Analysis) -> Option<String> {
    let books = analysis.books.as_ref()?;
    if let Some((_, Discrepancy::Unseen)) = analysis.discrepancy() {
        return None;
    }
    let whole = books.threads_time();
    let parts = books.parts();
    let named = parts
        .into_iter()
        .filter(|&(spent, _)| spent != Spent::OtherPrograms)
        .map(|(spent, time)| (spent, time.share_of(whole)))
        .filter(|&(spent, share)| share >= WORTH_NAMING || spent == Spent::Unexplained)
        .map(|(spent, share)| {
            let causes = match spent {
                Spent::WaitingInTasks => causes_of_waits(books),
                _ => None,
            };
            let causes = causes.map_or_else(String::new, |causes| format!(" ({causes})"));
            format!("{} {}{causes}", percent(share), spent.name())
        });
    let others = if books.taken_by_others.share_of(whole) >= WORTH_NAMING {
        format!(
            ", less {} that other programs took",
            duration(books.taken_by_others)
        )
    } else {
        String::new()
    };
    let meanwhile = ran_meanwhile(analysis, books);
    Some(format!(
        "Of {}{others}: {}.{}",
        run(books),
        named.collect::<Vec<_>>().join(", "),
        meanwhile.map_or_else(String::new, |text| format!(" {text}"))
    ))
}

/// A construct is named if threads ran at least this share of their useful time in it.
const LEAST_DIVIDED: f64 = 0.1;

/// What of the threads' time the program used, by what takes from it, and the least balanced of the
/// constructs that matter; `None` where that is not known.
pub(crate) fn efficiency(analysis: &Analysis) -> Option<String> {
    let of = analysis.books.as_ref()?.efficiency?;
    let waits = match (of.serialisation(), of.transfer()) {
        (Some(serialisation), Some(transfer)) => format!(
            "serialisation {} × transfer {}",
            percent(serialisation),
            percent(transfer)
        ),
        _ => format!("communication efficiency {}", percent(of.communication())),
    };
    let scaling = analysis.plain.map_or_else(String::new, |plain| {
        let scaling = percent(1.0 / plain.work_ratio);
        format!(" Computational scaling, from one thread: {scaling}.")
    });
    let matters = |balance: &&Balance| {
        let useful: Nanos = balance.by_thread.iter().copied().sum();
        useful.share_of(of.useful) >= LEAST_DIVIDED
    };
    let balances = analysis.balances.iter().filter(matters);
    let least = balances.min_by(|one, other| one.load_balance.total_cmp(&other.load_balance));
    let least = least.map_or_else(String::new, |balance| {
        format!(
            " The load balance of {} is {}.",
            phrase(&analysis.sites[balance.row]),
            percent(balance.load_balance)
        )
    });
    Some(format!(
        "Parallel efficiency, by POP's model: {} = load balance {} × {waits}.{scaling}{least}",
        percent(of.parallel()),
        percent(of.load_balance()),
    ))
}

/// What tasks waited for, where that is known: `8.0% channels, 4.0% sleep`.
fn causes_of_waits(books: &Books) -> Option<String> {
    let whole = books.threads_time();
    let causes = books.waits_in_tasks().into_iter();
    let named: Vec<String> = causes
        .filter_map(|(cause, time)| Some((awaited(cause?), time.share_of(whole))))
        .filter(|&(_, share)| share >= WORTH_NAMING)
        .map(|(cause, share)| format!("{} {cause}", percent(share)))
        .collect();
    (!named.is_empty()).then(|| named.join(", "))
}

/// How long the run took, on how many threads: `1.24 s on 2 threads`.
pub(crate) fn run(books: &Books) -> String {
    format!("{} on {}", duration(books.elapsed), threads_of(books))
}

/// The threads whose time it is, or the processors if these were fewer.
fn threads_of(books: &Books) -> String {
    match books.outnumber_processors {
        true => counted(books.threads.into(), "processor", "processors"),
        false => counted(books.threads.into(), "thread", "threads"),
    }
}

/// From this share of the threads' time on, it is said what ran while they had nothing to run.
const MUCH_IDLE: f64 = 0.05;

/// Samples have to explain this share of it.
const NEARLY_ALL: f64 = 0.8;

/// What ran while a thread had nothing to run, in a sentence, where samples say it.
pub(crate) fn ran_meanwhile(analysis: &Analysis, books: &Books) -> Option<String> {
    let functions = analysis.functions.as_ref()?;
    let without_work = books.without_work();
    let is_explained = functions.idle.time.share_of(without_work) >= NEARLY_ALL;
    if without_work.share_of(books.threads_time()) < MUCH_IDLE || !is_explained {
        return None;
    }
    let rows = functions.keep_others_idle();
    let ran: Vec<String> = rows
        .into_iter()
        .map(|row| {
            let line = row
                .idle_line
                .as_ref()
                .map(|line| format!(", mostly at {line},"));
            let line = line.unwrap_or_default();
            format!("{}{line} for {}", function(row), interval(row.idle.share))
        })
        .collect();
    (!ran.is_empty()).then(|| {
        format!(
            "By samples, of the time in which a thread had nothing to run, another ran {}.",
            ran.join(" and ")
        )
    })
}

/// From this many on, pools are likely built again and again.
const MANY_POOLS: u64 = 32;

fn builds_pools(analysis: &Analysis) -> bool {
    analysis.pools.built >= MANY_POOLS
}

/// From this many on, starting and ending threads takes time that counts.
const MANY_THREADS: u64 = 1_000;
/// Threads with more to do take much longer than starting and ending them.
const SHORT_THREAD: Nanos = Nanos::from_nanos(1_000_000);

/// The place at which the program starts short threads again and again, and their average work.
fn short_threads(analysis: &Analysis) -> Option<(&SiteRow, Nanos)> {
    let threads = analysis
        .sites
        .iter()
        .filter(|site| site.kind == SiteKind::Thread && site.on_work.count >= MANY_THREADS);
    let site = threads.max_by_key(|site| site.on_work.count)?;
    let work = site.on_work.local_work.time().as_nanos();
    let average = Nanos::from_nanos_f64(work as f64 / site.on_work.count as f64);
    (average < SHORT_THREAD).then_some((site, average))
}

/// What to try, in a few words and in a sentence.
pub(crate) fn to_try(analysis: &Analysis, discrepancy: Discrepancy) -> (&'static str, String) {
    let command = match analysis.runtime {
        None | Some(RuntimeKind::Rayon) => "cargo workspan scale",
        Some(_) => "workspan scale",
    };
    match discrepancy {
        Discrepancy::Unseen => (
            "Measure it as a whole",
            format!(
                "`{command}` measures how fast it is on more cores. {} not recorded.",
                match analysis.runtime {
                    Some(RuntimeKind::Tbb) => "Flow graphs are",
                    _ => "Tasks of other runtimes are",
                }
            ),
        ),
        _ if let Some((_, processors)) = crowded(analysis, discrepancy) => (
            "Use fewer threads",
            format!(
                "Run it with one thread for each processor: `OMP_NUM_THREADS={processors}`, or leave out \
                 `omp_set_num_threads` and `num_threads`."
            ),
        ),
        _ if builds_pools(analysis) => (
            "Build one pool",
            "Build the pool once and keep it, or leave out `ThreadPoolBuilder`: iterators and joins then run in the global pool."
                .to_owned(),
        ),
        _ if short_threads(analysis).is_some() => (
            "Start fewer threads",
            "Start one thread for each core, once, and let it take one piece after another.".to_owned(),
        ),
        Discrepancy::FineTasks => (
            "Make the tasks larger",
            format!(
                "Give each task more to do: below some size, make none.{}",
                ask_one_thread(analysis)
            ),
        ),
        Discrepancy::Spinning | Discrepancy::Sleeping => (
            "Find what the threads wait for",
            format!("`{command} --factored` shows when each thread was idle."),
        ),
        Discrepancy::Stalled => (
            "Profile it again on a quiet machine",
            "Something else may have taken the processors; `--clock thread` counts only the time in which threads ran."
                .to_owned(),
        ),
    }
}

/// The line of the report on time that is not explained.
pub(crate) fn unexplained(books: &Books) -> String {
    if books.exceed_processor_time() {
        return format!(
            "Strands lasted {} without their waits, and the process used {} of processor time: {} of the work is time in \
             which threads did not run, and the waits seen do not explain it.",
            duration(books.work.time() - books.blocked),
            duration(books.processor_time),
            percent(books.beyond_processor_time().share_of(books.work.time())),
        );
    }
    format!(
        "{} of the threads' time, {}, is not explained: it is more than strands, waits, the runtime, idleness along the \
         span, the profiler and other programs took of {} on {}.",
        percent(books.unexplained_share()),
        duration(books.unexplained()),
        duration(books.elapsed),
        counted(books.threads.into(), "thread", "threads"),
    )
}

#[cfg(test)]
mod tests {
    use super::super::answer::Short;
    use super::super::answers::enough_parallelism;
    use super::super::to_try::to_try;
    use super::{efficiency, spent};
    use workspan_model::{
        EngineCount, FrameId, Nanos, NodeId, OutsideStack, ProcessorUse, Profile, SiteKind,
        ThreadShare, analyse, example,
    };

    /// The quicksort on as many cores as its parallelism is enough for, whose run of `elapsed`
    /// milliseconds took `used` of processor time.
    fn run(elapsed: i64, used: i64) -> Profile {
        let millis = |millis: i64| Nanos::from_nanos(millis * 1_000_000);
        let mut profile = example::quicksort();
        profile.run.assumed_cores = 2;
        profile.run.elapsed = millis(elapsed);
        profile.run.processors = Some(ProcessorUse {
            used: millis(used),
            queued: None,
        });
        profile
    }

    #[test]
    fn only_balanced_books_leave_a_yes() {
        let analysis = analyse(&run(620, 1_100));
        assert_eq!(enough_parallelism(&analysis).is_enough, Some(true));
        assert_eq!(to_try(&analysis).short, "Nothing for now");

        let analysis = analyse(&run(10_200, 20_300));
        let enough = enough_parallelism(&analysis);
        assert_eq!((enough.is_enough, enough.short), (None, Short::CannotTell));
        assert_eq!(
            enough.text,
            "10.2 s elapsed on 2 threads for 1.06 s of work: 94.1% of the threads' time was in no task, and the span does not \
             explain it. With strands of 602 ns on average, making and finding the tasks, most of them \
             those of the join at examples/quicksort.rs:31:9, likely takes longer than they do."
        );
        assert_eq!(to_try(&analysis).short, "Make the tasks larger");
        assert!(!analysis.tells_speedups());
    }

    /// The first answer, and the advice in short, on a run of which most is not explained.
    fn answers(change: impl FnOnce(&mut Profile)) -> (String, String) {
        let mut profile = run(10_200, 20_300);
        change(&mut profile);
        let analysis = analyse(&profile);
        (enough_parallelism(&analysis).text, to_try(&analysis).short)
    }

    #[test]
    fn threads_that_ran_in_turns_have_no_yes() {
        // Of twice 620 ms, threads waited so long for a processor.
        let answer = |queued: i64| {
            let mut profile = run(620, 900);
            let queued = Some(Nanos::from_nanos(queued * 1_000_000));
            profile.run.processors.as_mut().unwrap().queued = queued;
            enough_parallelism(&analyse(&profile))
        };
        assert_eq!(answer(240).is_enough, Some(true));
        let taken = answer(260);
        assert_eq!((taken.is_enough, taken.short), (None, Short::Perhaps));
        assert!(
            taken
                .text
                .contains(" For 21.0% of their time, threads waited for a free processor: "),
            "{}",
            taken.text
        );
    }

    #[test]
    fn threads_that_never_met_promise_nothing() {
        // Two threads ran for 1,090 ms of so many, and waited for the rest of their time.
        let answer = |elapsed: i64| {
            let mut profile = run(elapsed, 1_090);
            let queued = Some(Nanos::from_nanos((2 * elapsed - 1_090) * 1_000_000));
            profile.run.processors.as_mut().unwrap().queued = queued;
            let analysis = analyse(&profile);
            let enough = enough_parallelism(&analysis);
            let is_promised = analysis.promises_speedups() || !analysis.claims.made.is_empty();
            (enough, to_try(&analysis).short, is_promised)
        };
        for elapsed in [2_000, 1_000] {
            let (enough, advice, is_promised) = answer(elapsed);
            assert_eq!((enough.is_enough, enough.short), (None, Short::CannotTell));
            assert!(
                enough.text.contains("hardly two ran at the same time"),
                "{}",
                enough.text
            );
            assert_eq!((advice.as_str(), is_promised), ("Run it again", false));
        }
        // For a ninth of it at least, they ran together.
        let (enough, advice, is_promised) = answer(980);
        assert_eq!((enough.is_enough, enough.short), (None, Short::Perhaps));
        assert_eq!((advice.as_str(), is_promised), ("Run it again", true));
    }

    #[test]
    fn pools_that_are_built_again_and_again_are_said() {
        let pools = |built| {
            answers(|profile| {
                profile.engine.push(EngineCount {
                    name: "pools".to_owned(),
                    value: built,
                });
            })
        };
        let (many, advice) = pools(6_000);
        assert!(many.contains("It built 6,000 thread pools"), "{many}");
        assert_eq!(advice, "Build one pool");
        assert!(!pools(31).0.contains("thread pools"));
    }

    #[test]
    fn threads_that_are_started_again_and_again_are_said() {
        // They did 1,038.6 ms of work.
        let threads = |count| {
            answers(|profile| {
                profile.sites[1].kind = SiteKind::Thread;
                profile.tree[1].on_work.count = count;
            })
        };
        let (many, advice) = threads(30_000);
        assert!(many.contains("It started 30,000 threads at "), "{many}");
        assert_eq!(advice, "Start fewer threads");
        for few_or_long in [999, 1_030] {
            assert!(!threads(few_or_long).0.contains("It started"));
        }
    }

    #[test]
    fn code_in_no_known_task_leaves_no_answer() {
        // Of 2,200 ms of processor time, threads ran so many outside of strands.
        let answer = |millis: f64, inner: &str| {
            let mut profile = run(1_100, 2_200);
            let mut samples = example::samples(&[inner, "burn"], &[]);
            samples.frames[0].user_code = false;
            samples.outside.push(OutsideStack {
                frames: vec![FrameId(0), FrameId(1)],
                periods: millis,
            });
            profile.samples = Some(samples);
            let analysis = analyse(&profile);
            (enough_parallelism(&analysis), spent(&analysis))
        };
        let (unseen, spent) = answer(1_000.0, "sin");
        assert_eq!(unseen.short, Short::CannotTell);
        assert!(unseen.text.starts_with("The process used 2.20 s"));
        assert!(unseen.text.contains("in no task that workspan knows of"));
        assert_eq!(spent, None);
        let known = |(_, spent): (_, Option<String>)| spent.is_some();
        assert!(known(answer(400.0, "sin")));
        assert!(known(answer(1_000.0, "__kmpc_barrier")));
    }

    #[test]
    fn waits_in_tasks_are_said_with_what_for() {
        let spent_with = |channel: i64| {
            let mut profile = run(620, 1_100);
            profile.tree[1].on_work.blocked = Nanos::from_nanos(300_000_000);
            let waited = Nanos::from_nanos(channel * 1_000_000);
            let inside = "std::sync::mpmc::list::Channel::recv";
            profile.waits = example::waiting(inside, 1, waited, Nanos::ZERO).waits;
            spent(&analyse(&profile)).unwrap()
        };
        // Of 1,238.8 ms.
        let text = spent_with(200);
        assert!(
            text.contains(", 24.2% waits in tasks (16.1% channels), "),
            "{text}"
        );
        let text = spent_with(5);
        assert!(text.contains(", 24.2% waits in tasks, "), "{text}");
    }

    #[test]
    fn efficiencies_are_said_with_the_least_balanced_construct_that_matters() {
        let said = |profile: &Profile| efficiency(&analyse(profile));
        let mut profile = example::timed_quicksort();
        // 1060 of 2 · 542.8 ms, of which the joins cost 4.99 on each thread.
        assert_eq!(
            said(&profile).unwrap(),
            "Parallel efficiency, by POP's model: 97.6% = load balance 99.1% × serialisation 99.5% × transfer 99.1%."
        );
        profile.sites[1].kind = SiteKind::Parallel;
        profile.sites[1].detail = None;
        let [first, mut second] = profile.shares[..] else {
            panic!("two threads");
        };
        second.node = NodeId(1);
        profile.shares = vec![
            first,
            second,
            ThreadShare {
                thread: 3,
                ran: Nanos::ZERO,
                ..second
            },
        ];
        let text = said(&profile).unwrap();
        assert!(
            text.ends_with(
                "The load balance of the parallel region at examples/quicksort.rs:31:9 is 50.0%."
            ),
            "{text}"
        );
        // A tenth of what threads did.
        profile.shares[1].ran = Nanos::from_nanos(59_000_000);
        assert!(!said(&profile).unwrap().contains("The load balance of"));
        profile.shares.clear();
        assert_eq!(said(&profile), None);
    }

    #[test]
    fn samples_say_what_ran_while_threads_had_nothing_to_run() {
        let spent_of = |elapsed| {
            let mut profile = run(elapsed, 1_100);
            let stacks: &[(u32, &[u32], f64, f64)] = &[(0, &[0], 400.0, 400.0)];
            profile.samples = Some(example::samples(&["parse"], stacks));
            let analysis = analyse(&profile);
            spent(&analysis).unwrap()
        };
        let text = spent_of(620);
        let ran = "By samples, of the time in which a thread had nothing to run, another ran parse for 100.0% ± 0.5.";
        assert!(text.ends_with(ran), "{text}");
        // Work and engine take 1,096 of 1,150 ms.
        let text = spent_of(575);
        assert!(!text.contains("By samples"), "{text}");
    }

    #[test]
    fn samples_say_where_threads_ran_that_had_no_task() {
        let mut profile = run(10_200, 20_300);
        let mut samples = example::samples(&["kmpc_critical", "count"], &[]);
        samples.frames[0].user_code = false;
        samples.outside.push(OutsideStack {
            frames: vec![FrameId(0), FrameId(1)],
            periods: 5_000.0,
        });
        profile.samples = Some(samples);
        let text = enough_parallelism(&analyse(&profile)).text;
        let place =
            "By samples, 100.0% ± 0.0 of what they ran there is kmpc_critical, called in count.";
        assert!(text.ends_with(place), "{text}");
    }
}
