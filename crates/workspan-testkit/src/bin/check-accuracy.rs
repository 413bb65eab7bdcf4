//! Profiles the known programs with `cargo workspan` and compares what it reads with what they do.
//!
//! `ci/accuracy` builds what is needed and runs this. Exit code 1: a figure missed its goal; 2: a
//! program could not be profiled.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use workspan_testkit::{KNOWN, Known};

/// Greatest deviation with the machine quiet and with every core kept busy by another process.
const GOAL_QUIET: f64 = 0.05;
const GOAL_LOADED: f64 = 0.10;

/// Runs of each program whose median is compared; in short mode, one run, and again up to so often
/// where a figure misses.
const RUNS: usize = 3;

/// Short mode is for machines with other work: a figure fails it only when it is off by so many times the goal.
const SHORT_ROOM: f64 = 4.0;
const USAGE: &str = "usage: check-accuracy [--short] [PROGRAM...]";

fn main() -> ExitCode {
    let mut short = false;
    let mut names = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--short" => short = true,
            "--keep-busy" => {
                keep_busy();
                return ExitCode::SUCCESS;
            }
            name if KNOWN.iter().any(|known| known.name == name) => names.push(argument),
            other => {
                eprintln!("check-accuracy: no known program is called {other:?}\n{USAGE}");
                return ExitCode::from(2);
            }
        }
    }
    let chosen = KNOWN
        .iter()
        .filter(|known| names.is_empty() || names.iter().any(|name| name == known.name));
    match check(&chosen.collect::<Vec<_>>(), short) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(missed) => {
            println!("{missed} figures missed their goal by more than the room that is given");
            ExitCode::from(1)
        }
        Err(message) => {
            eprintln!("check-accuracy: {message}");
            ExitCode::from(2)
        }
    }
}

/// Prints the table; the number of figures that missed.
fn check(programs: &[&Known], short: bool) -> Result<usize, String> {
    let directory = std::env::current_exe()
        .map_err(|error| error.to_string())?
        .with_file_name("");
    if short {
        println!("One run of each program, again up to {RUNS} times where a figure misses.");
    } else {
        println!("Median of {RUNS} runs of each program, with the run farthest off.");
    }
    println!(
        "{:<31} {:<6} {:<11} {:>12} {:>12} {:>7} {:>9} {:>5}",
        "program", "cores", "figure", "expected", "read", "off", "farthest", "goal"
    );
    let room = if short { SHORT_ROOM } else { 1.0 };
    let mut missed = 0;
    for loaded in [false, true] {
        let _load = loaded.then(Load::on_every_core).transpose()?;
        for program in programs {
            let readings = if short {
                vec![read_until_near(program, loaded, &directory)?]
            } else {
                (0..RUNS)
                    .map(|_| read(program, &directory))
                    .collect::<Result<_, _>>()?
            };
            missed += print_rows(program, loaded, &readings, room);
        }
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

fn read_until_near(program: &Known, loaded: bool, directory: &Path) -> Result<[Figure; 3], String> {
    let farthest = |figures: &[Figure; 3]| {
        figures
            .iter()
            .map(|figure| figure.deviation().abs())
            .fold(0.0, f64::max)
    };
    let mut nearest = read(program, directory)?;
    for _ in 1..RUNS {
        if farthest(&nearest) <= goal(loaded) {
            break;
        }
        let again = read(program, directory)?;
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
fn read(program: &Known, directory: &Path) -> Result<[Figure; 3], String> {
    let results = directory.join(format!("accuracy-{}.json", std::process::id()));
    let output = Command::new(directory.join("cargo-workspan"))
        .args(["workspan", "run", "--release", "--no-report"])
        .args(["--package", "workspan-testkit", "--bin", "accuracy"])
        .arg("--json")
        .arg(&results)
        .args(["--", program.name])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot run cargo-workspan: {error}"))?;
    let profile = std::fs::read(&results);
    let _ = std::fs::remove_file(&results);
    let failed = |what: &str| {
        format!(
            "{what} of {}, whose standard error was\n{}",
            program.name,
            String::from_utf8_lossy(&output.stderr)
        )
    };
    let expected: Value =
        serde_json::from_slice(&output.stdout).map_err(|_| failed("no expected figures"))?;
    let profile: Value = profile
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .ok_or_else(|| failed("no profile"))?;
    let figure = |name, key: &str| {
        let number = |value: &Value| value[key].as_f64().ok_or_else(|| failed("no figure"));
        Ok::<_, String>(Figure {
            name,
            expected: number(&expected)?,
            read: number(&profile["totals"])?,
        })
    };
    Ok([
        figure("work", "work_ns")?,
        figure("span", "span_ns")?,
        figure("parallelism", "parallelism")?,
    ])
}

/// Processes that keep every core busy until this is dropped.
struct Load(Vec<Child>);

impl Load {
    fn on_every_core() -> Result<Load, String> {
        let start = |program: PathBuf| Command::new(program).arg("--keep-busy").spawn();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut load = Load(Vec::new());
        for _ in 0..cores {
            let child = std::env::current_exe()
                .and_then(start)
                .map_err(|error| format!("cannot keep the cores busy: {error}"))?;
            load.0.push(child);
        }
        Ok(load)
    }
}

/// What each of those processes does. It ends by itself should nobody be left to end it.
fn keep_busy() {
    let end = Instant::now() + Duration::from_secs(1_200);
    while Instant::now() < end {
        std::hint::spin_loop();
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
