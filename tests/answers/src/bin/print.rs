// Each item prints its result by println!; or a thousand items print theirs at once.
// usage: print each|blocks
use rayon::prelude::*;
use std::fmt::Write;

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
    if std::env::args().nth(1).is_some_and(|s| s == "blocks") {
        return (0..2_000u64).into_par_iter().for_each(|block| {
            let mut text = String::new();
            for number in block * 1000 + 1..=(block + 1) * 1000 {
                writeln!(text, "{number} {}", collatz(number)).unwrap();
            }
            print!("{text}");
        });
    }
    (1..=700_000u64).into_par_iter().for_each(|number| {
        let steps = collatz(number);
        println!("{number} {steps}"); //@ here
    });
}
