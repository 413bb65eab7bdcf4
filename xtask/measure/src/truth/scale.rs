//! Where a factored sweep says that cores' time goes, of programs for which that is known.

use std::process::Command;

use anyhow::Context as _;
use serde_json::Value;

use crate::judge::root;
use crate::measuring::{Measuring, figure};
use crate::run::{array, number, succeed, target};

/// A program, its arguments and those of the short form: `spins SHORT LONG ROUNDS` waits as long as
/// its arguments say, the others have false sharing or share nothing.
const STUDIES: [(&str, &str, &[&str], &[&str]); 3] = [
    ("spins", "spins", &["20", "60", "20"], &["20", "60", "10"]),
    (
        "sharing-shared",
        "sharing",
        &["shared"],
        &["shared", "30000000"],
    ),
    (
        "sharing-padded",
        "sharing",
        &["padded", "300000000"],
        &["padded", "60000000"],
    ),
];

/// Sweeps of each, and runs of a sweep on each number of threads.
const SWEEPS: usize = 3;

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    let runs = measuring.form.select("10", "5");
    for (subject, example, full, short) in STUDIES {
        if !measuring.wants("scale", subject) {
            continue;
        }
        let arguments = measuring.form.select(full, short);
        measuring.watched(subject, || {
            let (mut inflation, mut idle, mut imbalances) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..SWEEPS {
                let swept = sweep(example, arguments, runs)?;
                let factored = array(&swept, "/factored/points")?
                    .last()
                    .context("no points")?;
                let threads = number(factored, "/threads")?;
                let of_all = threads * number(factored, "/time/mean_ns")?;
                let lost_to = |cause: &str| -> anyhow::Result<f64> {
                    let gaps = array(&swept, "/factored/gaps")?.iter();
                    let of_cause = gaps.filter(|gap| {
                        gap["lost_to"] == cause && gap["threads"] == factored["threads"]
                    });
                    of_cause.map(|gap| number(gap, "/time/value_ns")).sum()
                };
                inflation.push(100.0 * lost_to("work_inflation")? / of_all);
                idle.push(match example {
                    "spins" => {
                        let read = number(factored, "/idle/value_ns")? / 1e6;
                        100.0 * (read / known_idle(arguments, threads)? - 1.0)
                    }
                    _ => 100.0 * lost_to("idle_time")? / of_all,
                });
                imbalances.push(array(&swept, "/factored/imbalances")?.len() as f64);
            }
            let name = if example == "spins" {
                "idle-off"
            } else {
                "idle"
            };
            Ok(vec![
                figure("inflation", inflation),
                figure(name, idle),
                figure("imbalances", imbalances),
            ])
        })?;
    }
    Ok(())
}

/// The idle time of `spins SHORT LONG ROUNDS`, in milliseconds: the time of all cores without the two
/// branches.
fn known_idle(arguments: &[&str], threads: f64) -> anyhow::Result<f64> {
    let numbers: Vec<f64> = arguments
        .iter()
        .map(|text| text.parse())
        .collect::<Result<_, _>>()?;
    Ok(numbers[2] * (threads * numbers[1] - numbers[1] - numbers[0]))
}

fn sweep(example: &str, arguments: &[&str], runs: &str) -> anyhow::Result<Value> {
    let mut command = Command::new(target()?.join("release/cargo-workspan"));
    command
        .current_dir(root()?)
        .args([
            "workspan",
            "scale",
            "--release",
            "--quiet",
            "--package",
            "workspan-examples",
        ])
        .args([
            "--example",
            example,
            "--factored",
            "--elision",
            "--runs",
            runs,
        ])
        .args(["--report", "/dev/null", "--json", "-", "--"])
        .args(arguments);
    let printed = succeed(&mut command)?.stdout;
    serde_json::from_slice(&printed).context("the sweep is no JSON")
}
