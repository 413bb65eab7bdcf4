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
    let folder = std::env::temp_dir().join("workspan-answers-files");
    std::fs::create_dir_all(&folder).unwrap();
    let paths: Vec<PathBuf> = (0..160).map(|n| folder.join(format!("{n}.txt"))).collect();
    paths.par_iter().enumerate().filter(|(_, path)| !path.exists()).for_each(|(n, path)| {
        let words = (0..60_000).map(|k| format!("{}ord{} ", if (n + k) % 3 == 0 { 'W' } else { 'w' }, n * k));
        std::fs::write(path, words.collect::<String>()).unwrap();
    });
    let words: usize = paths.par_iter().map(count).sum();
    println!("{words}");
}
