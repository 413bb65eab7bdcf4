//! Many tasks, threads and pools, and deep ones.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::work;

unsafe extern "C" {
    fn without_frames(seed: u64, times: u64) -> u64;
}

pub fn run(name: &str, arguments: &[OsString]) -> Option<ExitCode> {
    let count = || arguments[0].to_str().unwrap().parse::<u64>().unwrap();
    match name {
        "spawns" => {
            let done = AtomicU64::new(0);
            rayon::scope(|scope| {
                for _ in 0..count() {
                    scope.spawn(|_| {
                        done.fetch_add(1, Ordering::Relaxed);
                    });
                }
            });
            println!("{}", done.into_inner());
        }
        "pools" => {
            let sum: u64 = (0..count()).map(|n| pool(1).install(|| n % 3)).sum();
            println!("{sum}");
        }
        "nested-pools" => {
            let outer = pool(2);
            let sum: u64 = outer.install(|| {
                (0..20_u64)
                    .into_par_iter()
                    .map(|n| pool(2).install(|| work::fib(8) + n))
                    .sum()
            });
            println!("{sum}");
        }
        "deep-joins" => {
            fn deep(depth: u64) -> u64 {
                if depth == 0 {
                    return 0;
                }
                rayon::join(|| deep(depth - 1), || 1).0 + 1
            }
            println!("{}", deep(count()));
        }
        "deep-scopes" => {
            fn deep(depth: u64) -> u64 {
                let mut below = 0;
                rayon::scope(|scope| {
                    if depth > 0 {
                        scope.spawn(|_| below = deep(depth - 1) + 1);
                    }
                });
                below
            }
            println!("{}", deep(count()));
        }
        "threads" => {
            let threads: Vec<_> = (0..count())
                .map(|n| thread::spawn(move || work::fib(n % 8)))
                .collect();
            let sum: u64 = threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .sum();
            println!("{sum}");
        }
        "current-thread-pool" => {
            ThreadPoolBuilder::new()
                .num_threads(2)
                .use_current_thread()
                .build_global()
                .unwrap();
            println!("{} {:?}", work::some(), rayon::current_thread_index());
        }
        "constructs" => constructs(),
        "without-frames" => {
            let times: u64 = (0..32_u64)
                .into_par_iter()
                // SAFETY: the function works on numbers alone.
                .map(|seed| unsafe { without_frames(seed, 1000) })
                .sum();
            println!("{times}");
        }
        "memory" => {
            let blocks: Vec<Vec<u8>> = (0..64_u8)
                .into_par_iter()
                .map(|n| vec![n; 1 << 20])
                .collect();
            println!(
                "{}",
                blocks.iter().map(|block| u64::from(block[7])).sum::<u64>()
            );
        }
        _ => return None,
    }
    Some(ExitCode::SUCCESS)
}

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
}

/// One of each.
fn constructs() {
    let bridged: u64 = (0..1000_u64).par_bridge().map(|n| n % 5).sum();
    let mut numbers: Vec<u64> = (0..50_000).map(|n| n * 7919 % 50_021).collect();
    numbers.par_sort_unstable();
    let mut fifo = 0;
    rayon::scope_fifo(|scope| scope.spawn_fifo(|_| fifo = work::fib(6)));
    let mut in_place = 0;
    rayon::in_place_scope(|scope| scope.spawn(|_| in_place = work::fib(6)));
    let pool = pool(3);
    let everywhere: usize = pool.broadcast(|context| context.index()).into_iter().sum();
    let found = numbers.par_iter().position_first(|&n| n == 77).is_some();
    let chunked: u64 = numbers.par_chunks(100).map(|chunk| chunk[0]).max().unwrap();
    println!(
        "{bridged} {} {fifo} {in_place} {everywhere} {found} {chunked}",
        numbers.is_sorted()
    );
}
