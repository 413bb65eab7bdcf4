//! A pipeline of parallel iterators: reads the lines of a server's log and makes a histogram of how
//! long the failed requests took.
//!
//! The kind of program that rayon is mostly used for: text to lines, lines to records, a filter,
//! a histogram for each task and their sum. rayon decides how finely to split the text.

use std::fmt::Write as _;
use std::process::ExitCode;

use rayon::prelude::*;
use workspan_suite::{Xorshift, size, timed, verdict};

const USAGE: &str = "usage: pipeline [DAYS]
  DAYS  of the log, which has the same 100,000 lines every day, 0 to 1000 [default: 200]";

/// Lines of a day.
const LINES: usize = 100_000;

/// Requests by the binary logarithm of the microseconds that they took.
type Histogram = [u64; 32];

struct Request<'a> {
    path: &'a str,
    status: u16,
    micros: u32,
}

/// A line has a path, a status and a time.
fn parse(line: &str) -> Option<Request<'_>> {
    let mut fields = line.split(' ');
    Some(Request {
        path: fields.next()?,
        status: fields.next()?.parse().ok()?,
        micros: fields.next()?.parse().ok()?,
    })
}

fn failed_request_times(log: &str) -> Histogram {
    log.par_lines()
        .filter_map(parse)
        .filter(|request| request.status >= 500 && request.path.starts_with("/api/"))
        .fold(Histogram::default, |mut histogram, request| {
            histogram[request.micros.ilog2() as usize] += 1;
            histogram
        })
        .reduce(Histogram::default, sum)
}

fn sum(mut one: Histogram, other: Histogram) -> Histogram {
    for (count, other) in one.iter_mut().zip(other) {
        *count += other;
    }
    one
}

/// The random log of a day, and the histogram of its failed requests.
fn random_day() -> (String, Histogram) {
    let mut random = Xorshift::new(1);
    let mut log = String::new();
    let mut histogram = Histogram::default();
    for _ in 0..LINES {
        let folder = ["api", "images"][random.below(2) as usize];
        let status = [200, 204, 404, 500, 503][random.below(5) as usize];
        let magnitude = random.below(20);
        let micros = 1 + random.below(1 << magnitude) as u32;
        let page = random.below(1_000);
        let _ = writeln!(log, "/{folder}/{page} {status} {micros}");
        if folder == "api" && status >= 500 {
            histogram[micros.ilog2() as usize] += 1;
        }
    }
    (log, histogram)
}

fn main() -> ExitCode {
    let days = size(USAGE, 200, 0..=1_000);
    let (day, failed) = random_day();
    let log = day.repeat(days);
    let histogram = timed("pipeline", || failed_request_times(&log));
    verdict(histogram == failed.map(|count| count * days as u64))
}
