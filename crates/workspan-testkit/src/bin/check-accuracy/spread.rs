//! How far the parallelism of one program varies from run to run.

use crate::profiled::Profiled;

/// A program whose dag does not change from run to run.
pub struct Repeated {
    /// What to call it on the command line.
    pub name: &'static str,
    /// The example that it is, and its argument.
    example: &'static str,
    argument: &'static str,
}

/// Every program that is run repeatedly.
pub const REPEATED: &[Repeated] = &[
    Repeated {
        name: "fib_32",
        example: "fib",
        argument: "32",
    },
    Repeated {
        name: "quicksort",
        example: "quicksort",
        argument: "10000000",
    },
];

/// Runs of each program.
const RUNS: usize = 20;
/// The same in short mode, which no spread fails.
const SHORT_RUNS: usize = 5;

/// The greatest parallelism over the least.
const GOAL: f64 = 1.25;

/// Prints two rows a program: the spread, and how far the span is stated to be open; the number of programs that
/// missed the goal, 0 in short mode.
pub fn check(programs: &[&Repeated], short: bool) -> Result<usize, String> {
    let runs = if short { SHORT_RUNS } else { RUNS };
    println!(
        "\nParallelism of the main site of each program in {runs} runs, and by how much of itself the span of the whole \
         program may be longer or shorter."
    );
    println!(
        "{:<31} {:<6} {:<21} {:>9} {:>9} {:>9} {:>8} {:>6}",
        "program", "cores", "figure", "least", "median", "greatest", "spread", "goal"
    );
    let mut missed = 0;
    for program in programs {
        let readings = (0..runs)
            .map(|_| read(program))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|message| format!("{}: {message}", program.name))?;
        let [least, median, greatest] =
            least_median_greatest(readings.iter().map(|r| r.parallelism));
        let spread = greatest / least;
        println!(
            "{:<31} {:<6} {:<21} {least:>9.2} {median:>9.2} {greatest:>9.2} {spread:>8.2} {GOAL:>6.2}{}",
            program.name,
            "busy",
            "parallelism",
            if spread > GOAL { "  MISSED" } else { "" },
        );
        let [least, median, greatest] =
            least_median_greatest(readings.iter().map(|r| 100.0 * r.open_share));
        println!(
            "{:<31} {:<6} {:<21} {least:>8.1}% {median:>8.1}% {greatest:>8.1}%",
            program.name, "busy", "span open by",
        );
        missed += usize::from(spread > GOAL && !short);
    }
    Ok(missed)
}

struct Reading {
    parallelism: f64,
    /// How far the true span may lie from the one shown, on either side, as a share of the latter.
    open_share: f64,
}

/// Profiles the program once.
fn read(program: &Repeated) -> Result<Reading, String> {
    let profiled = Profiled::run(
        &[
            "--package",
            "workspan-examples",
            "--example",
            program.example,
        ],
        &[program.argument],
    )?;
    let span = profiled.total(&["span_ns"])?;
    let longest = profiled.total(&["span_interval", "upper_ns"])?;
    Ok(Reading {
        parallelism: profiled.parallelism_of_main_site()?,
        open_share: (longest - span) / span,
    })
}

/// The least, the median and the greatest.
fn least_median_greatest(values: impl Iterator<Item = f64>) -> [f64; 3] {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    [
        values[0],
        values[values.len() / 2],
        values[values.len() - 1],
    ]
}
