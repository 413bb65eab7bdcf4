//! usage: collector ok [ITEMS]
//! Results of coarse items pushed into one Mutex<Vec>: feared, but fine.
use rayon::prelude::*;
use std::sync::Mutex;

fn checksum(i: u64) -> u64 {
    let mut h = i | 1;
    for _ in 0..60_000 {
        h ^= h >> 31;
        h = h.wrapping_mul(0x94D049BB133111EB);
    }
    h
}

fn main() {
    let n: u64 = std::env::args().nth(2).map_or(8000, |a| a.parse().unwrap());
    let results = Mutex::new(Vec::new());
    (0..n).into_par_iter().for_each(|i| {
        let c = checksum(i);
        results.lock().unwrap().push((i, c));
    });
    let mut r = results.into_inner().unwrap();
    r.sort_unstable();
    println!("{} {}", r.len(), r.iter().fold(0, |a, x| x.1.wrapping_add(a)));
}
