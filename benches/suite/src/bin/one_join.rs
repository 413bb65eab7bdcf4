//! A single join, and nothing else: what a program costs to start and to end.

use std::process::ExitCode;

use workspan_suite::verdict;

fn main() -> ExitCode {
    let (a, b) = rayon::join(|| 1, || 2);
    verdict(a + b == 3)
}
