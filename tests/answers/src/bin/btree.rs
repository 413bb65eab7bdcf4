//! After https://github.com/rust-lang/hashbrown/issues/16 (cuviper: rayon's own par_iter over the
//! std maps first dumps the items to a Vec, then iterates that) and
//! https://github.com/anza-xyz/agave/pull/7770 (collect once, pass the vector along).
use rayon::prelude::*;
use std::collections::BTreeMap;

struct Stake {
    amount: u64,
    since: u64,
}

fn reward(key: u64, s: &Stake, epoch: u64) -> u64 {
    let mut w = s.amount;
    for e in 0..6 {
        w = w / 3 + (w ^ key) % (97 + e + epoch - s.since);
    }
    w
}

fn main() {
    let fixed = std::env::args().nth(1).as_deref() == Some("fixed");
    let stakes: BTreeMap<u64, Stake> = (0..700_000u64)
        .map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15), Stake { amount: i * 1013 + 7, since: i % 5 }))
        .collect();
    let mut total = 0u64;
    let flat: Vec<(&u64, &Stake)> = stakes.iter().collect();
    for epoch in 10..160 {
        let sum: u64 = if fixed {
            flat.par_iter().map(|(k, s)| reward(**k, s, epoch)).sum()
        } else {
            stakes.par_iter().map(|(k, s)| reward(*k, s, epoch)).sum() //@ here
        };
        total = total.wrapping_add(sum);
    }
    println!("{total}");
}
