//! Where a factored sweep says that cores' time goes, of programs for which that is known.

use std::process::Command;

use anyhow::Context as _;
use serde_json::Value;

use crate::checkout::{root, target};
use crate::measuring::Measuring;
use crate::run::{array, number, succeed};

/// A program, its arguments and those of the short form: `spins SHORT LONG ROUNDS` waits as long as
/// its arguments say, the others have false sharing or share nothing.
const STUDIES: [(&str, &str, &str); 3] = [
    ("spins", "spins -- 20 60 20", "spins -- 20 60 10"),
    (
        "sharing-shared",
        "sharing -- shared",
        "sharing -- shared 30000000",
    ),
    (
        "sharing-padded",
        "sharing -- padded 300000000",
        "sharing -- padded 60000000",
    ),
];

/// Sweeps of each.
const SWEEPS: usize = 3;

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    for (subject, full, short) in STUDIES {
        if !measuring.wants("scale", subject, true) {
            continue;
        }
        let (line, runs) = measuring.form.select((full, 10), (short, 5));
        measuring.watched(subject, |read| {
            for _ in 0..SWEEPS {
                let swept = sweep(line, runs)?;
                let points = array(&swept, "/factored/points")?;
                let factored = points.last().context("nothing is factored")?;
                let threads = number(factored, "/threads")?;
                let share_of = |cause: &str| -> anyhow::Result<f64> {
                    let gaps = array(&swept, "/factored/gaps")?.iter();
                    let of_cause = gaps.filter(|gap| {
                        gap["lost_to"] == cause && gap["threads"] == factored["threads"]
                    });
                    let lost = of_cause.map(|gap| number(gap, "/time/value_ns"));
                    let of_all = threads * number(factored, "/time/mean_ns")?;
                    Ok(100.0 * lost.sum::<anyhow::Result<f64>>()? / of_all)
                };
                read.add("inflation", share_of("work_inflation")?);
                if subject == "spins" {
                    let idle = number(factored, "/idle/value_ns")? / 1e6;
                    read.add(
                        "idle-off",
                        100.0 * (idle / known_idle(line, threads)? - 1.0),
                    );
                } else {
                    read.add("idle", share_of("idle_time")?);
                }
                let imbalances = array(&swept, "/factored/imbalances")?;
                read.add("imbalances", imbalances.len() as f64);
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// The idle time of `spins SHORT LONG ROUNDS`, in milliseconds: the time of all cores without the two
/// branches.
fn known_idle(line: &str, threads: f64) -> anyhow::Result<f64> {
    let numbers = line.split(' ').filter_map(|word| word.parse().ok());
    let numbers: Vec<f64> = numbers.collect();
    let [short, long, rounds] = numbers[..] else {
        anyhow::bail!("spins has three numbers, not `{line}`");
    };
    Ok(rounds * (threads * long - long - short))
}

fn sweep(line: &str, runs: u32) -> anyhow::Result<Value> {
    let mut command = Command::new(target()?.join("release/cargo-workspan"));
    let options = format!("--factored --elision --runs {runs} --report /dev/null --json -");
    let line =
        format!("workspan scale --quiet {options} --package workspan-examples --example {line}");
    let printed = succeed(command.args(line.split(' ')).current_dir(root()?))?.stdout;
    serde_json::from_slice(&printed).context("the sweep is no JSON")
}
