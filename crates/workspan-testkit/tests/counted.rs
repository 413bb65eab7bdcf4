//! Programs whose work and span are known in events of the kernel: page faults, context switches,
//! processor time.
//!
//! These can be counted wherever counters are allowed; elsewhere a test is skipped. Events of the
//! processor are tested where they can be counted.

#[path = "../../../tests/skip.rs"]
mod skip;

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use workspan_format::raw::{self, RawProfile};
use workspan_rt::clock::Clock;
use workspan_rt::counters::{Counter, Event, Linux};
use workspan_rt::session::{self, Config};
use workspan_rt::{Metric, region};
use workspan_testkit::spin;

/// The profile of `program` in a pool of two threads, counted in `metric`; `None` if that cannot be
/// counted.
fn profile_of(metric: &str, program: impl FnOnce() + Send) -> Option<RawProfile> {
    profile_of_root(metric, || {
        let pool = workspan_rayon::ThreadPoolBuilder::new()
            .num_threads(2)
            .build()
            .expect("a pool of two");
        pool.install(program);
    })
}

/// The same for a `program` on the calling thread.
fn profile_of_root(metric: &str, program: impl FnOnce()) -> Option<RawProfile> {
    static SESSION: Mutex<()> = Mutex::new(());
    let _session = SESSION.lock().unwrap_or_else(PoisonError::into_inner);
    let event = Event::named(metric).unwrap_or_else(|problem| panic!("{problem}"));
    if let Err(problem) = Counter::open(&event, Linux) {
        let name = match metric {
            "instructions" => "hardware-counters",
            _ => "kernel-counters",
        };
        skip::skip(name, &problem.to_string());
        return None;
    }
    session::start(Config {
        metric: Metric::of_name(metric),
        clock: Clock::Counter,
        ..Config::default()
    });
    program();
    let text = session::finish().expect("a session is under way");
    let profile = raw::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(profile.metric_problem, None);
    assert_eq!(profile.metric.name, metric);
    Some(profile)
}

fn work_of(profile: &RawProfile) -> i64 {
    profile.nodes.iter().map(|node| node.work.local_ticks).sum()
}

/// Touches new pages. They are shared memory, so that each of them is a fault: the kernel makes no
/// large pages of it.
fn touch(pages: usize) {
    let size = pages * rustix::param::page_size();
    // SAFETY: a new mapping of this size. Only bytes in it are written, before it is unmapped.
    unsafe {
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        let memory = mmap_anonymous(std::ptr::null_mut(), size, protection, MapFlags::SHARED);
        let memory = memory.expect("there is memory");
        for page in 0..pages {
            *memory.cast::<u8>().add(page * rustix::param::page_size()) = 1;
        }
        munmap(memory, size).expect("it was mapped");
    }
}

/// At most this many pages are touched by the engine itself and for the stacks of threads.
const OWN_PAGES: i64 = 300;

#[test]
fn page_faults_have_work_and_span() {
    let program = || {
        touch(2_000);
        workspan_rayon::join(
            || touch(10_000),
            || workspan_rayon::join(|| touch(30_000), || touch(5_000)),
        );
    };
    let Some(profile) = profile_of("page-faults", program) else {
        return;
    };
    let (work, span) = (work_of(&profile), profile.span_ticks);
    eprintln!("ran: work {work}, span {span} page faults");
    assert!((47_000..47_000 + OWN_PAGES).contains(&work), "{work}");
    assert!((32_000..32_000 + OWN_PAGES).contains(&span), "{span}");
    assert_eq!(profile.metric.unit, "page faults");
    assert_eq!(profile.ticks_per_second, 1e9);
}

/// The faults of other threads and tasks do not count for a task.
#[test]
fn each_task_counts_its_own_faults() {
    let program = || {
        workspan_rayon::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|_| touch(1_000));
            }
        });
    };
    let Some(profile) = profile_of("page-faults", program) else {
        return;
    };
    let (work, span) = (work_of(&profile), profile.span_ticks);
    eprintln!("ran: work {work}, span {span} page faults");
    assert!((20_000..20_000 + OWN_PAGES).contains(&work), "{work}");
    // One task, and what their spawner touches itself.
    assert!((1_000..1_000 + OWN_PAGES).contains(&span), "{span}");
}

#[test]
fn switches_are_those_of_sleeping_strands() {
    let sleep = |times: usize| {
        for _ in 0..times {
            thread::sleep(Duration::from_micros(200));
        }
    };
    let program = || {
        workspan_rayon::join(|| sleep(100), || sleep(300));
    };
    let Some(profile) = profile_of("context-switches", program) else {
        return;
    };
    let (work, span) = (work_of(&profile), profile.span_ticks);
    eprintln!("ran: work {work}, span {span} context switches");
    // A busy machine causes further switches.
    assert!(work >= 400 && span >= 300 && span < work, "{work}, {span}");
}

/// The processor time of two spins, of 40 and of 60 ms: work and span.
fn processor_time_of_spins() -> Option<(i64, i64)> {
    let [left, right] = [40, 60].map(Duration::from_millis);
    let profile = profile_of("task-clock", || {
        workspan_rayon::join(|| spin(left), || spin(right));
    })?;
    assert_eq!(profile.metric.unit, "ns");
    let (work, span) = (work_of(&profile), profile.span_ticks);
    eprintln!("ran: work {work}, span {span} ns");
    assert!(work > 97_000_000 && span > 58_000_000, "{work}, {span}");
    Some((work, span))
}

#[test]
fn processor_time_is_counted_as_a_time() {
    let Some((work, span)) = processor_time_of_spins() else {
        return;
    };
    // The longer branch is on the span, unless interrupts have made the other one longer.
    assert!(work - span > 38_000_000, "{work}, {span}");
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn processor_time_is_that_of_the_spins_alone() {
    // Time of an interrupt may be counted for the spin that it interrupts.
    let mut disturbed = Vec::new();
    while disturbed.len() < 3 {
        let Some((work, span)) = processor_time_of_spins() else {
            return;
        };
        if work < 115_000_000 && span < 70_000_000 {
            return;
        }
        disturbed.push((work, span));
    }
    panic!("work and span {disturbed:?}");
}

/// A thread that lives through several sessions counts the event of each.
#[test]
fn each_session_counts_its_own_event() {
    let work = |metric: &str, pages| {
        let profile = profile_of_root(metric, || {
            touch(pages);
            for _ in 0..50 {
                thread::sleep(Duration::from_micros(200));
            }
        });
        profile.map(|profile| work_of(&profile))
    };
    let Some(faults) = work("page-faults", 20_000) else {
        return;
    };
    assert!((20_000..20_000 + OWN_PAGES).contains(&faults), "{faults}");
    let switches = work("context-switches", 100_000).expect("counters are allowed");
    // A busy machine causes further switches, but they are no page faults.
    assert!((50..100_000).contains(&switches), "{switches}");
    let faults = work("page-faults", 30_000).expect("counters are allowed");
    assert!((30_000..30_000 + OWN_PAGES).contains(&faults), "{faults}");
}

/// An event of the processor: a task with a loop twice as long has twice the instructions.
#[test]
fn instructions_have_work_and_span_where_they_can_be_counted() {
    let run = |rounds: u64| {
        for round in 0..rounds {
            std::hint::black_box(round);
        }
    };
    let program = || {
        workspan_rayon::join(|| run(10_000_000), || run(20_000_000));
    };
    let Some(profile) = profile_of("instructions", program) else {
        return;
    };
    let (work, span) = (work_of(&profile) as f64, profile.span_ticks as f64);
    eprintln!("ran: work {work}, span {span} instructions");
    assert!((1.45..1.55).contains(&(work / span)), "{work}, {span}");
}

/// The beginning of a region is a time, whatever is counted: also on two threads that each have
/// their own counter, and count nothing while they sleep.
#[test]
fn regions_begin_at_times() {
    const PAUSE: Duration = Duration::from_millis(20);
    let begin_and_end = |name: &str| {
        thread::sleep(PAUSE);
        region::end(region::begin(name, ("counted.rs", 1, 1)));
    };
    let program = || {
        begin_and_end("first");
        thread::scope(|scope| {
            scope.spawn(|| begin_and_end("second"));
        });
        begin_and_end("third");
    };
    let Some(profile) = profile_of("page-faults", program) else {
        return;
    };
    let starts: Vec<i64> = (profile.instances.iter())
        .map(|instance| instance.start_ticks)
        .collect();
    assert_eq!(starts.len(), 3);
    let mut least = 0;
    for start in starts {
        least += PAUSE.as_nanos() as i64;
        assert!(start >= least, "{start} ns");
        least = start;
    }
    assert!(least <= profile.elapsed_ticks, "{least} ns");
}
