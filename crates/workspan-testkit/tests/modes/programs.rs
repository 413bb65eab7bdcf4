//! The programs that the checks run.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use workspan_rayon as rayon;
use workspan_testkit::processor_time;

type Program = (&'static str, fn());

const PROGRAMS: &[Program] = &[
    ("spins", || timed(spins)),
    ("meanwhile", || timed(meanwhile)),
    ("serial", || timed(serial)),
    ("scopes", || timed(scopes)),
    ("broadcast late", || timed(broadcast_late)),
    ("another pool", || timed(another_pool)),
    ("handler", handler),
    ("current", || timed(current)),
    ("current global", || timed(current_global)),
    ("pools", || timed(pools)),
    ("endless", endless),
    ("exits", || rayon::scope(|_| std::process::exit(0))),
    ("panics", || {
        rayon::join(|| spin(1), || panic!("as it should"));
    }),
    ("threads", threads),
    ("deep", || println!("{}", deep(1_000))),
    ("results", results),
    ("panicking", panicking),
    ("handlers", handlers),
];

pub fn run(name: &str) {
    let program = PROGRAMS.iter().find(|program| program.0 == name);
    program.expect("a known program").1();
}

/// Nanoseconds that [`spin`] took on all threads, and that [`in_pool`] took: longer than asked for
/// if something else had a processor meanwhile.
static SPUN: AtomicU64 = AtomicU64::new(0);
static IN_POOL: AtomicU64 = AtomicU64::new(0);

/// Nanoseconds for which each thread was ready to run while something else had the processors, by
/// the thread's number.
static KEPT_WAITING: Mutex<BTreeMap<OsString, u64>> = Mutex::new(BTreeMap::new());
static KEPT_WAITING_IN_SPINS: AtomicU64 = AtomicU64::new(0);

/// Keeps the processor busy in the pool.
fn spin(millis: u64) {
    spin_for(millis, &SPUN);
}

/// Keeps the processor busy outside of the pool.
fn spin_serially(millis: u64) {
    spin_for(millis, &AtomicU64::new(0));
}

fn spin_for(millis: u64, sum: &AtomicU64) {
    let (started, ran) = (Instant::now(), processor_time());
    while started.elapsed() < Duration::from_millis(millis) {
        std::hint::spin_loop();
    }
    let (passed, ran) = (started.elapsed(), processor_time() - ran);
    sum.fetch_add(passed.as_nanos() as u64, Ordering::Relaxed);
    let waited = passed.saturating_sub(ran).as_nanos() as u64;
    KEPT_WAITING_IN_SPINS.fetch_add(waited, Ordering::Relaxed);
}

/// A call for which the main thread leaves its serial code.
fn in_pool<T>(call: impl FnOnce() -> T) {
    let started = Instant::now();
    call();
    IN_POOL.fetch_add(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
    note_waits();
}

/// Updates [`KEPT_WAITING`] for all threads that exist.
fn note_waits() {
    let mut waits = KEPT_WAITING.lock().expect("no panic inside");
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    for thread in threads.flatten() {
        let accounts = std::fs::read_to_string(thread.path().join("schedstat"));
        let delay = accounts
            .ok()
            .and_then(|it| it.split(' ').nth(1)?.parse().ok());
        waits.insert(thread.file_name(), delay.unwrap_or(0));
    }
}

/// Runs a program whose tasks only spin. Prints the nanoseconds that calls into the pool took,
/// those that spins took, and those for which threads had to wait for a processor outside of spins.
fn timed(program: fn()) {
    program();
    note_waits();
    let waits = KEPT_WAITING.lock().expect("no panic inside");
    let sums = [&IN_POOL, &SPUN, &KEPT_WAITING_IN_SPINS];
    let [in_pool, spun, in_spins] = sums.map(|sum| sum.load(Ordering::Relaxed));
    let elsewhere = waits.values().sum::<u64>().saturating_sub(in_spins);
    println!("{in_pool} {spun} {elsewhere}");
}

/// Two threads, 600 ms, of which one idles 400.
fn spins() {
    for _ in 0..5 {
        in_pool(|| rayon::join(|| spin(20), || spin(60)));
        in_pool(|| rayon::join(|| spin(60), || spin(20)));
    }
}

/// In a join whose right branch is stolen and long, the waiting worker gets tasks that the right
/// branch forks off. Two threads, 5 × 60 ms, of which one idles 5 × 20.
fn meanwhile() {
    let right = || {
        spin(20);
        rayon::join(|| spin(40), || spin(30));
    };
    for _ in 0..5 {
        in_pool(|| rayon::join(|| spin(10), right));
    }
}

/// 100 ms outside of the pool, one short call in it, 100 ms outside.
fn serial() {
    spin_serially(100);
    in_pool(|| rayon::join(|| spin(20), || spin(20)));
    spin_serially(100);
}

/// 40 ms with 2 tasks of 40 and 10 ms; the same detached; 20 ms of broadcast.
fn scopes() {
    in_pool(|| {
        rayon::scope(|scope| {
            scope.spawn(|_| spin(40));
            scope.spawn(|_| spin(10));
        });
    });
    let (sender, receiver) = std::sync::mpsc::channel();
    for millis in [40, 10] {
        let sender = sender.clone();
        rayon::spawn(move || {
            spin(millis);
            let _ = sender.send(());
        });
    }
    // For the main thread this is serial code, in parallel to the tasks.
    receiver.iter().take(2).for_each(drop);
    in_pool(|| rayon::broadcast(|context| spin(20 - 10 * context.index() as u64)));
}

/// A scope's broadcast, to which the other thread gets only after 100 ms. The first one idles for
/// 90 of them.
fn broadcast_late() {
    let left = || {
        spin(10);
        rayon::scope(|scope| scope.spawn_broadcast(|_, _| ()));
    };
    in_pool(|| rayon::join(left, || spin(100)));
}

/// A pool's thread waits for a task in another pool, whose thread is busy for 100 ms.
fn another_pool() {
    let pool = || rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let [first, second] = [pool(), pool()].map(|pool| pool.expect("a pool"));
    second.spawn(|| spin(100));
    in_pool(|| first.install(|| second.in_place_scope(|scope| scope.spawn(|_| ()))));
}

/// One thread, which idles for 100 ms after a panic whose handler forks.
fn handler() {
    std::panic::set_hook(Box::new(|_| ()));
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .panic_handler(|_| {
            rayon::join(|| (), || ());
        })
        .build()
        .expect("a pool");
    pool.spawn(|| panic!("as it should"));
    spin_serially(100);
    pool.install(|| ());
}

/// A pool with the main thread as one of its threads.
fn current() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .use_current_thread()
        .build()
        .expect("a pool");
    in_pool(|| pool.install(unequal_spins));
}

/// The same with the global pool.
fn current_global() {
    let builder = rayon::ThreadPoolBuilder::new().num_threads(2);
    let built = builder.use_current_thread().build_global();
    built.expect("a pool");
    in_pool(unequal_spins);
}

/// Two threads, 250 ms, of which one idles 200.
fn unequal_spins() {
    for _ in 0..5 {
        rayon::join(|| spin(10), || spin(50));
    }
}

fn pools() {
    for _ in 0..10 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let pool = pool.expect("a pool");
        in_pool(|| pool.install(|| rayon::join(|| spin(5), || spin(15))));
    }
}

fn endless() {
    println!("begun");
    rayon::join(
        || spin(1),
        || {
            loop {
                spin(10)
            }
        },
    );
}

fn thread_count() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(1, Iterator::count)
}

fn threads() {
    let before = thread_count();
    let here = std::thread::current().id();
    let is_here = || assert_eq!(std::thread::current().id(), here);
    rayon::join(is_here, is_here);
    rayon::scope(|scope| {
        scope.spawn(move |scope| scope.spawn(move |_| is_here()));
        scope.spawn_broadcast(move |_, context| {
            assert_eq!((context.index(), context.num_threads()), (0, 1));
            is_here();
        });
    });
    rayon::in_place_scope_fifo(|scope| scope.spawn_fifo(move |_| is_here()));
    rayon::spawn(move || assert_eq!(std::thread::current().id(), here));
    let started = AtomicUsize::new(0);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(3)
        .start_handler(|_| panic!("no thread starts"))
        .build()
        .expect("a pool");
    pool.install(is_here);
    pool.spawn(move || assert_eq!(std::thread::current().id(), here));
    assert_eq!(
        pool.broadcast(|_| started.fetch_add(1, Ordering::Relaxed)),
        [0]
    );
    assert_eq!(rayon::broadcast(|context| context.num_threads()), [1]);
    assert_eq!(
        (pool.current_num_threads(), rayon::current_num_threads()),
        (1, 1)
    );
    assert_eq!(rayon::current_thread_index(), Some(0));
    assert!(matches!(rayon::yield_now(), Some(rayon::Yield::Idle)));
    assert!(rayon::ThreadPoolBuilder::new().build_global().is_ok());
    let second = rayon::ThreadPoolBuilder::new().build_global();
    assert_eq!(
        second.expect_err("there is one").to_string(),
        "The global thread pool has already been initialized."
    );
    println!("{} threads more", thread_count() - before);
}

/// A recursion for which rayon's threads have room, even without optimisation.
fn deep(n: u64) -> u64 {
    if n == 0 {
        return 0;
    }
    let (below, here) = rayon::join(|| deep(n - 1), || 1);
    below + here
}

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

/// Spawns a task for each number below `n`, which does the same for its own number.
fn tree<'scope>(scope: &rayon::Scope<'scope>, sum: &'scope AtomicUsize, n: usize) {
    for m in 0..n {
        scope.spawn(move |scope| {
            sum.fetch_add(m, Ordering::Relaxed);
            tree(scope, sum, m);
        });
    }
}

/// Prints results that do not depend on the order of tasks.
fn results() {
    println!("{}", fib(20));
    let sum = AtomicUsize::new(0);
    let body = rayon::scope(|scope| {
        tree(scope, &sum, 8);
        "body"
    });
    println!("{body} {}", sum.into_inner());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    let pool = pool.expect("a pool");
    println!("{:?}", pool.install(|| rayon::join(|| 1, || "two")));
    println!(
        "{}",
        pool.scope(|scope| {
            scope.spawn(|_| ());
            3
        })
    );
    println!("{}", pool.join(|| 4, || 5).1);
    println!("{:?}", rayon::join_context(|_| 6, |_| 7));
}

/// Prints the panics that come out of calls.
fn panicking() {
    std::panic::set_hook(Box::new(|_| ()));
    let say = |name: &str, call: &mut dyn FnMut()| {
        let panic = catch_unwind(AssertUnwindSafe(call)).expect_err("it panics");
        let word = panic.downcast_ref::<&str>().copied().unwrap_or("?");
        println!("{name}: {word}");
    };
    let ran = Mutex::new(Vec::new());
    let note = |word| ran.lock().expect("no panic inside").push(word);
    say("left", &mut || {
        rayon::join(|| panic!("left"), || note("right of left"));
    });
    say("right", &mut || {
        rayon::join(|| note("left of right"), || panic!("right"));
    });
    say("both", &mut || {
        rayon::join(|| panic!("first"), || panic!("second"));
    });
    say("task", &mut || {
        rayon::scope(|scope| {
            scope.spawn(|_| panic!("task"));
            scope.spawn(|_| note("other task"));
            note("body");
        });
    });
    say("body", &mut || {
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| note("task of body"));
            panic!("body");
        });
    });
    say("broadcast", &mut || {
        rayon::broadcast(|_| -> () { panic!("broadcast") });
    });
    let mut ran = ran.into_inner().expect("no panic inside");
    ran.sort_unstable();
    println!("{ran:?}");
}

/// A detached task's panic goes to the handler.
fn handlers() {
    std::panic::set_hook(Box::new(|_| ()));
    let (sender, receiver) = std::sync::mpsc::channel();
    let sender = Mutex::new(sender);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .panic_handler(move |panic| {
            let word = panic.downcast_ref::<&str>().copied().unwrap_or("?");
            let _ = sender.lock().expect("no panic inside").send(word);
        })
        .build()
        .expect("a pool");
    pool.spawn(|| panic!("detached"));
    println!("{}", receiver.recv().expect("the handler is called"));
}
