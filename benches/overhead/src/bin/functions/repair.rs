//! The bottleneck of Cilkprof §8: a breadth-first search that processes nodes of a constant size
//! serially.

use std::process::Command;

use anyhow::Context as _;
use workspan_overhead::{Executables, Group, Launch};

use crate::reading::Reading;

/// Lines on the first screen of a terminal.
const FIRST_SCREEN: usize = 40;

pub(crate) fn readings(executables: &Executables, short: bool) -> anyhow::Result<Vec<Reading>> {
    executables.build_example("bfs", &["1"])?;
    let side = "300";
    let report = Command::new(executables.workspan())
        .args(["run", "--"])
        .arg(executables.profiled(Group::Examples, "bfs"))
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
        let arguments = [side, node_size];
        let launch = Launch {
            threads: Some(1),
            cores: 0,
            ..Launch::new(executables, Group::Examples, "bfs", &arguments)
        };
        // The search alone, without making and freeing the grid.
        launch.profile()?.parallelism_of("join", "process_layer")
    };
    let turns = if short { 5 } else { 11 };
    let mut repaired = Vec::new();
    for _ in 0..turns {
        let (before, after) = (parallelism("2048")?, parallelism("128")?);
        println!("bfs: parallelism before {before:.1} and after the repair {after:.1} (12 and 60)");
        repaired.push(after / before);
    }
    Ok(vec![
        Reading::new("bfs/lines-naming-the-bottleneck", vec![named as f64]),
        Reading::new("bfs/parallelism-gain", repaired),
    ])
}
