// A parallel map is collected into a HashMap of two million entries.
use rayon::prelude::*;
use std::collections::HashMap;

fn digest(number: u64) -> (u64, u64) {
    let mut state = number + 1;
    for _ in 0..150 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(number);
        state ^= state >> 29;
    }
    (state, number)
}

fn index(numbers: &[u64]) -> HashMap<u64, u64> {
    numbers.par_iter().map(|&number| digest(number)).collect() //@ here
}

fn main() {
    let numbers: Vec<u64> = (0..2_000_000).collect();
    let map = index(&numbers);
    println!("{}", map.len());
}
