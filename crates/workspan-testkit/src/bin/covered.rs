//! Programs whose profile has an interval, and the figure that it should contain.
//!
//! `covered NAME REPEATS` runs a known program of tiny tasks, repeats its pattern REPEATS times and
//! prints what `accuracy NAME` prints, and in a second line the nanoseconds of the serial code
//! around the pattern. `covered samples` runs two functions and prints which share of the work one
//! of them does.

use std::process::ExitCode;

use rayon::prelude::*;
use workspan_testkit::{Expected, KNOWN, Tiny, Truth, kernel, processor_time};

fn main() -> ExitCode {
    let start = processor_time();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => {}
        ["samples"] => samples(),
        [name, repeats] => {
            let repeats = repeats.parse().ok();
            let Some(tiny) = repeats.and_then(|repeats| tiny(name, repeats)) else {
                eprintln!("covered: no known program of tiny tasks is called {name:?}");
                return ExitCode::from(2);
            };
            let expected = Expected::from_run(name, tiny);
            println!("{}", serde_json::to_string(&expected).expect("plain data"));
            // The pattern ran on rayon's threads, so this one has run nothing but serial code.
            println!("{}", (processor_time() - start).as_nanos());
        }
        _ => {
            eprintln!("usage: covered NAME REPEATS, or covered samples");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn tiny(name: &str, repeats: u64) -> Option<Tiny> {
    let known = KNOWN.iter().find(|known| known.name == name)?;
    match known.truth {
        Truth::Kernel(tiny) => Some(Tiny { repeats, ..tiny }),
        Truth::Time { .. } => None,
    }
}

/// Items of the loop, and iterations of the two functions in each item: about 20 µs. The whole loop
/// gets a few hundred samples.
const ITEMS: u32 = 16_384;
const LONG: u64 = 8_928;
const SHORT: u64 = 5_472;

fn samples() {
    (0..ITEMS).into_par_iter().for_each(|_| {
        long();
        short();
    });
    println!(
        r#"{{"function": "covered::long", "share": {}}}"#,
        LONG as f64 / (LONG + SHORT) as f64
    );
}

#[inline(never)]
fn long() {
    kernel(LONG);
    std::hint::black_box(());
}

#[inline(never)]
fn short() {
    kernel(SHORT);
    std::hint::black_box(());
}
