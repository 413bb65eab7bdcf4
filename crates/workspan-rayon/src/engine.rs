//! Getting the engine and the pools ready.

use crate::idle;
use rayon_core_real as real;
use std::cell::Cell;
use std::panic::Location;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Once;
use workspan_rt::idle::Worker;
use workspan_rt::{mode, Call, Fork, Group, Kind, Mode, Seed, Task, Workload};

/// Version of the real rayon-core: the wrapper compiles this crate in its place, with its variables.
const VERSION: &str = match option_env!("CARGO_PKG_VERSION") {
    Some(version) => version,
    None => "-",
};

/// How the number of threads of a pool came about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Size {
    /// Rayon's default: the assumed number of cores is answered for it.
    Default,
    /// The program's choice: answered as it is.
    Chosen,
}

const OUTSIDE: usize = 0;
const IN_DEFAULT: usize = 1;
const IN_CHOSEN: usize = 2;

thread_local! {
    static MEMBER_OF: Cell<usize> = const { Cell::new(OUTSIDE) };
}

static GLOBAL: AtomicUsize = AtomicUsize::new(OUTSIDE);

/// Notes that the calling thread works for a pool of `size`.
pub(crate) fn join_pool(size: Size) {
    MEMBER_OF.set(if size == Size::Default {
        IN_DEFAULT
    } else {
        IN_CHOSEN
    });
    workspan_rt::become_worker();
}

/// Notes that the calling thread, which runs the program, works for a pool of `size`, too.
pub(crate) fn join_pool_in_place(size: Size) {
    join_pool(size);
    if mode() == Mode::Idle {
        workspan_rt::idle::become_worker();
    }
}

/// Notes that the calling thread, which runs the program, works for the global pool of `size`, too.
pub(crate) fn join_global_in_place(size: Size) {
    join_pool_in_place(size);
    if mode() == Mode::Idle {
        idle::note_global();
    }
}

/// Notes how the global pool's size came about, and whether the calling thread was made one of it.
pub(crate) fn note_global(size: Size, is_member: bool) {
    GLOBAL.store(
        if size == Size::Default {
            IN_DEFAULT
        } else {
            IN_CHOSEN
        },
        Ordering::Relaxed,
    );
    // Inside another pool, this would tell that one's size.
    if is_member || real::current_thread_index().is_none() {
        note_pool(real::current_num_threads(), size);
    }
}

/// Notes the real size of a pool that begins.
pub(crate) fn note_pool(threads: usize, size: Size) {
    workspan_rt::begin_pool(threads, size == Size::Default);
}

/// Size of the pool that the calling thread's parallel calls go to.
pub(crate) fn present_pool() -> Size {
    let present = match MEMBER_OF.get() {
        OUTSIDE => GLOBAL.load(Ordering::Relaxed),
        member => member,
    };
    if present == IN_CHOSEN {
        Size::Chosen
    } else {
        Size::Default
    }
}

/// To be called before a parallel call that may go to the global pool, while a profile may be taken.
#[inline(always)]
pub(crate) fn prepare() {
    if MEMBER_OF.get() == OUTSIDE {
        prepare_outside();
    }
}

/// To be called before a call that may give tasks to the global pool.
pub(crate) fn prepare_spawn() {
    match mode() {
        Mode::Profile => prepare(),
        Mode::Idle => idle::prepare(),
        Mode::Plain | Mode::Elision => {}
    }
}

#[cold]
#[inline(never)]
fn prepare_outside() {
    if matches!(mode(), Mode::Profile | Mode::Idle) {
        calibrate();
        if GLOBAL.load(Ordering::Relaxed) == OUTSIDE {
            // Fails only if another thread did it first. The wait for the threads to start is nobody's work.
            let _ = workspan_rt::pause(|| crate::ThreadPoolBuilder::new().build_global());
        }
    }
}

/// To be called before a pool is built: the engine measures itself and the real rayon on a pool of its own.
pub(crate) fn calibrate() {
    static ONCE: Once = Once::new();
    if !workspan_rt::active() {
        return;
    }
    ONCE.call_once(|| {
        workspan_rt::note_runtime(workspan_rt::Runtime::Rayon, VERSION);
        fn here() -> &'static Location<'static> {
            Location::caller()
        }
        fn call(kind: Kind) -> Call {
            Call::new::<Workload>(kind, here())
        }
        fn plain_joins(depth: usize) {
            if depth > 0 {
                nothing(real::join(
                    || plain_joins(depth - 1),
                    || plain_joins(depth - 1),
                ));
            }
        }
        fn joins(depth: usize) {
            if depth > 0 {
                Fork::run::<Workload, _>(
                    here(),
                    || (),
                    |fork| match fork {
                        Some(fork) => nothing(real::join(
                            || fork.left(|| joins(depth - 1)),
                            || fork.right(|| joins(depth - 1)),
                        )),
                        None => plain_joins(depth),
                    },
                );
            }
        }
        fn alike_joins(depth: usize, told: bool) {
            if depth == 0 {
            } else if told {
                Fork::run::<Workload, _>(here(), || (), |fork| alike_join(depth, fork));
            } else {
                alike_join(depth, None);
            }
        }
        #[inline(never)]
        fn alike_join(depth: usize, fork: Option<&Fork>) {
            let branch = || alike_joins(depth - 1, fork.is_some());
            nothing(real::join(
                || match fork {
                    Some(fork) => fork.left(branch),
                    None => branch(),
                },
                || match fork {
                    Some(fork) => fork.right(branch),
                    None => branch(),
                },
            ));
        }
        fn alike_spawns(n: usize, told: bool) {
            if told {
                Group::run(call(Kind::Scope), |group| alike_scope(n, group));
            } else {
                alike_scope(n, None);
            }
        }
        #[inline(never)]
        fn alike_scope(n: usize, group: Option<&Group>) {
            real::scope(|scope| {
                let body = || {
                    for _ in 0..n {
                        let task = group.and_then(|group| group.spawn(call(Kind::Spawn)));
                        scope.spawn(move |_| run(task, || ()));
                    }
                };
                match group {
                    Some(group) => group.body(body),
                    None => body(),
                }
            });
        }
        let workload = Workload {
            join_key: Call::key_of::<Workload>(Kind::Join, here()),
            plain_joins,
            joins,
            alike_joins,
            alike_spawns,
            plain_spawns: |n, around| {
                real::scope(|scope| around(&|| (0..n).for_each(|_| scope.spawn(|_| ()))));
            },
            spawns: |n, around| {
                Group::run(call(Kind::Scope), |group| {
                    let Some(group) = group else { return };
                    real::scope(|scope| {
                        group.body(|| {
                            around(&|| {
                                for _ in 0..n {
                                    let task = group.spawn(call(Kind::Spawn));
                                    scope.spawn(move |_| run(task, || ()));
                                }
                            });
                        });
                    });
                });
            },
        };
        workspan_rt::calibrate_once(workload, |measure| {
            let mut threads = Vec::new();
            let builder = real::ThreadPoolBuilder::new().num_threads(1);
            let builder = builder.spawn_handler(|thread| {
                threads.push(std::thread::Builder::new().spawn(|| thread.run())?);
                Ok(())
            });
            if let Ok(pool) = builder.build() {
                pool.install(measure);
            }
            // The program's threads get the memory that this one leaves, in each run alike.
            for thread in threads {
                let _ = thread.join();
            }
        });
    });
}

fn nothing(_: ((), ())) {}

/// The account of a task that no scope waits for.
pub(crate) enum Account {
    None,
    Profile(Task),
    /// And which worker spawned it, if one did.
    Idle(Option<Worker>),
}

impl Account {
    /// Of a detached task with a closure of type `F`.
    pub(crate) fn detached<F>(location: &'static Location<'static>) -> Self {
        match mode() {
            Mode::Idle => Self::Idle(workspan_rt::idle::worker()),
            _ => Task::detached(Call::new::<F>(Kind::Spawn, location))
                .map_or(Self::None, Self::Profile),
        }
    }

    /// Of a task of a broadcast, each of which has one of `seed`.
    pub(crate) fn instance(seed: &Option<Seed>) -> Self {
        match (seed, mode()) {
            (Some(seed), _) => Self::Profile(seed.instance()),
            (None, Mode::Idle) => Self::Idle(None),
            (None, _) => Self::None,
        }
    }

    /// Runs `body` as the task.
    #[inline]
    pub(crate) fn run<R>(self, body: impl FnOnce() -> R) -> R {
        match self {
            Self::None => body(),
            Self::Profile(task) => task.run(body),
            Self::Idle(spawner) => workspan_rt::idle::task(spawner, idle::has_tasks, body),
        }
    }
}

/// Runs `body` as `task`, if there is an account of it.
#[inline]
pub(crate) fn run<R>(task: Option<Task>, body: impl FnOnce() -> R) -> R {
    match task {
        Some(task) => task.run(body),
        None => body(),
    }
}
