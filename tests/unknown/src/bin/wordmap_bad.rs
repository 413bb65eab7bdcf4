//! Coverage of field names over many documents: one map for all.
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Mutex;

/// The field names of a document, as a parser would yield them.
fn fields(doc: u64) -> Vec<String> {
    let mut s = doc.wrapping_mul(0x9E3779B97F4A7C15) | 1;
    (0..200)
        .map(|_| {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            format!("/tender/items/{}/unit/{}", s % 40, (s >> 20) % 25)
        })
        .collect()
}

fn main() {
    let docs: usize = std::env::args().nth(1).map_or(15_000, |a| a.parse().unwrap());
    let counts: Mutex<HashMap<String, u64>> = Mutex::new(HashMap::new());
    (0..docs).into_par_iter().for_each(|d| {
        for f in fields(d as u64) {
            *counts.lock().unwrap().entry(f).or_insert(0) += 1;  //@ here
        }
    });
    let counts = counts.into_inner().unwrap();
    let max = counts.values().max().unwrap();
    println!("{} fields, most {}", counts.len(), max);
}
