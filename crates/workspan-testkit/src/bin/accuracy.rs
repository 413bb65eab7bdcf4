//! `accuracy NAME` runs the known program of that name and prints as JSON what a profile of it
//! should show; `accuracy` lists the names.
//!
//! With `RAYON_NUM_THREADS=1` a plain build measures how long a tiny program takes. Any other run
//! only prints its counts. So does a profiled run, even on one thread, since it assumes 64 cores.

use std::process::ExitCode;

use workspan_testkit::{Expected, KNOWN, Known, Truth};

fn main() -> ExitCode {
    let Some(name) = std::env::args().nth(1) else {
        for known in KNOWN {
            println!("{}", known.name);
        }
        return ExitCode::SUCCESS;
    };
    let Some(known) = KNOWN.iter().find(|known| known.name == name) else {
        eprintln!("accuracy: no known program is called {name:?}; without a name, all are listed");
        return ExitCode::from(2);
    };
    let expected = serde_json::to_string(&run(known));
    println!("{}", expected.expect("plain data"));
    ExitCode::SUCCESS
}

fn run(known: &Known) -> Expected {
    match known.truth {
        Truth::Time { run, work, span } => {
            run();
            Expected::from_spins(known.name, work, span)
        }
        Truth::Kernel(tiny) => Expected::from_run(known.name, tiny),
    }
}
