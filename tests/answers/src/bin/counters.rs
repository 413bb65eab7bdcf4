// Situation: a counter for each thread, side by side in one cache line; or one atomic for all.
// usage: counters packed|hot|padded
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Default)]
#[repr(align(128))]
struct Padded(AtomicU64);

fn is_hit(item: u64) -> bool {
    item.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 62 != 0
}

fn count(items: u64, counter: impl Fn() -> usize + Sync, add: impl Fn(usize) + Sync) {
    (0..items).into_par_iter().filter(|&item| is_hit(item)).for_each(|_| add(counter())); //@ here
}

fn main() {
    let variant = std::env::args().nth(1).unwrap_or("packed".into());
    let packed: Vec<AtomicU64> = (0..256).map(|_| AtomicU64::default()).collect();
    let padded: Vec<Padded> = (0..256).map(|_| Padded::default()).collect();
    let mine = || rayon::current_thread_index().unwrap();
    match variant.as_str() {
        "packed" => count(120_000_000, mine, |i| _ = packed[i].fetch_add(1, Ordering::Relaxed)), //@ here
        "hot" => count(120_000_000, || 0, |i| _ = packed[i].fetch_add(1, Ordering::Relaxed)), //@ here
        _ => count(240_000_000, mine, |i| _ = padded[i].0.fetch_add(1, Ordering::Relaxed)),
    }
    let sum: u64 = packed.iter().chain(padded.iter().map(|p| &p.0)).map(|c| c.load(Ordering::Relaxed)).sum();
    println!("{sum}");
}
