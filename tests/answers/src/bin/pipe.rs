// Three stages, each a task of a scope, joined by channels; the middle one has half of the work.
// usage: pipe stages|blocks     blocks: each block goes through all stages in one task (fine)
use rayon::prelude::*;
use std::sync::mpsc::channel;

fn grind(mut state: u64, rounds: u32) -> u64 {
    for _ in 0..rounds {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
        state ^= state >> 31;
    }
    state
}

fn read_block(number: u64) -> u64 {
    grind(number, 500_000)
}
fn compress(block: u64) -> u64 {
    grind(block, 1_000_000)
}
fn write_block(block: u64) -> u64 {
    grind(block, 500_000)
}

fn main() {
    if std::env::args().nth(1).is_some_and(|s| s == "blocks") {
        let block = |number| write_block(compress(read_block(number)));
        return println!("{}", (0..500).into_par_iter().map(block).reduce(|| 0, |a, b| a ^ b));
    }
    let (raw_in, raw_out) = channel();
    let (packed_in, packed_out) = channel();
    let mut sum = 0u64;
    rayon::scope_fifo(|scope| {
        scope.spawn_fifo(move |_| {
            for number in 0..250 {
                raw_in.send(read_block(number)).unwrap();
            }
        });
        scope.spawn_fifo(move |_| {
            for block in raw_out {
                packed_in.send(compress(block)).unwrap(); //@ here
            }
        });
        scope.spawn_fifo(|_| {
            for block in packed_out {
                sum ^= write_block(block);
            }
        });
    });
    println!("{sum}");
}
