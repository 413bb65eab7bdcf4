// Situation: the number of threads was set to 1 to find a bug, and has stayed.
// usage: pool_one one|default
use rayon::prelude::*;

fn compress(block: u64) -> u64 {
    (0..5_000_000).fold(block | 1, |x, _| x.rotate_left(9).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ 0x55)
}

fn main() {
    let one = std::env::args().nth(1).is_none_or(|s| s == "one");
    let threads = if one { 1 } else { 0 };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap(); //@ here
    let sum = pool.install(|| (0..160).into_par_iter().map(compress).reduce(|| 0, |a, b| a ^ b)); //@ here
    println!("{sum}");
}
