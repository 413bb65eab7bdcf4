//! Counts which fields occur in a large set of JSON lines, into one shared concurrent map.
//! usage: coverage lines|own     own: each piece has a map and buffers of its own (fine)
use dashmap::DashMap;
use rayon::prelude::*;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

fn field(id: u64, k: u64) -> u64 {
    id.wrapping_mul(31).wrapping_add(k * k * 7) % 900
}

fn line(id: u64) -> String {
    let mut text = String::from("{");
    for k in 0..60u64 {
        let field = field(id, k);
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
            let value = weigh(&key, value);
            (key, value)
        })
        .collect()
}

fn weigh(key: &str, value: &str) -> u64 {
    let mut hash = 0xcbf29ce484222325u64;
    for _ in 0..6 {
        for b in key.bytes() {
            hash = (hash ^ b as u64).wrapping_mul(0x100000001b3);
        }
    }
    value.parse::<u64>().unwrap_or(0) + (hash & 1)
}

#[derive(Default)]
struct Own {
    counts: HashMap<String, u64>,
    text: String,
    key: String,
}

impl Own {
    fn add(&mut self, value: u64) {
        match self.counts.get_mut(&self.key) {
            Some(sum) => *sum += value,
            None => _ = self.counts.insert(self.key.clone(), value),
        }
    }

    fn count(mut self, id: u64) -> Self {
        for k in 0..60 {
            self.text.clear();
            write!(self.text, "/tender/items/{}/value: {}", field(id, k), id * k % 1000).unwrap();
            let (path, value) = self.text.split_once(": ").unwrap();
            let (head, tail) = path.split_once("items/").unwrap();
            self.key.clear();
            self.key.extend([head, "items[]/", tail]);
            let value = weigh(&self.key, value);
            self.add(value);
        }
        self
    }

    fn merge(mut self, other: Own) -> Self {
        for (path, value) in other.counts {
            self.key = path;
            self.add(value);
        }
        self
    }
}

fn main() {
    if std::env::args().nth(1).is_some_and(|s| s == "own") {
        let ids = (0..100_000u64).into_par_iter();
        let counts = ids.fold(Own::default, Own::count).reduce(Own::default, Own::merge).counts;
        return println!("{} paths, {}", counts.len(), counts.values().sum::<u64>());
    }
    let counts: Arc<DashMap<String, u64>> = Arc::new(DashMap::new());
    (0..50_000u64).into_par_iter().for_each(|id| {
        let text = line(id);
        for (path, value) in paths(&text) {
            *counts.entry(path).or_insert(0) += value;
        }
    });
    println!("{} paths, {}", counts.len(), counts.iter().map(|e| *e.value()).sum::<u64>());
}
