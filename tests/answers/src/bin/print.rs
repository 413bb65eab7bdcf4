// Each item prints its result by println!.
use rayon::prelude::*;

fn collatz(mut number: u64) -> u32 {
    let mut steps = 0;
    while number != 1 {
        number = if number % 2 == 0 {
            number / 2
        } else {
            3 * number + 1
        };
        steps += 1;
    }
    steps
}

fn main() {
    (1..=700_000u64).into_par_iter().for_each(|number| {
        let steps = collatz(number);
        println!("{number} {steps}"); //@ here
    });
}
