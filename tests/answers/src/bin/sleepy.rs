// Situation: each item waits for a server (here: sleeps); the threads, one a core, are mostly asleep.
// usage: sleepy wait|many     many: a pool of 20 threads
use rayon::prelude::*;
use std::time::Duration;

fn fetch(page: u64) -> u64 {
    std::thread::sleep(Duration::from_millis(20)); //@ here
    (0..400_000).fold(page | 1, |x, _| x.rotate_left(9).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ 0x55)
}

fn main() {
    let wait = std::env::args().nth(1).is_none_or(|s| s == "wait");
    let threads = if wait { 0 } else { 20 };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let pages = if wait { 0..100 } else { 0..400 };
    let sum = pool.install(|| pages.into_par_iter().map(fetch).reduce(|| 0, |a, b| a ^ b)); //@ here
    println!("{sum}");
}
