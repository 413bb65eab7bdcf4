//! What threads wait for one another for: locks, cache lines, the runtime.

use workspan_model::{
    Analysis, AtomicsPurpose, Awaited, Books, Ceiling, ContendedLock, Contender, FewAtomics, Limit,
    LineUse, Location, Reason, RuntimeKind, SampledAtomics, WaitCause,
};

use super::answer::{ask_one_thread, awaited};
use crate::notation::figures::{counted, duration, grouped, in_prose, percent, ratio};
use crate::notation::place::phrase;

/// What may keep more threads from being faster.
pub(super) fn contention(analysis: &Analysis) -> Option<String> {
    Some(match analysis.awaited.contender()? {
        Contender::Lock(lock) => lock_limits(analysis, lock),
        Contender::Atomics(atomics) => {
            let function = atomics.function.as_ref();
            let function = function.map_or_else(String::new, |function| format!(" in {function}"));
            let line = atomics.location.as_ref();
            let line = line.map_or_else(String::new, |line| format!(", most at {line}"));
            let place = at(atomics.purpose);
            let who = match (atomics.line, atomics.purpose) {
                (_, AtomicsPurpose::Channel) => "threads that use it wait for one another",
                _ if 2.0 * atomics.spinning > atomics.share => {
                    "threads wait for one another there in loops, as for a lock that spins"
                }
                (LineUse::Shared, _) => {
                    "different threads write the same cache line there, and wait for one another"
                }
                (LineUse::Apart, _) => {
                    "different threads write different words of one cache line there (false sharing), and wait for one another"
                }
                (_, AtomicsPurpose::Lock) => "threads that do so wait for one another",
                (_, AtomicsPurpose::Own) => {
                    "threads that write the same cache line wait for one another"
                }
            };
            format!(
                "{} of the samples of the work are {place}{function}{line}: {who}, and more of them wait more",
                percent(atomics.share)
            )
        }
        Contender::Runtime(share) => format!(
            "{} of the samples of the work are in the runtime itself, which shares out loops and tasks: the pieces are too small \
             for what that costs",
            percent(share)
        ),
        Contender::Kernel(kernel) => {
            let faults = kernel.page_faults.map_or_else(String::new, |faults| {
                format!(", with {}", counted(faults, "page fault", "page faults"))
            });
            format!(
                "{} of the processor time was spent in the kernel{faults}: threads may wait for one another there",
                percent(kernel.share),
            )
        }
    })
}

/// That the program without a profile gains little from more cores, though its work and span allow
/// more, and what may be why, in a clause.
pub(super) fn little_gained(analysis: &Analysis) -> Option<String> {
    let plain = analysis.plain.as_ref()?;
    let why = if analysis.awaited.has_lock() {
        format!(". {}", lock_seen(analysis).trim_end_matches('.'))
    } else if let Some(share) = analysis.books.as_ref().and_then(Books::share_taken) {
        format!(
            ", and threads waited for a free processor for {} of their time",
            percent(share)
        )
    } else {
        ", and this run does not show why".to_owned()
    };
    Some(format!(
        "without a profile the program is {} times as fast on {} as on one{why}",
        in_prose(plain.speedup.ratio, ratio),
        counted(plain.processors.into(), "core", "cores"),
    ))
}

/// What limits a program besides a span that is too long, in a sentence.
pub(super) fn limits_besides(analysis: &Analysis) -> String {
    match contention(analysis).filter(|_| analysis.is_contended_besides()) {
        Some(contention) => format!(" Also, {contention}."),
        None => String::new(),
    }
}

/// That threads hardly ran at the same time, where a speedup is expected.
pub(super) fn lacks_processors(analysis: &Analysis) -> Option<String> {
    let share = analysis.books.as_ref()?.share_taken()?;
    let limit = analysis.verdict.limit;
    let by_span = limit == Limit::None || limit.is_span();
    let expects = analysis.tells_speedups() && by_span && !analysis.is_well_used();
    expects.then(|| {
        format!(
            " For {} of their time, threads waited for a free processor: this run hardly shows how long they wait for locks and \
             cache lines.",
            percent(share)
        )
    })
}

/// That no two threads ran at the same time, in a clause, where this leaves open what they take from
/// one another.
pub(super) fn one_at_a_time(analysis: &Analysis) -> Option<String> {
    let books = analysis.books.as_ref()?;
    let share = books.share_taken().filter(|_| books.ran_one_at_a_time())?;
    let is_open = analysis.verdict.limit == Limit::Contended && analysis.plain.is_none();
    is_open.then(|| {
        format!(
            "for {} of their time, threads waited for a free processor, so that hardly two ran at the same time: this run does not \
             show how long they wait for locks and cache lines",
            percent(share)
        )
    })
}

/// The lock that is claimed to limit on any number of cores.
pub(super) fn certain_lock(analysis: &Analysis) -> Option<&ContendedLock> {
    let claimed = analysis.claims.most(Ceiling::Waits);
    claimed.and(analysis.awaited.limiting())
}

/// How a lock limits the run.
fn lock_limits(analysis: &Analysis, lock: &ContendedLock) -> String {
    let name = contended_name(lock);
    let is_certain = certain_lock(analysis).is_some();
    if lock.is_starved && !is_certain {
        return format!(
            "threads had to wait for {name} {}, though they mostly ran in turns, for want of free processors",
            counted(lock.waits, "time", "times"),
        );
    }
    let holder = lock.holder.as_ref();
    let holder = holder.filter(|holder| {
        let line = |location: &Location| (location.file.clone(), location.line);
        lock.location.as_ref().map(line) != Some(line(holder))
    });
    let share = percent(lock.share);
    let waited = match lock.waits {
        0 => format!("by samples, threads waited at least {share} of the run for"),
        _ => format!("for {share} of the run a thread waited for"),
    };
    format!(
        "{waited} {name}{}: {}",
        holder.map_or_else(String::new, |holder| format!(", held until {holder}")),
        if is_certain {
            let bound = if lock.is_exact {
                "at most"
            } else {
                "at most about"
            };
            let likely_most = lock.likely_most_speedup.min(lock.most_speedup);
            format!(
                "a speedup of {} on any number of cores",
                likely(bound, ratio(lock.most_speedup), ratio(likely_most))
            )
        } else if lock.is_initialisation {
            "one thread does that alone".to_owned()
        } else {
            "more threads wait more".to_owned()
        }
    )
}

/// What threads waited for.
fn contended_name(lock: &ContendedLock) -> String {
    match &lock.location {
        Some(location) if lock.is_initialisation => format!("the initialisation at {location}"),
        location => match (location, &lock.library) {
            (Some(location), Some(function)) => {
                format!("the lock in {function}, called at {location}")
            }
            (None, Some(function)) => format!("the lock in {function}"),
            (_, None) => lock_name(location, &lock.function, lock.is_allocators),
        },
    }
}

/// What tasks waited for, in a clause, if that is known and is no lock.
pub(super) fn reason(analysis: &Analysis) -> Option<String> {
    let waited = waited_for(analysis.awaited.reason.as_ref()?);
    Some(match analysis.runtime {
        Some(RuntimeKind::Threads) => format!(
            "its threads together {waited}, and this run does not show how much of that is on the longest chain"
        ),
        _ => format!("tasks {waited}: that keeps threads busy, not cores"),
    })
}

/// How long somebody waited, and for what, in a clause without its subject.
fn waited_for(reason: &Reason) -> String {
    let waited = duration(reason.waited);
    let place = reason.location.as_ref();
    let place = place.map_or_else(String::new, |place| format!(", longest at {place}"));
    match &reason.causes[..] {
        [WaitCause::Sleep] => format!("slept for {waited}{place}"),
        causes => {
            let causes: Vec<_> = causes.iter().map(|cause| awaited(*cause)).collect();
            format!("waited {waited} for {}{place}", one_of(&causes))
        }
    }
}

/// From this share of the threads' time on, what they waited for is said.
const MUCH_WAITED: f64 = 0.25;

/// What the threads of a program without a runtime waited for while the span grew, in a sentence.
pub(super) fn threads_waited(analysis: &Analysis) -> Option<String> {
    let reason = analysis.awaited.of_threads.as_ref()?;
    let threads_time = analysis.books.as_ref()?.threads_time();
    let is_much = reason.waited.share_of(threads_time) >= MUCH_WAITED;
    (analysis.verdict.limit.is_span() && is_much)
        .then(|| format!(" Meanwhile its threads together {}.", waited_for(reason)))
}

/// `a`, `a or b`, `a, b or c`.
fn one_of(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [name] => (*name).to_owned(),
        [names @ .., last] => format!("{} or {last}", names.join(", ")),
    }
}

/// Where atomic instructions of a purpose are.
const fn at(purpose: AtomicsPurpose) -> &'static str {
    match purpose {
        AtomicsPurpose::Lock => "where a lock is acquired or released",
        AtomicsPurpose::Channel => "where a channel sends or receives messages",
        AtomicsPurpose::Own => "at atomic operations",
    }
}

/// That samples do not tell whether threads wait for one another, in a clause.
pub(super) fn too_few(atomics: &FewAtomics) -> String {
    let [there, all] = atomics.samples;
    let are = if there == 1 { "is" } else { "are" };
    let function = atomics.function.as_ref();
    let function = function.map_or_else(String::new, |function| format!(" in {function}"));
    let line = atomics.location.as_ref();
    let line = line.map_or_else(String::new, |line| format!(", most at {line}"));
    format!(
        "{} of {} samples of the work {are} {}{function}{line}: {} whether threads wait for one another there. \
         If they do, more threads wait more",
        grouped(there),
        grouped(all),
        at(atomics.purpose),
        if atomics.can_meet {
            "too few to tell"
        } else {
            "as threads hardly ran at the same time, these do not tell"
        }
    )
}

/// What tells, in a few words and in a sentence.
pub(super) fn sample_more(analysis: &Analysis, atomics: &FewAtomics) -> (&'static str, String) {
    let text = format!(
        "A run about {} times as long, as of a larger input, has enough samples to tell.{}",
        atomics.times_longer(),
        ask_one_thread(analysis)
    );
    ("Run it for longer", text)
}

/// What to try where a channel limits, in a few words and in a sentence.
pub(super) const LARGER_MESSAGES: &str = "Send larger messages";
pub(super) const PUT_MANY_ITEMS: &str = "Put many items into one message, or have each thread keep its own result and combine these at the end.";

/// What to try where threads write the same cache lines, in a few words and in a sentence.
pub(super) fn share_less(analysis: &Analysis, atomics: &SampledAtomics) -> (&'static str, String) {
    let (short, text) = match (atomics.purpose, atomics.line) {
        (AtomicsPurpose::Channel, _) => (LARGER_MESSAGES, PUT_MANY_ITEMS),
        (AtomicsPurpose::Lock, _) => (
            "Lock less often",
            "Each acquisition writes the lock's cache line, a reader's too: acquire it once for many items, or give each task a \
             copy of what it protects.",
        ),
        (AtomicsPurpose::Own, LineUse::Apart) => (
            "Keep them apart",
            "Have what different threads write on cache lines of their own, 128 bytes apart (an alignment of 128), or give each \
             task a value of its own and combine them at the end.",
        ),
        (AtomicsPurpose::Own, _) => (
            "Share less",
            "Give each task a value of its own and combine them at the end; keep what different threads write on cache lines of \
             their own.",
        ),
    };
    (short, format!("{text}{}", ask_one_thread(analysis)))
}

/// What to try where the kernel does much of the work, in a few words and in a sentence.
pub(super) fn ask_the_kernel_less(analysis: &Analysis) -> (&'static str, String) {
    let kernel = analysis.awaited.kernel.as_ref();
    let what = if kernel.is_some_and(|kernel| kernel.page_faults.is_none()) {
        "See what the tasks call that goes to the kernel: functions of the C library that lock (`rand`), many small reads or \
         writes, memory that is taken and freed in large pieces."
    } else if analysis.runtime == Some(RuntimeKind::Rayon) {
        "Keep memory from one item to the next (`map_init`, `for_each_init`) instead of taking and freeing it each time."
    } else {
        "Keep memory from one item to the next instead of taking and freeing it each time."
    };
    (
        "Ask the kernel for less",
        format!("{what}{}", ask_one_thread(analysis)),
    )
}

/// The lock that threads waited for, and what is known of it.
pub(super) fn lock_seen(analysis: &Analysis) -> String {
    let awaited = &analysis.awaited;
    if let Some(lock) = awaited.recorded.map(|row| &analysis.locks[row]) {
        return format!(
            "Threads waited for the lock of {}, under which {} of the work is done.",
            phrase(&analysis.sites[lock.places[0].0]),
            percent(lock.work_share),
        );
    }
    if let Some(lock) = &awaited.contended {
        return format!(
            "Threads waited for {} during {} of the run.",
            contended_name(lock),
            percent(lock.share),
        );
    }
    let lock = name_of_sampled(analysis).unwrap_or_else(|| "a lock".to_owned());
    if awaited.least_held > 0.0 {
        format!(
            "Threads waited for {lock}; {} of the work is done under it, if all waits are for it.",
            held(awaited),
        )
    } else {
        format!("Threads waited for {lock}.")
    }
}

/// Names the lock that threads waited for, if one was seen.
pub(super) fn at_lock(analysis: &Analysis) -> String {
    if let Some(lock) = &analysis.awaited.contended {
        return format!(", some of it for {}", contended_name(lock));
    }
    name_of_sampled(analysis).map_or_else(String::new, |lock| format!(", by samples for {lock}"))
}

fn name_of_sampled(analysis: &Analysis) -> Option<String> {
    let lock = analysis.awaited.lock.as_ref()?;
    Some(lock_name(
        &lock.location,
        &lock.function,
        lock.is_allocators,
    ))
}

/// The share of the work under the lock that tasks waited for, if it was one.
pub(super) fn held(awaited: &Awaited) -> String {
    likely(
        "at least",
        percent(awaited.least_held),
        percent(awaited.likely_held),
    )
}

/// A bound, and the likely figure within it.
pub(super) fn likely(bound: &str, at: String, likely: String) -> String {
    if at == likely {
        format!("{bound} {at}")
    } else {
        format!("{bound} {at}, likely {likely},")
    }
}

fn lock_name(
    location: &Option<Location>,
    function: &Option<String>,
    is_allocators: bool,
) -> String {
    match (location, function) {
        (Some(location), _) if is_allocators => {
            format!("the allocator's lock, called at {location}")
        }
        _ if is_allocators => "the allocator's lock".to_owned(),
        (Some(location), _) => format!("the lock at {location}"),
        (None, Some(function)) => format!("the lock in {function}"),
        (None, None) => "a lock".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use workspan_model::{
        Analysis, EngineCount, LineUse, Lock, LockUse, Nanos, PlainPair, ProcessorUse, Profile,
        RuntimeKind, Site, SiteId, SiteKind, SiteRow, WaitCause, Work, analyse, example,
    };

    use super::super::answer::Short;
    use super::super::answers::enough_parallelism;
    use super::super::to_try::to_try;

    /// The answers where half of the run was waited for in this function.
    fn answers(inside: &str) -> (String, String) {
        let [any, unwoken] = [280_500_000, 140_000_000].map(Nanos::from_nanos);
        let analysis = analyse(&example::waiting(inside, 100, any, unwoken));
        let enough = enough_parallelism(&analysis);
        (
            format!("{}. {}", enough.short, enough.text),
            to_try(&analysis).short,
        )
    }

    #[test]
    fn what_is_made_once_is_no_lock_to_the_reader() {
        let (enough, advice) = answers("std::sys::sync::once::futex::Once::call");
        assert!(
            enough.starts_with("Not with this initialisation. "),
            "{enough}"
        );
        assert!(
            enough.contains("waited for the initialisation at main.rs:10"),
            "{enough}"
        );
        assert_eq!(advice, "Initialise it earlier");
        let (enough, advice) = answers("std::sys::sync::mutex::futex::Mutex::lock_contended");
        assert!(enough.starts_with("Not with this lock. "), "{enough}");
        assert!(
            enough.contains("waited for the lock at main.rs:10"),
            "{enough}"
        );
        assert_eq!(advice, "Wait less");
    }

    /// The quicksort, whose work is 1,060 ms, on 2 cores.
    fn on_two_cores(change: impl FnOnce(&mut Profile)) -> Analysis {
        let mut profile = example::quicksort();
        (profile.run.assumed_cores, profile.machine.cores) = (2, 2);
        change(&mut profile);
        analyse(&profile)
    }

    #[test]
    fn plain_runs_that_gain_little_are_said() {
        let millis = |millis: i64| Nanos::from_nanos(millis * 1_000_000);
        let plain = |one, all| {
            on_two_cores(|profile| {
                profile.run.plain = vec![PlainPair {
                    one: millis(one),
                    all: millis(all),
                }];
            })
        };
        let little = plain(1_100, 1_000);
        let enough = enough_parallelism(&little);
        assert_eq!((enough.is_enough, enough.short), (None, Short::CannotTell));
        assert!(
            enough.text.contains(
                "is 1.10 times as fast on 2 cores as on one, and this run does not show why"
            ),
            "{}",
            enough.text
        );
        assert_eq!(to_try(&little).short, "Find what the speedup is lost to");
        // Tasks with twice the work of one thread.
        let text = enough_parallelism(&plain(530, 500)).text;
        assert!(
            text.ends_with(" Today it is 1.06 times as fast on 2 cores as on one."),
            "{text}"
        );
        let text = enough_parallelism(&plain(530, 300)).text;
        assert!(
            text.contains("on 2 cores expect a speedup of at most "),
            "{text}"
        );
    }

    #[test]
    fn what_many_cores_give_is_said_where_it_is_little() {
        let text = |runtime| {
            let analysis = on_two_cores(|profile| {
                profile.run.runtimes[0].kind = runtime;
                // Fewer tasks, whose cost does not matter.
                for node in &mut profile.tree {
                    node.on_work.spawns /= 1_000;
                }
            });
            enough_parallelism(&analysis).text
        };
        let native = text(RuntimeKind::Tbb);
        assert!(native.contains(" On 64 cores expect only "), "{native}");
        assert!(!text(RuntimeKind::Rayon).contains("64 cores"));
    }

    #[test]
    fn a_pipeline_is_limited_by_its_items_under_way() {
        let analysis = on_two_cores(|profile| {
            profile.run.runtimes[0].kind = RuntimeKind::Tbb;
            profile.sites[1].name = Some(SiteRow::PARALLEL_FILTER.to_owned());
            for node in &mut profile.tree {
                node.on_work.spawns /= 1_000;
            }
        });
        let text = enough_parallelism(&analysis).text;
        assert!(text.contains("with the pipeline's present limit"), "{text}");
        assert_eq!(to_try(&analysis).short, "Have more items under way");
    }

    #[test]
    fn a_serial_filter_should_do_less() {
        let mut profile = example::quicksort();
        profile.run.runtimes[0].kind = RuntimeKind::Tbb;
        profile.sites[1].name = Some(SiteRow::SERIAL_FILTER.to_owned());
        let analysis = analyse(&profile);
        assert_eq!(enough_parallelism(&analysis).short, Short::No);
        assert_eq!(to_try(&analysis).short, "Do less in the serial filter");
    }

    #[test]
    fn what_threads_wait_for_is_said_where_the_span_limits() {
        let text = |waited: i64| {
            let waited = Nanos::from_nanos(waited * 1_000_000);
            let mut profile = example::waiting("", 1, waited, Nanos::ZERO);
            profile.run.runtimes[0].kind = RuntimeKind::Threads;
            profile.sites[1].kind = SiteKind::Thread;
            profile.machine.cores = 64;
            profile.waits.queues[0].awaited = Some(WaitCause::Thread);
            profile.run.processors = Some(ProcessorUse {
                used: Nanos::from_nanos(1_060_000_000),
                queued: None,
            });
            enough_parallelism(&analyse(&profile)).text
        };
        let said = text(700);
        assert!(
            said.contains(
                "its threads together waited 700 ms for other threads to end, longest at main.rs:10"
            ),
            "{said}"
        );
        assert!(!text(200).contains("waited"));
    }

    #[test]
    fn waits_for_a_turn_say_how_to_have_fewer() {
        let answers = |kind| {
            let analysis = on_two_cores(|profile| {
                profile.run.threads = 2;
                profile.run.processors = Some(ProcessorUse {
                    used: Nanos::from_nanos(1_060_000_000),
                    queued: None,
                });
                let site = SiteId(profile.sites.len() as u32);
                profile.sites.push(Site::unnamed(kind));
                profile.locks = vec![Lock {
                    uses: vec![LockUse {
                        site,
                        held: Work::from_nanos(1_000_000),
                        acquisitions: 100,
                        waits: 50,
                        waited: Nanos::from_nanos(200_000_000),
                    }],
                }];
            });
            let enough = enough_parallelism(&analysis);
            assert!(
                enough
                    .text
                    .contains("threads waited 200 ms for their turn at "),
                "{}",
                enough.text
            );
            (enough.short.to_string(), to_try(&analysis).short)
        };
        let said = |short: &str, advice: &str| (short.to_owned(), advice.to_owned());
        let ordered = said("Not in this order", "Hand out single iterations");
        assert_eq!(answers(SiteKind::Ordered), ordered);
        let lock = said("Not with this lock", "Acquire it less often");
        assert_eq!(answers(SiteKind::Critical), lock);
    }

    #[test]
    fn work_of_pieces_is_said_with_what_makes_it_less() {
        let analysis = on_two_cores(|profile| {
            profile.run.assumed_cores = 64;
            profile.sites[1].kind = SiteKind::ParIter;
            let functions = ["app::bins", "rayon::iter::fold::FoldConsumer::into_folder"];
            let mut samples = example::samples(&functions, &[(1, &[0, 1], 500.0, 0.0)]);
            samples.frames[1].user_code = false;
            profile.samples = Some(samples);
        });
        let text = enough_parallelism(&analysis).text;
        assert!(
            text.contains("once for each piece of an iterator"),
            "{text}"
        );
        assert_eq!(to_try(&analysis).short, "Do less for each piece");
    }

    #[test]
    fn the_advice_is_about_what_the_answer_names() {
        let answers = |at_atomics: f64, in_lock: bool, line: LineUse| {
            let analysis = on_two_cores(|profile| {
                profile.run.processors = Some(ProcessorUse {
                    used: Nanos::from_nanos(1_060_000_000),
                    queued: None,
                });
                profile.engine = vec![EngineCount {
                    name: "kernel_nanos".to_owned(),
                    value: 530_000_000,
                }];
                let inner = match in_lock {
                    true => "std::sys::sync::rwlock::futex::RwLock::read",
                    false => "core::sync::atomic::AtomicU64::fetch_add",
                };
                let stacks: [(u32, &[u32], f64, f64); 2] = [
                    (1, &[0, 1], at_atomics, 0.0),
                    (1, &[1], 1_000.0 - at_atomics, 0.0),
                ];
                let mut samples = example::samples(&[inner, "app::draw"], &stacks);
                samples.frames[0].user_code = false;
                samples.frames[0].inlined = true;
                samples.frames[0].at_atomic = true;
                samples.stacks[0].line = line;
                profile.samples = Some(samples);
            });
            assert_eq!(
                (analysis.speedup.len(), analysis.predicted.is_some()),
                (0, false)
            );
            (enough_parallelism(&analysis).text, to_try(&analysis).short)
        };
        let (text, advice) = answers(300.0, false, LineUse::Unknown);
        assert!(text.contains("was spent in the kernel"), "{text}");
        assert_eq!(advice, "Ask the kernel for less");
        let (text, advice) = answers(700.0, false, LineUse::Unknown);
        assert!(text.contains("are at atomic operations"), "{text}");
        assert_eq!(advice, "Share less");
        let (text, advice) = answers(700.0, true, LineUse::Unknown);
        assert!(text.contains("where a lock is acquired"), "{text}");
        assert_eq!(advice, "Lock less often");
        let (text, advice) = answers(700.0, false, LineUse::Shared);
        assert!(
            text.contains("different threads write the same cache line there"),
            "{text}"
        );
        assert_eq!(advice, "Share less");
        let (text, advice) = answers(700.0, false, LineUse::Apart);
        assert!(text.contains("(false sharing)"), "{text}");
        assert_eq!(advice, "Keep them apart");
    }

    /// A fifth of the work is done under one lock: enough for two cores, and at most five times as fast.
    #[test]
    fn a_ceiling_on_any_number_of_cores_is_in_the_headline() {
        let answer = |profile: &mut Profile| {
            (profile.run.threads, profile.run.assumed_cores) = (2, 0);
            profile.machine.cores = 2;
            let enough = enough_parallelism(&analyse(profile));
            (enough.is_enough, enough.short)
        };
        let mut locked = example::locked_quicksort();
        // 106 µs each time.
        locked.locks[0].uses[0].acquisitions = 2_000;
        locked.locks[0].uses[0].waits = 200;
        assert_eq!(answer(&mut locked), (None, Short::UpTo(2)));
        assert_eq!(answer(&mut example::quicksort()), (Some(true), Short::Yes));
    }

    /// Three of 160 samples may be 2 % of the work, where many threads meet.
    #[test]
    fn a_few_samples_at_atomics_leave_many_cores_open() {
        let answers_of = |at_atomics: f64, assumed_cores, off: i64| {
            let mut profile = example::quicksort();
            profile.run.off_processor = Nanos::from_nanos(off);
            (profile.run.threads, profile.run.assumed_cores) = (2, assumed_cores);
            for node in &mut profile.tree {
                node.on_work.local_work += node.on_work.local_work;
            }
            let stacks: [(u32, &[u32], f64, f64); 2] = [
                (1, &[0], at_atomics, 0.0),
                (1, &[1], 160.0 - at_atomics, 0.0),
            ];
            let mut samples = example::samples(&["app::count", "app::draw"], &stacks);
            samples.frames[0].at_atomic = true;
            profile.samples = Some(samples);
            let analysis = analyse(&profile);
            (enough_parallelism(&analysis).text, to_try(&analysis).text)
        };
        let answers = |at_atomics, assumed_cores| answers_of(at_atomics, assumed_cores, 0);
        let (text, advice) = answers(3.0, 8);
        assert!(
            text.contains("3 of 160 samples of the work are at atomic operations in app::count"),
            "{text}"
        );
        assert!(
            advice.starts_with("A run about 6 times as long"),
            "{advice}"
        );
        // Threads that hardly met do not in a longer run, either.
        let (text, advice) = answers_of(3.0, 8, 1_000_000_000);
        assert!(
            text.contains("as threads hardly ran at the same time, these do not tell"),
            "{text}"
        );
        assert!(
            advice.starts_with("Run it again with a free processor"),
            "{advice}"
        );
        // Of 64 cores the span leaves most idle anyway.
        for (at_atomics, cores) in [(0.0, 8), (3.0, 2), (3.0, 64)] {
            let (text, _) = answers(at_atomics, cores);
            assert!(!text.contains("too few to tell"), "{text}");
        }
    }

    #[test]
    fn the_kernel_is_asked_for_memory_where_there_are_page_faults() {
        let advice = |faults: i64| {
            let analysis = on_two_cores(|profile| {
                profile.run.processors = Some(ProcessorUse {
                    used: Nanos::from_nanos(1_060_000_000),
                    queued: None,
                });
                let counts = [("kernel_nanos", 530_000_000), ("page_faults", faults)];
                profile.engine = counts
                    .map(|(name, value)| EngineCount {
                        name: name.to_owned(),
                        value,
                    })
                    .to_vec();
            });
            to_try(&analysis).text
        };
        assert!(advice(600_000).starts_with("Keep memory from one item to the next"));
        assert!(advice(10).starts_with("See what the tasks call"));
    }
}
