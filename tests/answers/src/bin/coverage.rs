//! Counts which fields occur in a large set of JSON lines, into one shared concurrent map.
use dashmap::DashMap;
use rayon::prelude::*;
use std::sync::Arc;

fn line(id: u64) -> String {
    let mut text = String::from("{");
    for k in 0..60u64 {
        let field = id.wrapping_mul(31).wrapping_add(k * k * 7) % 900;
        text.push_str(&format!("\"/tender/items/{field}/value\": {}, ", id * k % 1000));
    }
    text.push('}');
    text
}

fn paths(text: &str) -> Vec<(String, u64)> {
    text.trim_matches(&['{', '}'][..])
        .split(", ")
        .filter_map(|pair| pair.split_once(": "))
        .map(|(key, value)| {
            let key = key.trim_matches('"').replace("items/", "items[]/"); //@ here
            let mut hash = 0xcbf29ce484222325u64;
            for _ in 0..6 {
                for b in key.bytes() {
                    hash = (hash ^ b as u64).wrapping_mul(0x100000001b3);
                }
            }
            (key, value.parse::<u64>().unwrap_or(0) + (hash & 1))
        })
        .collect()
}

fn main() {
    let counts: Arc<DashMap<String, u64>> = Arc::new(DashMap::new());
    (0..50_000u64).into_par_iter().for_each(|id| {
        let text = line(id);
        for (path, value) in paths(&text) {
            *counts.entry(path).or_insert(0) += value;
        }
    });
    println!("{} paths, {}", counts.len(), counts.iter().map(|e| *e.value()).sum::<u64>());
}
