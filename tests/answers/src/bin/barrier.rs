// std threads meet at a barrier in each step; between two barriers the leader alone works.
// usage: barrier THREADS|even     even: each thread makes its part of the next field (fine)
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Barrier;
use std::thread;

const BORDERS: u64 = 2_000_000;

fn grind(mut state: u64, rounds: u64) -> u64 {
    for _ in 0..rounds {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
        state ^= state >> 31;
    }
    state
}

fn update(cells: u64, seed: u64) -> u64 {
    grind(seed, cells)
}

fn exchange_borders(seed: u64) -> u64 {
    grind(seed, BORDERS)
}

fn main() {
    let threads = thread::available_parallelism().unwrap().get() as u64;
    let argument = std::env::args().nth(1).unwrap_or_default();
    let even = argument == "even";
    let threads = argument.parse().unwrap_or(threads);
    let barrier = Barrier::new(threads as usize);
    let field = AtomicU64::new(1);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for _ in 0..100 {
                    field.fetch_add(update(4_000_000 / threads, 7), Ordering::Relaxed);
                    if even {
                        field.fetch_add(grind(3, BORDERS / threads), Ordering::Relaxed);
                        barrier.wait();
                        continue;
                    }
                    let leads = barrier.wait().is_leader(); //@ here
                    if leads {
                        field.fetch_add(exchange_borders(3), Ordering::Relaxed);
                        //@ here
                    }
                    barrier.wait(); //@ here
                }
            });
        }
    });
    println!("{}", field.into_inner());
}
