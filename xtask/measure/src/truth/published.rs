//! The parallelism that others have published, and the most that a program's structure allows.

use crate::judge::Form;
use crate::measuring::{Figure, Measuring, figure};
use crate::run::{Profile, Program, number};

/// A published figure, and to which part of a run it applies.
#[derive(Clone, Copy)]
enum Published {
    /// The computation without the making of its input.
    Alone(&'static str, f64),
    /// The whole program.
    Whole(&'static str, f64),
}
use Published::{Alone, Whole};

/// A program, its input, the input of the short form, for which nothing is published, and what is
/// published for the former: in the reference manual of Cilk 5.4.6, by Schardl et al., "The Cilkprof
/// scalability profiler", SPAA 2015 (Fig. 2, 7 and 10), and in the user's guide to Cilkscale.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static [Published],
);

const ROWS: [Row; 7] = [
    (
        "fib",
        "30",
        "25",
        &[
            Alone("over-manual", 9_937.0),
            Alone("over-cilkprof", 11_165.7),
        ],
    ),
    ("fib", "36", "28", &[]),
    ("rectmul", "1024", "256", &[]),
    ("rectmul", "2048", "512", &[]),
    (
        "quicksort",
        "10000000",
        "200000",
        &[Alone("over-cilkprof", 5.6)],
    ),
    ("matmul", "512", "256", &[Alone("over-cilkprof", 233.0)]),
    (
        "quicksort",
        "100000000",
        "1000000",
        &[
            Alone("over-cilkscale", 24.0),
            Whole("over-cilkscale-whole", 11.7),
        ],
    ),
];

/// How often each program runs, on one thread, as under Cilkprof.
const RUNS: usize = 5;

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    let form = measuring.form;
    for (program, full, short, published) in ROWS {
        let size = form.select(full, short);
        let bound = bound(program, size);
        let has_figure = bound.is_some() || form == Form::Full;
        let subject = format!("{program}-{size}");
        if !has_figure
            || !(measuring.wants("published", program) || measuring.wants("published", &subject))
        {
            continue;
        }
        measuring.build_suite()?;
        let program = Program::new(program, &[size])?.on(1);
        measuring.watched(&subject, || {
            let runs = (0..RUNS).map(|_| program.profile(&[]));
            let profiles = runs.collect::<anyhow::Result<Vec<Profile>>>()?;
            let over = |name: &str, figure_of: Published, known: f64| {
                let parallelism = |profile: &Profile| match figure_of {
                    Alone(..) => number(profile.computation()?, "/parallelism"),
                    Whole(..) => number(&profile.json, "/totals/parallelism"),
                };
                let each = profiles
                    .iter()
                    .map(|profile| Ok(parallelism(profile)? / known));
                Ok(figure(name, each.collect::<anyhow::Result<Vec<f64>>>()?))
            };
            let mut figures: Vec<anyhow::Result<Figure>> = Vec::new();
            if let Some(bound) = bound {
                figures.push(over("over-structure", Alone("", bound), bound));
            }
            for &each in published.iter().filter(|_| form == Form::Full) {
                let (Alone(name, known) | Whole(name, known)) = each;
                figures.push(over(name, each, known));
            }
            figures.into_iter().collect()
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
        assert_eq!(bound("matmul", "64"), Some(4.0));
        assert_eq!(bound("quicksort", "64"), None);
    }
}
