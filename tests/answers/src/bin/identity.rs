//! After https://github.com/rayon-rs/rayon/issues/1124 "`fold` creates identity for each sublist"
//! and https://github.com/yetanotherco/lambda_vm/pull/793 (zeroed 80 MiB identity histogram per
//! reduce leaf).
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

const BINS: usize = 1 << 22;

fn mix(mut x: u64) -> u64 {
    x ^= x >> 31;
    x = x.wrapping_mul(0x7fb5_d329_728e_a185);
    x ^= x >> 27;
    x = x.wrapping_mul(0x81da_def4_bc2d_d44d);
    x ^ (x >> 33)
}

fn histogram(round: u64, ops: u64) -> Vec<u32> {
    (0..ops)
        .into_par_iter()
        .fold( //@ here
            || vec![0u32; BINS], //@ here
            |mut h, i| {
                h[mix(i + round * ops) as usize % BINS] += 1;
                h
            },
        )
        .reduce(
            || vec![0u32; BINS], //@ here
            |mut a, b| {
                a.iter_mut().zip(&b).for_each(|(x, y)| *x += *y);
                a
            },
        )
}

fn shared(round: u64, ops: u64, h: &[AtomicU32]) {
    (0..ops).into_par_iter().for_each(|i| {
        h[mix(i + round * ops) as usize % BINS].fetch_add(1, Ordering::Relaxed);
    });
}

fn main() {
    let fixed = std::env::args().nth(1).as_deref() == Some("fixed");
    let ops = 1_500_000;
    let rounds: u64 = std::env::args().nth(2).map_or(8, |a| a.parse().unwrap());
    let mut most = 0u64;
    for r in 0..rounds {
        if fixed {
            let h: Vec<AtomicU32> = (0..BINS).map(|_| AtomicU32::new(0)).collect();
            shared(r, ops, &h);
            most += h.par_iter().map(|x| x.load(Ordering::Relaxed)).max().unwrap() as u64;
        } else {
            most += *histogram(r, ops).par_iter().max().unwrap() as u64;
        }
    }
    println!("{most}");
}
