//! usage: wordmap bad|good [DOCUMENTS]
//! Coverage of field names over many documents: one map for all, or maps of
//! the pieces, merged.
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

fn merge(mut a: HashMap<String, u64>, b: HashMap<String, u64>) -> HashMap<String, u64> {
    if a.len() < b.len() {
        return merge(b, a);
    }
    for (k, v) in b {
        *a.entry(k).or_insert(0) += v;
    }
    a
}

fn main() {
    let good = std::env::args().nth(1).is_some_and(|variant| variant == "good");
    let docs: usize = std::env::args().nth(2).map_or(15_000, |a| a.parse().unwrap());
    let counts = if good {
        (0..docs)
            .into_par_iter()
            .with_min_len(50)
            .fold(HashMap::new, |mut m: HashMap<String, u64>, d| {
                for f in fields(d as u64) {
                    *m.entry(f).or_insert(0) += 1;
                }
                m
            })
            .reduce(HashMap::new, merge)
    } else {
        let counts: Mutex<HashMap<String, u64>> = Mutex::new(HashMap::new());
        (0..docs).into_par_iter().for_each(|d| {
            for f in fields(d as u64) {
                *counts.lock().unwrap().entry(f).or_insert(0) += 1;  //@ here
            }
        });
        counts.into_inner().unwrap()
    };
    let max = counts.values().max().unwrap();
    println!("{} fields, most {}", counts.len(), max);
}
