// Situation: the map is parallel, then the results are sorted and written on one thread.
// usage: tail serial|parallel
use rayon::prelude::*;
use std::fmt::Write;

fn score(item: u64) -> u64 {
    let mut x = item | 1;
    for _ in 0..60 {
        x = x.rotate_left(9).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ 0x55;
    }
    x
}

fn lines(scores: &[u64]) -> String { //@ here
    let mut text = String::new();
    for score in scores {
        writeln!(text, "{score:>20} {:8.3}", *score as f64 / 1e15).unwrap();
    }
    text
}

fn main() {
    let serial = std::env::args().nth(1).is_none_or(|s| s == "serial");
    let mut scores: Vec<u64> = (0..3_000_000).into_par_iter().map(score).collect();
    let text = if serial {
        scores.sort(); //@ here
        lines(&scores) //@ here
    } else {
        scores.par_sort();
        scores.par_chunks(10_000).map(lines).collect::<Vec<_>>().concat()
    };
    println!("{}", text.len());
}
