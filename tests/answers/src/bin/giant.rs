// Situation: one file of a folder is larger than all others together; the loop is over files.
// usage: giant giant|even
use rayon::prelude::*;

fn parse(size: u64) -> u64 {
    let mut x = size | 1;
    for _ in 0..size * 1000 {
        x = x.rotate_left(9).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ 0x55;
    }
    x
}

fn main() {
    let giant = std::env::args().nth(1).is_none_or(|s| s == "giant");
    let mut sizes = vec![4_000; 100];
    if giant {
        sizes[70] = 600_000;
    } else {
        sizes.extend(vec![4_000; 150]);
    }
    let sum = sizes.par_iter().map(|&size| parse(size)).reduce(|| 0, |a, b| a ^ b); //@ here
    println!("{sum}");
}
