//! Programs of which something is known, for `xtask`.
//!
//! - `known` lists the programs whose work and span are known, each with `time` if it spins for a
//!   known time, with `tiny` if a plain run on one thread has to measure how long it takes.
//! - `known NAME` runs one of them and prints as JSON what a profile of it should show. A profiled
//!   run only prints counts of tiny tasks, even on one thread, since it assumes 64 cores.
//! - `known samples` runs two functions and prints which share of the work one of them does.
//! - `known tasks NUMBER` makes very many tasks, `known deep LEVELS` very deep recursion.

use std::process::ExitCode;

use rayon::prelude::*;
use workspan_testkit::{KNOWN, Truth, kernel, processor_time};

fn main() -> ExitCode {
    let start = processor_time();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => {
            for known in KNOWN {
                let kind = match known.truth {
                    Truth::Time { .. } => "time",
                    Truth::Kernel(_) => "tiny",
                };
                println!("{} {kind}", known.name);
            }
            return ExitCode::SUCCESS;
        }
        ["samples"] => {
            samples();
            return ExitCode::SUCCESS;
        }
        [name] => {
            if let Some(known) = KNOWN.iter().find(|known| known.name == name) {
                let mut expected = known.run();
                // A tiny program ran on rayon's threads, so this one has run nothing but serial code.
                expected.serial_ns = (processor_time() - start).as_nanos() as f64;
                println!("{}", serde_json::to_string(&expected).expect("plain data"));
                return ExitCode::SUCCESS;
            }
        }
        [name, number] => {
            if let (Some(run), Ok(number)) = (limit(name), number.parse()) {
                println!("{}", run(number));
                return ExitCode::SUCCESS;
            }
        }
        _ => {}
    }
    eprintln!("usage: known [NAME | samples | tasks NUMBER | deep LEVELS]");
    ExitCode::from(2)
}

fn limit(name: &str) -> Option<fn(u64) -> u64> {
    match name {
        "tasks" => Some(tasks),
        "deep" => Some(deep),
        _ => None,
    }
}

/// A recursion with `number` leaves, and a tenth as many tasks spawned into scopes.
fn tasks(number: u64) -> u64 {
    fn split(leaves: u64) -> u64 {
        if leaves < 2 {
            return leaves;
        }
        let (left, right) = rayon::join(|| split(leaves / 2), || split(leaves - leaves / 2));
        left + right
    }
    for _ in 0..number / 1_000 {
        rayon::scope(|scope| (0..100).for_each(|_| scope.spawn(|_| ())));
    }
    split(number)
}

/// Joins nested `levels` deep.
fn deep(levels: u64) -> u64 {
    if levels == 0 {
        return 0;
    }
    let (below, here) = rayon::join(|| deep(levels - 1), || 1);
    below + here
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
        r#"{{"function": "known::long", "share": {}}}"#,
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
