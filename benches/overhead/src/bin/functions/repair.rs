//! The bottleneck of Cilkprof §8: breadth-first search that processes nodes of a constant size serially.

use std::process::Command;

use anyhow::Context as _;
use workspan_overhead::{Executables, Functions, Group, Launch, Threads, Timing};

use crate::Claim;

/// How many lines of a terminal are the first screen.
const FIRST_SCREEN: usize = 40;

pub(crate) fn claims(executables: &Executables, short: bool) -> anyhow::Result<Vec<Claim>> {
    executables.build_example("bfs", &["1"])?;
    let program = executables.profiled(Group::Examples, "bfs");
    let side = "300";
    let report = Command::new(executables.workspan())
        .args(["run", "--"])
        .arg(&program)
        .arg(side)
        .env("COLUMNS", "80")
        .output()
        .context("workspan cannot be started")?;
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&report.stdout),
        String::from_utf8_lossy(&report.stderr)
    );
    let screen: Vec<&str> = text.lines().take(FIRST_SCREEN).collect();
    println!("bfs {side}: the first screen\n\n{}\n", screen.join("\n"));
    let named = screen
        .iter()
        .filter(|line| line.contains("process_node"))
        .count();
    let parallelism = |node_size: &str| -> anyhow::Result<f64> {
        let launch = Launch {
            arguments: &[side, node_size],
            threads: Threads::One,
            functions: Functions::Sampled,
        };
        // A disturbance can only lengthen the span.
        let mut largest = 0.0_f64;
        for _ in 0..3 {
            let profile = launch.profile(&executables.workspan(), &program, Timing::Default, 0)?;
            // The search itself: making the grid and freeing it are other work.
            largest = largest.max(profile.parallelism_of("join", "process_layer")?);
        }
        Ok(largest)
    };
    let (before, after) = (parallelism("2048")?, parallelism("128")?);
    Ok(vec![
        Claim {
            what: "bfs: lines of the first screen that name the bottleneck, `process_node`"
                .to_owned(),
            goal: ">= 1".to_owned(),
            figure: named.to_string(),
            is_met: named > 0,
            is_accepted: named > 0,
        },
        Claim {
            what: format!(
                "bfs: parallelism before {before:.1} and after the repair {after:.1} (12 and 60)"
            ),
            goal: ">= 3 times".to_owned(),
            figure: format!("{:.1} times", after / before),
            is_met: after / before >= 3.0,
            // A small grid has few nodes in a layer, and little to win.
            is_accepted: after / before >= if short { 1.5 } else { 3.0 },
        },
    ])
}
