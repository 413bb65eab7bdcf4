// The first number that passes a costly test is searched for; it stands a little before the middle.
use rayon::prelude::*;

fn passes(number: u32) -> bool {
    let mut state = u64::from(number);
    for _ in 0..2_000 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
        state ^= state >> 31;
    }
    number == 380_000 || state == 1
}

fn main() {
    let numbers: Vec<u32> = (0..800_000).collect();
    let first = numbers.par_iter().position_first(|&number| passes(number)); //@ here
    println!("{first:?}");
}
