// Situation: with_max_len(1) "for the best balance" on millions of items of a few nanoseconds.
// usage: maxlen one|default
use rayon::prelude::*;

fn main() {
    let one = std::env::args().nth(1).is_none_or(|s| s == "one");
    let samples: Vec<u32> = (0..20_000_000).into_par_iter().collect();
    let max = if one { 1 } else { usize::MAX };
    let mut sum = 0u64;
    for pass in 0..if one { 1 } else { 20 } {
        sum ^= samples
            .par_iter()
            .with_max_len(max)
            .map(|&s| u64::from(s.wrapping_mul(0x9E37_79B1) >> 7) % 1009 + pass)
            .sum::<u64>(); //@ here
    }
    println!("{sum}");
}
