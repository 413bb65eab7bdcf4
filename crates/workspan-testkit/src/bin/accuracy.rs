//! `accuracy NAME` runs the known program of that name and prints as JSON what a profile of it
//! should say; `accuracy` prints the names.

use std::process::ExitCode;

use serde_json::json;
use workspan_testkit::KNOWN;

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
    (known.run)();
    println!(
        "{}",
        json!({
            "name": known.name,
            "work_ns": known.work.as_nanos() as u64,
            "span_ns": known.span.as_nanos() as u64,
            "parallelism": known.work.as_secs_f64() / known.span.as_secs_f64(),
        })
    );
    ExitCode::SUCCESS
}
