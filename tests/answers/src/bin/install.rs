// Situation: a server handles requests one at a time and runs each in the pool by install, to use "all cores".
// usage: install each|all
use rayon::prelude::*;

fn handle(request: u64) -> u64 {
    (0..10_000).fold(request | 1, |x, _| x.rotate_left(9).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ 0x55)
}

fn main() {
    let each = std::env::args().nth(1).is_none_or(|s| s == "each");
    let pool = rayon::ThreadPoolBuilder::new().build().unwrap();
    let sum = if each {
        (0..60_000).fold(0, |sum, request| sum ^ pool.install(|| handle(request))) //@ here
    } else {
        pool.install(|| (0..120_000).into_par_iter().map(handle).reduce(|| 0, |a, b| a ^ b))
    };
    println!("{sum}");
}
