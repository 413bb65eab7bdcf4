//! After https://github.com/TeXitoi/benchmarksgame-rs/pull/48 "binarytrees: rayon version" (2x more
//! on 16 cores once iterations run in parallel). The stretch tree and the long-lived tree stay
//! serial.
use rayon::prelude::*;

struct Tree {
    kids: Option<(Box<Tree>, Box<Tree>)>,
}

fn build(depth: u32) -> Tree {
    let kids = (depth > 0).then(|| (Box::new(build(depth - 1)), Box::new(build(depth - 1))));
    Tree { kids }
}

fn count(t: &Tree) -> u32 {
    1 + t.kids.as_ref().map_or(0, |(l, r)| count(l) + count(r))
}

fn inner(depth: u32, iterations: u32) -> String {
    let nodes: u64 = (0..iterations).into_par_iter().map(|_| count(&build(depth)) as u64).sum();
    format!("{iterations}\t trees of depth {depth}\t check: {nodes}")
}

fn main() {
    let (min, max) = (4u32, 20u32);
    println!("stretch tree of depth {}\t check: {}", max + 1, count(&build(max + 1)));
    let long_lived = build(max);
    let lines: Vec<String> = (min / 2..max / 2)
        .into_par_iter()
        .map(|half| {
            let depth = half * 2;
            inner(depth, 1 << (max - depth + min - 1))
        })
        .collect();
    for l in lines {
        println!("{l}");
    }
    println!("long lived tree of depth {max}\t check: {}", count(&long_lived));
}
