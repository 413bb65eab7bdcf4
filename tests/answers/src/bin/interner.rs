//! Tokenises files in parallel; all names go through one global symbol table.
//! usage: interner read|frozen     frozen: the known names are looked up without a lock (fine)
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::RwLock;

#[derive(Default)]
struct Interner {
    map: RwLock<HashMap<String, u32>>,
}

impl Interner {
    fn intern(&self, name: &str) -> u32 {
        if let Some(&symbol) = self.map.read().unwrap().get(name) { //@ here
            return symbol;
        } //@ here
        let mut map = self.map.write().unwrap();
        let next = map.len() as u32;
        *map.entry(name.to_string()).or_insert(next)
    }
}

fn make_file(seed: u64) -> String {
    let mut x = seed.wrapping_mul(0x9e3779b97f4a7c15) | 1;
    let mut text = String::new();
    for _ in 0..2_000 {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        text.push_str(["ident", "self", "fn_", "let_x", "ty", "Vec"][(x % 6) as usize]);
        text.push_str(&(x >> 40).rem_euclid(700).to_string());
        text.push(' ');
    }
    text
}

fn index_file(intern: impl Fn(&str) -> u32, text: &str) -> u64 {
    let mut checksum = 0u64;
    for token in text.split_ascii_whitespace() {
        checksum = checksum.wrapping_add(intern(token) as u64 + token.len() as u64);
    }
    checksum
}

fn main() {
    let frozen = std::env::args().nth(1).is_some_and(|s| s == "frozen");
    let files: Vec<String> = (1..=100).map(make_file).collect();
    let interner = Interner::default();
    // the names, in a fixed order, so that the symbols are the same in every run
    for file in &files {
        index_file(|name| interner.intern(name), file);
    }
    let total: u64 = if frozen {
        let names = interner.map.into_inner().unwrap();
        let items = (0..24_000usize).into_par_iter();
        items.map(|i| index_file(|name| names[name], &files[i % files.len()])).sum()
    } else {
        (0..6_000usize)
            .into_par_iter()
            .map(|i| index_file(|name| interner.intern(name), &files[i % files.len()]))
            .sum()
    };
    println!("{total}");
}
