// Situation: a memo table behind a RwLock; entry() takes the write lock for every look-up, hit or not.
// usage: cache write|read|made     made: made before, read without a lock (fine)
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::RwLock;

fn shape(word: u64) -> Vec<u64> {
    (0..300).map(|i| (word ^ i).wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect()
}

fn use_shape(shape: &[u64]) -> u64 {
    shape.iter().fold(0, |a, b| a.rotate_left(3) ^ b)
}

fn main() {
    let variant = std::env::args().nth(1).unwrap_or("write".into());
    let write = variant == "write";
    let cache: RwLock<HashMap<u64, Vec<u64>>> = RwLock::default();
    let look_up = |item: u64| {
        let word = item.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52;
        if write {
            let mut cache = cache.write().unwrap(); //@ here
            return use_shape(cache.entry(word).or_insert_with(|| shape(word))); //@ here
        }
        if let Some(found) = cache.read().unwrap().get(&word) { //@ here
            return use_shape(found); //@ here
        } //@ here
        use_shape(cache.write().unwrap().entry(word).or_insert_with(|| shape(word)))
    };
    let items = if write { 4_000_000u64 } else { 6_000_000 };
    let sum = if variant == "made" {
        let made: Vec<_> = (0..1 << 12).into_par_iter().map(shape).collect();
        let look_up = |item: u64| use_shape(&made[(item.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52) as usize]);
        (0..items).into_par_iter().map(look_up).reduce(|| 0, |a, b| a ^ b)
    } else {
        (0..items).into_par_iter().map(look_up).reduce(|| 0, |a, b| a ^ b)
    };
    println!("{sum}");
}
