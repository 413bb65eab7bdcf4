// Situation: records are decoded by the iterator, one at a time, and only then go through par_bridge.
// usage: bridge before|after
use rayon::prelude::*;

fn work(x: u64, rounds: u32) -> u64 {
    (0..rounds).fold(x | 1, |x, _| x.rotate_left(9).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ 0x55)
}

fn decode(record: u64) -> u64 {
    work(record, 30_000)
}

fn index(record: u64) -> u64 {
    work(record, 10_000)
}

fn main() {
    let before = std::env::args().nth(1).is_none_or(|s| s == "before");
    let records = 0..10_000u64;
    let sum = if before {
        records.map(decode).par_bridge().map(index).reduce(|| 0, |a, b| a ^ b) //@ here
    } else {
        records.par_bridge().map(|record| index(decode(record))).reduce(|| 0, |a, b| a ^ b)
    };
    println!("{sum}");
}
