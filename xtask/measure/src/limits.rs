//! Writes what was measured into pages: figures into `docs/measured/limits.md`, files that other
//! commands write into pages of their own.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::Context as _;

use crate::judge::{Gates, Row, root, rows, short};
use crate::stamp::Stamp;

/// Puts the figures of a complete run of a program into their section of the page.
pub(crate) fn write_figures(gates: &Gates, program: &str, stamp: &str) -> anyhow::Result<()> {
    let rows = rows(&gates.root, program)?;
    let reason = |gate: &str| gates.misses.0.get(gate).map(|miss| miss.reason.as_str());
    let text = format!("{}\n{stamp}", table(&rows, reason));
    replace(&gates.root, "limits", program, &text)
}

/// The most subjects that are named in a row: the worst ones.
const NAMED: usize = 3;

/// A row for each kind of figure, with the subjects that are farthest from the goal.
fn table<'a>(rows: &[Row], reason: impl Fn(&str) -> Option<&'a str>) -> String {
    let mut kinds: Vec<&str> = rows.iter().map(|row| row.goal.what.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut text = "| what | goal | met | reads | why |\n|---|---|---|---|---|\n".to_owned();
    for kind in kinds {
        let mut all: Vec<&Row> = rows.iter().filter(|row| row.goal.what == kind).collect();
        let off = |row: &Row| row.goal.distance(row.estimate.figure);
        all.sort_by(|a, b| off(b).total_cmp(&off(a)));
        let missed: Vec<&Row> = all.iter().copied().filter(|row| off(row) > 0.0).collect();
        let named = missed.iter().take(NAMED).map(|row| {
            let subject = row.gate.split('/').nth(1).unwrap_or_default();
            format!("{subject} {}", short(row.estimate.figure))
        });
        let reads = match missed.len() {
            0 => range(&all),
            count if count > NAMED => format!("{}, …", named.collect::<Vec<_>>().join(", ")),
            _ => named.collect::<Vec<_>>().join(", "),
        };
        let why = missed.first().and_then(|row| reason(&row.gate)).unwrap_or_default();
        let met = format!("{} of {}", all.len() - missed.len(), all.len());
        let goal = all[0].goal.shown();
        text += &format!("| {kind} | {goal} | {met} | {reads} | {why} |\n");
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
    let (before, rest) = text.split_once(&begin).with_context(|| format!("no {begin}"))?;
    let (_, after) = rest.split_once(end).with_context(|| format!("no {end} after {begin}"))?;
    Ok(format!("{before}{begin}\n{}\n\n{end}{after}", new.trim_matches('\n')))
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
    fn the_worst_are_named_with_the_reason_of_the_first() {
        let figures = [("a", 1.0), ("b", -9.0), ("c", 3.0), ("d", 4.0), ("e", 5.0)];
        let rows = figures.map(|(name, figure)| row(&format!("truth/{name}/work"), figure));
        let reason = |gate: &str| (gate == "truth/b/work").then_some("r");
        let expected = "| test | -2 … 2 % | 1 of 5 | b -9, e 5, d 4, … | r |";
        assert_eq!(table(&rows, reason).lines().last(), Some(expected));
        let last = table(&rows[..1], reason);
        assert_eq!(last.lines().last(), Some("| test | -2 … 2 % | 1 of 1 | 1 |  |"));
    }

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let page = "a\n<!-- measured: x -->\n\nold\n\n<!-- end of measured -->\nb\n";
        let new = replaced(page, "x", "new\n").unwrap();
        assert_eq!(new, page.replace("old", "new"));
        assert!(replaced(page, "y", "new").is_err());
    }
}
