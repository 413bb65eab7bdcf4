//! How far the figures of the known programs are from what these do.

use crate::profiled::Profiled;
use workspan_testkit::Known;

/// Greatest deviation with the machine quiet and with every core kept busy by another process.
const GOAL_QUIET: f64 = 0.02;
const GOAL_LOADED: f64 = 0.05;

/// Runs of each program whose median is compared.
const RUNS: usize = 3;

/// In short mode one run, again up to [`RUNS`] where a figure misses the goal, and up to so many where it misses what fails.
const SHORT_RUNS: usize = 8;

/// Short mode is for machines with other work: a figure fails it only when it is off by so many times the goal.
const SHORT_ROOM: f64 = 4.0;

pub fn print_heading(short: bool) {
    if short {
        println!(
            "One run of each program, up to {RUNS} where a figure misses; it fails beyond {SHORT_ROOM} times the goal in \
             each of {SHORT_RUNS}."
        );
    } else {
        println!("Median of {RUNS} runs of each program, with the run farthest off.");
    }
    println!(
        "{:<31} {:<6} {:<11} {:>12} {:>12} {:>7} {:>9} {:>5}",
        "program", "cores", "figure", "expected", "read", "off", "farthest", "goal"
    );
}

/// Prints the rows of each program; the number of figures that missed by more than the room that is given.
pub fn check(programs: &[&Known], loaded: bool, short: bool) -> Result<usize, String> {
    let room = if short { SHORT_ROOM } else { 1.0 };
    let mut missed = 0;
    for program in programs {
        let readings = if short {
            vec![read_until_near(program, loaded)?]
        } else {
            (0..RUNS).map(|_| read(program)).collect::<Result<_, _>>()?
        };
        missed += print_rows(program, loaded, &readings, room);
    }
    Ok(missed)
}

fn goal(loaded: bool) -> f64 {
    if loaded { GOAL_LOADED } else { GOAL_QUIET }
}

/// A figure of a program: what it does, and what the profile says.
struct Figure {
    name: &'static str,
    expected: f64,
    read: f64,
}

impl Figure {
    /// Signed deviation, as a share of what was expected.
    fn deviation(&self) -> f64 {
        self.read / self.expected - 1.0
    }

    fn shown(&self, value: f64) -> String {
        match self.name {
            "parallelism" => format!("{value:.2}"),
            _ => format!("{:.3} ms", value / 1e6),
        }
    }
}

fn read_until_near(program: &Known, loaded: bool) -> Result<[Figure; 3], String> {
    let farthest = |figures: &[Figure; 3]| {
        figures
            .iter()
            .map(|figure| figure.deviation().abs())
            .fold(0.0, f64::max)
    };
    let mut nearest = read(program)?;
    for run in 1..SHORT_RUNS {
        let room = if run < RUNS { 1.0 } else { SHORT_ROOM };
        if farthest(&nearest) <= room * goal(loaded) {
            break;
        }
        let again = read(program)?;
        if farthest(&again) < farthest(&nearest) {
            nearest = again;
        }
    }
    Ok(nearest)
}

/// Prints a row a figure; the number of those that missed by more than `room` times the goal.
fn print_rows(program: &Known, loaded: bool, readings: &[[Figure; 3]], room: f64) -> usize {
    let mut missed = 0;
    for index in 0..3 {
        let mut figures: Vec<&Figure> = readings.iter().map(|figures| &figures[index]).collect();
        figures.sort_by(|a, b| a.read.total_cmp(&b.read));
        let median = figures[figures.len() / 2];
        let farthest = figures
            .iter()
            .map(|figure| figure.deviation())
            .max_by(|a, b| a.abs().total_cmp(&b.abs()))
            .unwrap_or_default();
        let misses = median.deviation().abs() > goal(loaded);
        missed += usize::from(median.deviation().abs() > room * goal(loaded));
        println!(
            "{:<31} {:<6} {:<11} {:>12} {:>12} {:>+6.1}% {:>+8.1}% {:>4}%{}",
            program.name,
            if loaded { "busy" } else { "quiet" },
            median.name,
            median.shown(median.expected),
            median.shown(median.read),
            100.0 * median.deviation(),
            100.0 * farthest,
            100.0 * goal(loaded),
            if misses { "  MISSED" } else { "" },
        );
    }
    missed
}

/// Profiles the program once.
fn read(program: &Known) -> Result<[Figure; 3], String> {
    let profiled = Profiled::run(
        &["--package", "workspan-testkit", "--bin", "accuracy"],
        &[program.name],
    )
    .map_err(|message| format!("{}: {message}", program.name))?;
    let expected = profiled.printed()?;
    let figure = |name, key: &str| {
        Ok::<_, String>(Figure {
            name,
            expected: expected[key]
                .as_f64()
                .ok_or_else(|| format!("{}: {key} is not told", program.name))?,
            read: profiled.total(&[key])?,
        })
    };
    Ok([
        figure("work", "work_ns")?,
        figure("span", "span_ns")?,
        figure("parallelism", "parallelism")?,
    ])
}
