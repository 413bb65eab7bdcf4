//! Two branches of unequal length, repeated: the time that threads wait is known.
//!
//! In each `join` one branch keeps a processor busy for SHORT milliseconds, the other for LONG; the
//! longer is left and right in turns. With P ≥ 2 threads on as many free cores a round takes LONG
//! and P · LONG − LONG − SHORT of the cores' time is idle. Lengths are times, not iterations.
//!
//! What workspan should show:
//! - a parallelism of (SHORT + LONG) / LONG;
//! - `workspan scale --factored`: the idle time printed, within 2 %, and no work inflation.

use std::hint::spin_loop;
use std::time::{Duration, Instant};

use workspan_examples::Arguments;

const USAGE: &str = "usage: spins [SHORT [LONG [ROUNDS]]]
  SHORT   milliseconds of the shorter branch, 1 to 100000 [default: 20]
  LONG    milliseconds of the longer branch, SHORT to 100000 [default: 60]
  ROUNDS  how often, 1 to 1000000 [default: 20]";

/// Keeps the processor busy for `duration`.
fn spin(duration: Duration) {
    let started = Instant::now();
    while started.elapsed() < duration {
        spin_loop();
    }
}

fn round(number: usize, short: Duration, long: Duration) {
    let (left, right) = if number.is_multiple_of(2) {
        (short, long)
    } else {
        (long, short)
    };
    rayon::join(|| spin(left), || spin(right));
}

/// Idle time of `threads` threads in `rounds` rounds.
fn idle_time(threads: usize, rounds: usize, short: Duration, long: Duration) -> Duration {
    if threads < 2 {
        return Duration::ZERO;
    }
    (long * threads as u32 - long - short) * rounds as u32
}

fn main() {
    let (short, long, rounds) = Arguments::read_from_process(USAGE, |arguments| {
        let short = arguments.number("SHORT", 20, 1..=100_000)?;
        let long = arguments.number("LONG", 60.max(short), short..=100_000)?;
        let rounds = arguments.number("ROUNDS", 20, 1..=1_000_000)?;
        let [short, long] = [short, long].map(|length| Duration::from_millis(length as u64));
        Ok((short, long, rounds))
    });
    let threads = rayon::current_num_threads();
    let started = Instant::now();
    for number in 0..rounds {
        round(number, short, long);
    }
    let elapsed = started.elapsed();
    println!(
        "spins: {rounds} rounds of {short:?} beside {long:?} in {:.3} s; {threads} threads idle {:.3} s",
        elapsed.as_secs_f64(),
        idle_time(threads, rounds, short, long).as_secs_f64()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_is_what_work_leaves_of_the_cores() {
        let [short, long] = [20, 60].map(Duration::from_millis);
        assert_eq!(idle_time(1, 5, short, long), Duration::ZERO);
        assert_eq!(idle_time(2, 5, short, long), Duration::from_millis(200));
        assert_eq!(idle_time(4, 1, short, long), Duration::from_millis(160));
    }

    #[test]
    fn a_round_takes_no_less_than_the_longer_spin() {
        let [short, long] = [1, 5].map(Duration::from_millis);
        for number in [0, 1] {
            let started = Instant::now();
            round(number, short, long);
            assert!(started.elapsed() >= long);
        }
    }
}
