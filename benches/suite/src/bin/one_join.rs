//! Only a single join: what it costs to start and end a program.

use std::process::ExitCode;

use workspan_suite::verdict;

fn main() -> ExitCode {
    let (a, b) = rayon::join(|| 1, || 2);
    verdict(a + b == 3)
}
