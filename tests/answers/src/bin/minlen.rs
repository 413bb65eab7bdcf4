// Situation: with_min_len was set for a long list of cheap items; the list is now short and its items dear.
// usage: minlen high|default
use rayon::prelude::*;

fn render(tile: u64) -> u64 {
    let mut x = tile | 1;
    for _ in 0..6_000_000 {
        x = x.rotate_left(9).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ 0x55;
    }
    x
}

fn main() {
    let high = std::env::args().nth(1).is_none_or(|s| s == "high");
    let tiles: Vec<u64> = (0..120).collect();
    let min = if high { 1024 } else { 1 };
    let sum = tiles.par_iter().with_min_len(min).map(|&t| render(t)).reduce(|| 0, |a, b| a ^ b); //@ here
    println!("{sum}");
}
