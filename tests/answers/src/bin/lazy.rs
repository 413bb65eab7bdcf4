// A table that is built on first use, and the first use is in a parallel loop.
// usage: lazy first|before     before: it is built before the loop, in parallel (fine)
use rayon::prelude::*;
use std::sync::LazyLock;

static TABLE: LazyLock<Vec<u32>> = LazyLock::new(build_table); //@ here

fn build_table() -> Vec<u32> {
    let mut table = vec![0u32; 1 << 16];
    let mut state = 12345u64;
    for round in 0..6000u32 {
        for slot in table.iter_mut() {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            *slot ^= (state >> 33) as u32 ^ round;
        }
    }
    table
}

fn build_in_parallel() -> Vec<u32> {
    let slot = |slot: u32| {
        (0..6000u64).fold(slot, |value, round| {
            let state = (u64::from(value) ^ round).wrapping_mul(6364136223846793005);
            value ^ (state >> 33) as u32 ^ round as u32
        })
    };
    (0..1 << 16).into_par_iter().map(slot).collect()
}

fn look_up(item: u64) -> u64 {
    let table = &*TABLE; //@ here
    walk(table, item)
}

fn walk(table: &[u32], item: u64) -> u64 {
    let mut at = item;
    for _ in 0..250_000 {
        at = at.wrapping_mul(2862933555777941757) ^ u64::from(table[(at >> 48) as usize]);
    }
    at
}

fn main() {
    let items: Vec<u64> = (0..1000).collect();
    let sum = if std::env::args().nth(1).is_some_and(|s| s == "before") {
        let table = build_in_parallel();
        items.par_iter().map(|&item| walk(&table, item)).reduce(|| 0, |a, b| a ^ b)
    } else {
        items
            .par_iter()
            .map(|&item| look_up(item))
            .reduce(|| 0, |a, b| a ^ b)
    };
    println!("{sum}");
}
