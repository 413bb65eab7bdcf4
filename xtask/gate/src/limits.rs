//! The table of accepted misses in `docs/measured/misses.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, ensure};

use crate::figure::short;
use crate::{Bounds, Goals, Misses};

const BEGIN: &str = "<!-- misses: written by `gate limits docs/measured/misses.md` -->\n";
const END: &str = "<!-- end of misses -->\n";

/// Writes the table of all accepted misses between the two marks for it in a Markdown file. With
/// `only_check` compares the table in the file instead.
///
/// # Errors
/// The file has no such marks, cannot be read or written, or has another table.
pub(crate) fn write_limits(
    file: &Path,
    goals: &Goals,
    misses: &Misses,
    only_check: bool,
) -> anyhow::Result<()> {
    let text =
        fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let (before, rest) = text
        .split_once(BEGIN)
        .with_context(|| format!("{} has no line {BEGIN:?}", file.display()))?;
    let (_, after) = rest
        .split_once(END)
        .with_context(|| format!("{} has no line {END:?}", file.display()))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let table = table(goals, misses, folder)?;
    let written = format!("{before}{BEGIN}\n{table}\n{END}{after}");
    if only_check {
        ensure!(
            written == text,
            "{} lists other misses than ci/misses.toml: run `cargo run -p workspan-gate -- limits {0}`",
            file.display()
        );
        return Ok(());
    }
    fs::write(file, written).with_context(|| format!("{} cannot be written", file.display()))
}

/// The misses of one figure in all programs.
struct Group<'a> {
    goal: &'a Bounds,
    /// Subject and figure, the farthest from the goal first.
    misses: Vec<(&'a str, f64)>,
}

/// A row for each figure of a suite that any program misses, for a file in `folder`.
fn table(goals: &Goals, misses: &Misses, folder: &Path) -> anyhow::Result<String> {
    let mut groups: BTreeMap<(&str, String), Group> = BTreeMap::new();
    for (gate, miss) in misses.all() {
        let goal = goals.of_gate(gate)?;
        let parts: Vec<&str> = gate.split('/').collect();
        let [suite, subject, _] = parts[..] else {
            anyhow::bail!("{gate} is not suite/subject/figure");
        };
        let Some(figure) = miss.shown() else { continue };
        let group = groups
            .entry((suite, goal.what.clone()))
            .or_insert_with(|| Group {
                goal,
                misses: Vec::new(),
            });
        group.misses.push((subject, figure));
    }
    let mut text = "| what | goal | reads | measured |\n|---|--:|---|---|\n".to_owned();
    for ((suite, title), mut group) in groups {
        group.misses.sort_by(|a, b| {
            group
                .goal
                .distance(b.1)
                .total_cmp(&group.goal.distance(a.1))
        });
        let named: Vec<String> = group
            .misses
            .iter()
            .take(NAMED)
            .map(|(subject, figure)| format!("{subject} {}", short(*figure)))
            .collect();
        let more = match group.misses.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let page = Path::new(goals.page(suite)?);
        let link = page.strip_prefix(folder).unwrap_or(page).display();
        writeln!(
            text,
            "| {title} | {} | {}{more} | [{suite}]({link}) |",
            group.goal.shown(),
            named.join(", ")
        )?;
    }
    Ok(text)
}

/// The most programs that are named in a row: the worst ones.
const NAMED: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    const GOALS: &str = r#"
        most_unknown = 0.3
        short = []
        [machine]
        slower = 1.2
        others = 0.1
        [page]
        cost = "docs/cost.md"
        [goal]
        "cost/*/ratio" = { least = 0.9, most = 1.1, unit = "times", what = "Time over a plain run" }
        "cost/fib/ratio" = { least = 0.9, most = 1.3, unit = "times", what = "Time over a plain run" }
    "#;

    #[test]
    fn the_worst_comes_first_and_the_rest_is_counted() {
        let goals = Goals::parse(GOALS).unwrap();
        let miss = |gate: &str, figure: f64| {
            format!(
                "[\"cost/{gate}/ratio\"]\nfull = {figure}\ndate = \"2026-01-01\"\nreason = \"r\"\n"
            )
        };
        let misses: String = [("a", 1.2), ("b", 1.5), ("c", 1.4), ("d", 1.3), ("e", 0.55)]
            .map(|(gate, figure)| miss(gate, figure))
            .concat();
        let misses = Misses::parse(&misses).unwrap();
        let table = table(&goals, &misses, Path::new("docs")).unwrap();
        assert_eq!(
            table.lines().last().unwrap(),
            "| Time over a plain run | 0.900 … 1.10 times | b 1.50, e 0.550, c 1.40, d 1.30 and 1 more | [cost](cost.md) |"
        );
    }
}
