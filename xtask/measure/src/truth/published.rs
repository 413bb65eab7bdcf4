//! The parallelism that others have published, and the most that a program's structure allows.

use crate::judge::Form;
use crate::measuring::Measuring;
use crate::run::{Program, number};

/// A program, its input, and the input of the short form, for which nothing is published.
const PROGRAMS: [(&str, &str, &str); 7] = [
    ("fib", "30", "25"),
    ("fib", "36", "28"),
    ("rectmul", "1024", "256"),
    ("rectmul", "2048", "512"),
    ("quicksort", "10000000", "200000"),
    ("quicksort", "100000000", "1000000"),
    ("matmul", "512", "256"),
];

/// What is published of a program with an input: in the reference manual of Cilk 5.4.6, by Schardl et
/// al., "The Cilkprof scalability profiler", SPAA 2015 (Fig. 2, 7 and 10), and in the user's guide to
/// Cilkscale, there also of the whole program with the making of its input.
const PUBLISHED: [(&str, &str, f64); 6] = [
    ("fib-30", "over-manual", 9_937.0),
    ("fib-30", "over-cilkprof", 11_165.7),
    ("quicksort-10000000", "over-cilkprof", 5.6),
    ("quicksort-100000000", "over-cilkscale", 24.0),
    ("quicksort-100000000", "over-cilkscale-whole", 11.7),
    ("matmul-512", "over-cilkprof", 233.0),
];

/// How often each program runs, on one thread, as under Cilkprof.
const RUNS: usize = 5;

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    for (name, full, short) in PROGRAMS {
        let size = measuring.form.select(full, short);
        let bound = bound(name, size);
        let is_short = bound.is_some();
        if measuring.form == Form::Short && !is_short
            || !measuring.wants("published", name, is_short)
        {
            continue;
        }
        measuring.build_suite()?;
        let program = Program::new(name, size)?.on(1);
        let subject = format!("{name}-{size}");
        measuring.watched(&subject, |read| {
            for _ in 0..RUNS {
                let profile = program.profile("")?;
                let alone = number(profile.computation()?, "/parallelism")?;
                if let Some(bound) = bound {
                    read.add("over-structure", alone / bound);
                }
                for (_, figure, known) in PUBLISHED.iter().filter(|of| of.0 == subject) {
                    let parallelism = match figure.ends_with("whole") {
                        true => number(&profile.json, "/totals/parallelism")?,
                        false => alone,
                    };
                    read.add(figure, parallelism / known);
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// The most parallelism that the program's structure allows if all its smallest pieces take equally
/// long; `None` if that is not known.
///
/// - `fib n` makes F(n + 1) − 1 joins, n − 1 of them in the longest chain.
/// - `rectmul n` computes (n/16)² blocks of the result, each in a chain of its own.
/// - `matmul n` does the same with blocks of 32 rows.
fn bound(program: &str, size: &str) -> Option<f64> {
    let size: u32 = size.parse().ok()?;
    match program {
        "fib" => Some((fibonacci(size + 1) - 1.0) / f64::from(size - 1)),
        "rectmul" => Some(f64::from(size / 16).powi(2)),
        "matmul" => Some(f64::from(size / 32).powi(2)),
        _ => None,
    }
}

fn fibonacci(n: u32) -> f64 {
    (0..n).fold((0.0, 1.0), |(a, b), _| (b, a + b)).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_by_hand() {
        // fib 4 makes 4 joins, 3 of them one after the other.
        assert_eq!(bound("fib", "4"), Some(4.0 / 3.0));
        // 1,346,268 joins, 29 of them in a chain.
        assert_eq!(bound("fib", "30").map(f64::round), Some(46_423.0));
        assert_eq!(bound("matmul", "512"), Some(256.0));
        assert_eq!(bound("quicksort", "64"), None);
    }
}
