//! What the engine costs, measured on the real rayon.

use crate::account::run;
use crate::branches;
use rayon_core_real as real;
use std::panic::Location;
use std::sync::Once;
use workspan_rt::{Call, Fork, Group, Kind, Workload};

/// Version of the real rayon-core: the wrapper compiles this crate in its place, with its
/// environment variables.
const VERSION: &str = match option_env!("CARGO_PKG_VERSION") {
    Some(version) => version,
    None => "-",
};

/// Call before a pool is built: the engine measures itself and the real rayon on a pool of its own.
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
                        Some(fork) => {
                            let branch = |_| joins(depth - 1);
                            nothing(branches::run(fork, branch, branch));
                        }
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
            // So that in every run alike, the program's threads get the memory that this one
            // leaves.
            for thread in threads {
                let _ = thread.join();
            }
        });
    });
}

fn nothing(_: ((), ())) {}
