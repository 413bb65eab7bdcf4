//! The call tree, indented.

use std::io;

use workspan_model::{FoldedNodes, Metric, Profile, SiteRow, TreeLine, TreeNode, call_tree};

use super::page::Page;
use super::sites::NONE;
use super::table::{Column, MARK, Table};
use crate::figures::{amount, grouped, percent, ratio, short_count};
use crate::place::kind_and_name;

/// Screens of at least this width show more figures.
const WIDTH_WITH_MORE: usize = 110;

/// Prints the nodes with at least `threshold` of the work or of the span.
pub(super) fn print(
    page: &mut Page<'_>,
    profile: &Profile,
    rows: &[SiteRow],
    threshold: f64,
) -> io::Result<()> {
    page.heading("Call tree, by share of the span")?;
    let metric = &profile.run.metric;
    let wide = page.screen().width >= WIDTH_WITH_MORE;
    let mut row_of_site = vec![None; profile.sites.len()];
    for row in rows {
        for site in &row.sites {
            row_of_site[site.index()] = Some(row);
        }
    }
    let mut table = Table::new(columns(wide));
    let mut recursive = false;
    for line in call_tree(profile, threshold) {
        let cells = match line {
            TreeLine::Node(line) => {
                let node = &profile.tree[line.node.index()];
                recursive |= line.recursive;
                cells(&line, row_of_site[node.site.index()], metric)
            }
            TreeLine::Folded(line) => folded_cells(&line, metric),
        };
        let shown = cells.into_iter().enumerate();
        let shown = shown.filter(|(index, _)| wide || !ONLY_WIDE.contains(index));
        table.row(shown.map(|(_, cell)| cell));
    }
    page.table(&table)?;
    page.remark("Each line with all below it.")?;
    if recursive {
        page.remark(&format!(
            "{MARK} runs within other executions of the same site, whose spans hold its own"
        ))?;
    }
    if threshold > 0.0 {
        page.remark(&format!(
            "Lines with less than {} of the work and of the span are folded (--threshold).",
            percent(threshold)
        ))?;
    }
    Ok(())
}

/// The columns that only a wide page has.
const ONLY_WIDE: [usize; 2] = [5, 6];

fn columns(wide: bool) -> Vec<Column> {
    let mut columns = vec![
        Column::tree("site"),
        Column::flexible("location"),
        Column::right("count"),
        Column::right("work"),
        Column::right("span"),
    ];
    if wide {
        columns.push(Column::right("paral\u{ad}\nlelism"));
        columns.push(Column::right("share\nof work"));
    }
    columns.push(Column::right("share\nof span"));
    columns
}

/// [`MARK`] marks nodes whose instances all lie within others of the same site.
fn cells(line: &TreeNode, row: Option<&SiteRow>, metric: &Metric) -> [String; 8] {
    let site = row.map_or_else(String::new, kind_and_name);
    let mark = if line.recursive {
        format!("{MARK} ")
    } else {
        String::new()
    };
    let location = row.and_then(|row| row.location.as_ref());
    let or_none = |figure: Option<String>| figure.unwrap_or_else(|| NONE.to_owned());
    [
        format!("{}{mark}{site}", indent(line.depth)),
        location.map_or_else(String::new, ToString::to_string),
        short_count(line.count),
        amount(line.work.time(), metric),
        or_none(line.span.map(|span| amount(span.time(), metric))),
        or_none(line.parallelism.map(ratio)),
        percent(line.share_of_work),
        percent(line.share_of_span),
    ]
}

fn folded_cells(line: &FoldedNodes, metric: &Metric) -> [String; 8] {
    let none = String::new;
    [
        format!(
            "{}… {} more",
            indent(line.depth),
            grouped(line.nodes as u64)
        ),
        none(),
        none(),
        amount(line.work.time(), metric),
        none(),
        none(),
        percent(line.share_of_work),
        percent(line.share_of_span),
    ]
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}
