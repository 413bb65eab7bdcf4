//! The frame of every program: its size from the command line, its time, its verdict.

use std::ops::RangeInclusive;
use std::process::ExitCode;
use std::time::Instant;

use workspan_examples::Arguments;

/// The program's only argument: how large a problem to solve; `default` if it is missing. Ends the
/// process with exit code 2 and the usage message if it is not in `range`.
pub fn size(usage: &'static str, default: usize, range: RangeInclusive<usize>) -> usize {
    Arguments::read_from_process(usage, |arguments| arguments.number("SIZE", default, range))
}

/// Runs `compute` and prints how long it took.
///
/// The computation runs in a scope, so that it starts on a thread of the pool, and so that
/// a profile has a row for it alone, without the creation of the input and the check.
///
/// ```
/// let sum: u64 = workspan_suite::timed("sum", || (1..=10).sum());
/// assert_eq!(sum, 55);
/// ```
#[track_caller]
pub fn timed<T: Send>(name: &str, compute: impl FnOnce() -> T + Send) -> T {
    let started = Instant::now();
    let result = rayon::scope(|_| compute());
    println!("{name}: {:.3} s", started.elapsed().as_secs_f64());
    result
}

/// The program's exit code: 1 if the answer is wrong.
///
/// ```
/// use std::process::ExitCode;
///
/// assert_eq!(workspan_suite::verdict(2 + 2 == 4), ExitCode::SUCCESS);
/// ```
pub fn verdict(answer_is_right: bool) -> ExitCode {
    if answer_is_right {
        return ExitCode::SUCCESS;
    }
    eprintln!("the answer is wrong");
    ExitCode::FAILURE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_answer_fails() {
        assert_eq!(verdict(false), ExitCode::FAILURE);
    }
}
