// std threads meet at a barrier in each step; between two barriers the leader alone makes the next field.
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Barrier;
use std::thread;

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
    grind(seed, 2_000_000)
}

fn main() {
    let threads = thread::available_parallelism().unwrap().get() as u64;
    let threads = std::env::args()
        .nth(1)
        .map_or(threads, |n| n.parse().unwrap());
    let barrier = Barrier::new(threads as usize);
    let field = AtomicU64::new(1);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                //@ here
                for _ in 0..100 {
                    field.fetch_add(update(4_000_000 / threads, 7), Ordering::Relaxed);
                    if barrier.wait().is_leader() {
                        //@ here
                        field.fetch_add(exchange_borders(3), Ordering::Relaxed);
                        //@ here
                    }
                    barrier.wait();
                }
            });
        }
    });
    println!("{}", field.into_inner());
}
