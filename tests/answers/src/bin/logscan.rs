//! Searches many short log lines in parallel with one shared `Regex`.
//! usage: logscan captures|own     own: a clone for each piece (fine)
use rayon::prelude::*;
use regex::Regex;
use std::sync::OnceLock;

fn pattern() -> &'static Regex {
    static PATTERN: OnceLock<Regex> = OnceLock::new();
    PATTERN.get_or_init(|| Regex::new(r"(?<level>ERROR|WARN)\s+\[(?<unit>[a-z]+\d+)\]\s+took (?<ms>\d+)ms").unwrap())
}

fn log_line(id: u64) -> String {
    let level = ["INFO", "WARN", "DEBUG", "ERROR"][(id % 4) as usize];
    format!("2024-03-01T10:00:{:02} {level} [unit{}] took {}ms", id % 60, id % 97, id * 7919 % 1000)
}

fn slow_ms(pattern: &Regex, line: &str) -> u64 {
    match pattern.captures(line) { //@ here
        Some(found) => found["ms"].parse().unwrap(),
        None => 0,
    }
}

fn main() {
    let ids = (0..2_500_000u64).into_par_iter();
    let total: u64 = if std::env::args().nth(1).is_some_and(|s| s == "own") {
        ids.map_init(|| pattern().clone(), |pattern, id| slow_ms(pattern, &log_line(id))).sum()
    } else {
        ids.map(|id| slow_ms(pattern(), &log_line(id))).sum()
    };
    println!("{total} ms");
}
