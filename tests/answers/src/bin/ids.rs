// Situation: each record gets the next free number, from one counter; its hash costs little more.
// usage: ids each|block     block: 10,000 numbers are taken at a time
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

const RECORDS: u64 = 20_000_000;
const BLOCK: u64 = 10_000;

fn hash(mut record: u64) -> u64 {
    for _ in 0..25 {
        record = (record ^ record >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    }
    record
}

fn main() {
    let next = AtomicU64::new(1);
    let take = |numbers: u64| next.fetch_add(numbers, Ordering::Relaxed); //@ here
    let sum: u64 = if std::env::args().nth(1).is_some_and(|variant| variant == "block") {
        let blocks = (0..RECORDS / BLOCK).into_par_iter();
        blocks
            .map(|_| {
                let first = take(BLOCK);
                (first..first + BLOCK).fold(0u64, |sum, number| sum.wrapping_add(hash(number)))
            })
            .reduce(|| 0, u64::wrapping_add)
    } else {
        let records = (0..RECORDS).into_par_iter();
        records.map(|_| hash(take(1))).reduce(|| 0, u64::wrapping_add) //@ here
    };
    println!("{sum}");
}
