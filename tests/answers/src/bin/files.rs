// Healthy: each item reads a file (they are in memory by then) and counts its words.
use rayon::prelude::*;
use std::path::PathBuf;

fn count(path: &PathBuf) -> usize {
    let text = std::fs::read_to_string(path).unwrap();
    text.split_whitespace()
        .filter(|word| word.chars().any(|c| c.is_uppercase()))
        .count()
}

fn main() {
    let mut paths: Vec<PathBuf> = std::fs::read_dir("/tmp/unseen/data")
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    paths.sort();
    let words: usize = paths.par_iter().map(count).sum();
    println!("{words}");
}
