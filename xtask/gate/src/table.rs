//! The verdicts on gates as a table.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use crate::figure::short;
use crate::{Bounds, Estimate, Form, Machine, Verdict};

/// The verdict on one gate.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "their types explain them")]
pub struct Row {
    pub gate: String,
    pub form: Form,
    pub goal: Bounds,
    /// The figure of the accepted miss, if there is one.
    pub miss: Option<f64>,
    pub estimate: Estimate,
    pub machine: Machine,
    pub verdict: Verdict,
}

impl Row {
    /// The cells of the row. The figure comes with its interval and the number of readings.
    fn shown(&self) -> [String; 5] {
        let Estimate {
            figure,
            low,
            high,
            readings,
        } = self.estimate;
        [
            self.gate.clone(),
            self.goal.shown(),
            self.miss.map_or_else(String::new, short),
            format!(
                "{} ({} … {}, {readings})",
                short(figure),
                short(low),
                short(high)
            ),
            self.verdict.to_string(),
        ]
    }
}

/// Prints rows, and the number of gates with each verdict.
pub fn print(rows: &[Row]) {
    let headings = [
        "gate",
        "goal",
        "accepted",
        "median (interval, readings)",
        "verdict",
    ];
    let lines: Vec<[String; 5]> = std::iter::once(headings.map(str::to_owned))
        .chain(rows.iter().map(Row::shown))
        .collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths: [usize; 5] = std::array::from_fn(|column| width(column).unwrap_or_default());
    for (number, line) in lines.iter().enumerate() {
        let cells: Vec<String> = line
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        println!("| {} |", cells.join(" | "));
        if number == 0 {
            let rules: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
            println!("| {} |", rules.join(" | "));
        }
    }
    let counts: Vec<String> = Verdict::ALL
        .iter()
        .map(|verdict| {
            (
                verdict,
                rows.iter().filter(|row| row.verdict == *verdict).count(),
            )
        })
        .filter(|(_, count)| *count > 0)
        .map(|(verdict, count)| format!("{count} {verdict}"))
        .collect();
    println!("\n{} gates: {}", rows.len(), counts.join(", "));
}

/// All rows that measuring programs have left in a folder, failures first.
///
/// # Errors
/// A file cannot be read.
pub fn read_all(folder: &Path) -> anyhow::Result<Vec<Row>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    let mut rows: Vec<Row> = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            let kept: Vec<Row> = serde_json::from_slice(&fs::read(&path)?)
                .with_context(|| format!("{} is damaged", path.display()))?;
            rows.extend(kept);
        }
    }
    rows.sort_by(|a, b| (a.verdict, &a.gate).cmp(&(b.verdict, &b.gate)));
    Ok(rows)
}
