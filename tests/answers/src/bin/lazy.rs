// A table that is built on first use, and the first use is in a parallel loop.
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

fn look_up(item: u64) -> u64 {
    let table = &*TABLE; //@ here
    let mut at = item;
    for _ in 0..250_000 {
        at = at.wrapping_mul(2862933555777941757) ^ u64::from(table[(at >> 48) as usize]);
    }
    at
}

fn main() {
    let items: Vec<u64> = (0..1000).collect();
    let sum = items
        .par_iter()
        .map(|&item| look_up(item))
        .reduce(|| 0, |a, b| a ^ b);
    println!("{sum}");
}
