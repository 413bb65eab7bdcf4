// Situation: a text is split into owned words on one thread, then only the words are worked on in parallel.
// usage: prefix serial|parallel
use rayon::prelude::*;

fn words(text: &str) -> Vec<String> { //@ here
    text.split(' ').map(str::to_lowercase).collect() //@ here
}

fn hash(word: &String) -> u64 {
    word.bytes().cycle().take(200).fold(7, |hash, b| (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01B3))
}

fn main() {
    let serial = std::env::args().nth(1).is_none_or(|s| s == "serial");
    let lines: Vec<String> =
        (0..40_000u64).into_par_iter().map(|i| format!("Word{} ", i * 7919).repeat(100)).collect();
    let sum = if serial {
        let all: Vec<String> = lines.iter().flat_map(|line| words(line)).collect(); //@ here
        all.par_iter().map(hash).reduce(|| 0, |a, b| a ^ b)
    } else {
        lines.par_iter().flat_map_iter(|line| words(line)).map(|w| hash(&w)).reduce(|| 0, |a, b| a ^ b)
    };
    println!("{sum}");
}
