//! Judges figures of programs that are not written in Rust, and prints the table of all gates.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};

use anyhow::{Context as _, bail, ensure};
use clap::Parser;
use workspan_gate::{Form, Gates, Machine, Misses, Row, Verdict, print, read_all};

/// The page with the table of accepted misses.
const MISSES_PAGE: &str = "docs/measured/misses.md";

/// Judges what measuring programs read against `ci/goals.toml` and `ci/misses.toml`.
#[derive(Debug, Parser)]
enum Options {
    /// Runs a command, and judges the lines `gate: NAME READING...` that it prints
    ///
    /// All other lines are passed on. The machine is watched meanwhile: a figure that fails while
    /// it was disturbed is unknown. Exit code 1: a gate fails; the command's own code if that
    /// is not 0.
    Run {
        /// The first part of the gates' names
        #[arg(long)]
        suite: String,
        /// Which form of the measurement it is
        #[arg(long)]
        form: Form,
        /// The figures are counts, which a disturbed machine does not change
        #[arg(long)]
        counts: bool,
        /// The command
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<String>,
    },
    /// Prints the gates that all programs have judged since the folder was emptied, and what is
    /// missing
    ///
    /// Exit code 1: a gate fails, or something is missing.
    Table {
        /// The folder, which programs write as target/gates
        folder: PathBuf,
        /// Something must have been judged by each goal that `ci/goals.toml` has for this form,
        /// and each accepted miss of the suites that were measured; and no more gates than it says
        /// may be unknown
        #[arg(long)]
        complete: Option<Form>,
    },
    /// Prints entries for `ci/misses.toml` of the gates whose median misses, to be given a reason
    Propose {
        /// The folder, which programs write as target/gates
        folder: PathBuf,
    },
    /// Checks goals and misses, and that `docs/measured/misses.md` lists the misses
    Check,
    /// Writes the table of accepted misses into a Markdown file, between its two marks
    Limits {
        /// The file
        file: PathBuf,
    },
}

fn main() -> anyhow::Result<ExitCode> {
    let code = match Options::parse() {
        Options::Run {
            suite,
            form,
            counts,
            command,
        } => run(&suite, form, counts, &command)?,
        Options::Table { folder, complete } => table(&folder, complete)?,
        Options::Propose { folder } => {
            propose(&folder)?;
            0
        }
        Options::Limits { file } => {
            Gates::open("", Form::Full)?.write_limits(&file, false)?;
            0
        }
        Options::Check => {
            // Opening checks the rest.
            Gates::open("", Form::Full)?.write_limits(Path::new(MISSES_PAGE), true)?;
            0
        }
    };
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

fn run(suite: &str, form: Form, counts: bool, command: &[String]) -> anyhow::Result<i32> {
    let mut gates = Gates::open(suite, form)?;
    let mut read = Vec::new();
    let mut measure = || -> anyhow::Result<ExitStatus> {
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", command[0]))?;
        let output = child.stdout.take().context("no output")?;
        for line in BufReader::new(output).lines() {
            let line = line?;
            match line.strip_prefix("gate: ") {
                Some(figures) => read.push(parse(figures).with_context(|| line.clone())?),
                None => println!("{line}"),
            }
        }
        Ok(child.wait()?)
    };
    let (status, machine) = if counts {
        (measure()?, Machine::UNWATCHED)
    } else {
        gates.watch(measure)?
    };
    for (gate, readings) in &read {
        gates.judge(gate, readings, machine)?;
    }
    println!();
    let judged = gates.finish()?;
    Ok(match status.code() {
        Some(0) => judged.into(),
        Some(code) => code,
        None => bail!("{} was ended by a signal", command[0]),
    })
}

/// `NAME READING...`
fn parse(figures: &str) -> anyhow::Result<(String, Vec<f64>)> {
    let mut words = figures.split_whitespace();
    let gate = words.next().context("a gate without a name")?.to_owned();
    let readings: Vec<f64> = words.map(str::parse).collect::<Result<_, _>>()?;
    ensure!(!readings.is_empty(), "no readings");
    Ok((gate, readings))
}

fn table(folder: &Path, complete: Option<Form>) -> anyhow::Result<i32> {
    let rows = read_all(folder)?;
    print(&rows);
    let mut failed = rows.iter().any(|row| row.verdict.fails());
    if let Some(form) = complete {
        let gates = Gates::open("", form)?;
        for missing in gates.missing_goals(&rows) {
            println!("{missing}: nothing was judged by this goal");
            failed = true;
        }
        let is_wide = |row: &&Row| matches!(row.verdict, Verdict::Unknown | Verdict::Undecided);
        let unknown = rows.iter().filter(is_wide).count();
        if unknown as f64 > gates.most_unknown() * rows.len() as f64 {
            println!(
                "{unknown} of {} gates are unknown or undecided: measure on a quieter machine",
                rows.len()
            );
            failed = true;
        }
        let suite = |gate: &str| gate.split('/').next().map(str::to_owned);
        for gate in gates.accepted() {
            let was_measured = rows.iter().any(|row| suite(&row.gate) == suite(gate));
            if was_measured && !rows.iter().any(|row| row.gate == gate) {
                println!("{gate} has an accepted miss in ci/misses.toml, and nothing measured it");
                failed = true;
            }
        }
    }
    Ok(i32::from(failed))
}

fn propose(folder: &Path) -> anyhow::Result<()> {
    let misses = Misses::read(Path::new("."))?;
    let output = Command::new("date").arg("+%F").output();
    let today = String::from_utf8(output.context("cannot run date")?.stdout)?;
    for row in read_all(folder)? {
        match row.verdict {
            Verdict::Missed | Verdict::Worse | Verdict::Undecided => {
                println!("{}", entry(&row, &misses, today.trim()))
            }
            Verdict::Obsolete => println!("# meets its goal, so its entry goes: {}\n", row.gate),
            _ => {}
        }
    }
    Ok(())
}

/// The entry of a gate that failed. What the other form is known to read stays.
fn entry(row: &Row, misses: &Misses, today: &str) -> String {
    let known = misses.of_gate(&row.gate);
    let figures: String = [(Form::Full, "full"), (Form::Short, "short")]
        .into_iter()
        .filter_map(|(form, name)| {
            let figure = match form == row.form {
                true => row.estimate.figure,
                false => known?.figure(form)?,
            };
            Some(format!("{name} = {}\n", rounded(figure)))
        })
        .collect();
    let reason = known.map_or("…", |miss| &miss.reason);
    let sometimes = match known {
        Some(miss) if miss.sometimes => "sometimes = true\n",
        _ => "",
    };
    format!(
        "[{:?}]\n{figures}{sometimes}date = \"{today}\"\nreason = {reason:?}\n",
        row.gate
    )
}

/// To three digits.
fn rounded(figure: f64) -> f64 {
    if figure == 0.0 {
        return figure;
    }
    let scale = 10_f64.powf(2.0 - figure.abs().log10().floor());
    (figure * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_are_kept() {
        assert_eq!(
            [0.0, 873.46, -0.012_345, 1.0].map(rounded),
            [0.0, 873.0, -0.0123, 1.0]
        );
    }
}
