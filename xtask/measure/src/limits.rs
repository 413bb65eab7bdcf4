//! Writes what was measured into pages: figures into `docs/measured/limits.md`, files that other
//! commands write into pages of their own.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::Context as _;

use crate::checkout::root;
use crate::judge::{Gates, Row, short};
use crate::stamp::Stamp;

/// Puts the figures of a complete run of a program into their section of the page.
pub(crate) fn write_figures(gates: &Gates, program: &str, stamp: &str) -> anyhow::Result<()> {
    let text = format!("{}\n{stamp}", table(&gates.rows));
    replace(&gates.root, "limits", program, &text)
}

/// The most subjects that are named in a row: the worst ones.
const NAMED: usize = 3;

/// A row for each kind of figure with the same goal, in the order in which they were read, with the
/// subjects that are farthest from the goal.
fn table(rows: &[Row]) -> String {
    let mut kinds: Vec<(&str, String)> = Vec::new();
    for row in rows {
        let kind = (row.goal.what.as_str(), row.goal.shown());
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let mut text = "| what | goal | met | reads |\n|---|---|---|---|\n".to_owned();
    for (what, goal) in kinds {
        let is_of_kind = |row: &&Row| row.goal.what == what && row.goal.shown() == goal;
        let mut all: Vec<&Row> = rows.iter().filter(is_of_kind).collect();
        let off = |row: &Row| row.goal.distance(row.estimate.figure);
        all.sort_by(|a, b| off(b).total_cmp(&off(a)));
        let missed: Vec<&Row> = all.iter().copied().filter(|row| off(row) > 0.0).collect();
        let mut named: Vec<String> = Vec::new();
        let mut subjects: Vec<&str> = Vec::new();
        for row in &missed {
            let subject = row.gate.split('/').nth(1).unwrap_or_default();
            if !subjects.contains(&subject) {
                subjects.push(subject);
                named.push(format!("{subject} {}", short(row.estimate.figure)));
            }
        }
        if named.len() > NAMED {
            named.splice(NAMED.., ["…".to_owned()]);
        }
        let reads = match missed.is_empty() {
            true => range(&all),
            false => named.join(", "),
        };
        let met = format!("{}/{}", all.len() - missed.len(), all.len());
        text += &format!("| {what} | {goal} | {met} | {reads} |\n");
    }
    text
}

/// From the least figure to the greatest.
fn range(rows: &[&Row]) -> String {
    let mut figures: Vec<f64> = rows.iter().map(|row| row.estimate.figure).collect();
    figures.sort_by(f64::total_cmp);
    match (figures[0], figures[figures.len() - 1]) {
        (least, most) if least == most => short(least),
        (least, most) => format!("{} … {}", short(least), short(most)),
    }
}

/// Runs a command, and puts the file that it writes into docs/measured/NAME.md, also where the command
/// fails on what stands in the file.
pub(crate) fn write_file(name: &str, file: &Path, command: &[String]) -> anyhow::Result<ExitCode> {
    let stamp = Stamp::begin()?;
    let _ = fs::remove_file(file);
    let status = Command::new(&command[0]).args(&command[1..]).status()?;
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    replace(&root()?, name, "file", &format!("{text}\n{}", stamp.end()?))?;
    Ok(ExitCode::from(u8::from(!status.success())))
}

/// Replaces what a page in docs/measured has between two marks.
fn replace(root: &Path, page: &str, mark: &str, new: &str) -> anyhow::Result<()> {
    let path = root.join(format!("docs/measured/{page}.md"));
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    fs::write(&path, replaced(&text, mark, new)?)?;
    Ok(())
}

fn replaced(text: &str, mark: &str, new: &str) -> anyhow::Result<String> {
    let begin = format!("<!-- measured: {mark} -->\n");
    let end = "<!-- end of measured -->\n";
    let (before, rest) = text
        .split_once(&begin)
        .with_context(|| format!("no {begin}"))?;
    let (_, after) = rest
        .split_once(end)
        .with_context(|| format!("no {end} after {begin}"))?;
    Ok(format!(
        "{before}{begin}\n{}\n\n{end}{after}",
        new.trim_matches('\n')
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Bounds, Estimate, Verdict};

    fn row(gate: &str, figure: f64) -> Row {
        Row {
            gate: gate.to_owned(),
            goal: Bounds::of_percent(-2.0, 2.0),
            miss: None,
            estimate: Estimate::from_readings(&[figure]),
            verdict: Verdict::Met,
        }
    }

    #[test]
    fn the_worst_are_named() {
        let figures = [("a", 1.0), ("b", -9.0), ("c", 3.0), ("d", 4.0), ("e", 5.0)];
        let rows = figures.map(|(name, figure)| row(&format!("truth/{name}/work"), figure));
        let expected = "| test | -2 … 2 % | 1/5 | b -9, e 5, d 4, … |";
        assert_eq!(table(&rows).lines().last(), Some(expected));
        let last = table(&rows[..1]);
        assert_eq!(last.lines().last(), Some("| test | -2 … 2 % | 1/1 | 1 |"));
    }

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let page = "a\n<!-- measured: x -->\n\nold\n\n<!-- end of measured -->\nb\n";
        let new = replaced(page, "x", "new\n").unwrap();
        assert_eq!(new, page.replace("old", "new"));
        assert!(replaced(page, "y", "new").is_err());
    }
}
