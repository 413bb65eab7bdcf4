//! The call tree, indented.

use std::io;

use workspan_model::{Profile, SiteRow, TreeLine, TreeNode, TreeNodes, call_tree};

use super::page::Page;
use super::table::{MARK, TableOf, or_none};
use crate::notation::figures::{amount, grouped, percent, ratio, short_count};
use crate::notation::place::kind_and_name;

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
    let row = |node: &TreeNode| row_of_site[profile.tree[node.node.index()].site.index()];
    let lines = call_tree(profile, threshold);
    let mut shown = lines.iter().filter_map(TreeLine::shown);
    let recursive = shown.any(|node| node.recursive);
    page.table(
        TableOf::new(&lines)
            .tree("site", |line| {
                let indent = "  ".repeat(line.depth);
                match &line.nodes {
                    TreeNodes::Shown(node) => {
                        // Its instances all lie within others of the same site.
                        let mark = if node.recursive {
                            format!("{MARK} ")
                        } else {
                            String::new()
                        };
                        let site = row(node).map_or_else(String::new, kind_and_name);
                        format!("{indent}{mark}{site}")
                    }
                    TreeNodes::Folded(nodes) => {
                        format!("{indent}… {} more", grouped(*nodes as u64))
                    }
                }
            })
            .flexible("location", |line| {
                let location = line.shown().and_then(|node| row(node)?.location.as_ref());
                location.map_or_else(String::new, ToString::to_string)
            })
            .sparse("count", |line| Some(short_count(line.shown()?.count)))
            .right("work", |line| amount(line.work.time(), metric))
            .sparse("span", |line| {
                let span = line.shown()?.span;
                Some(or_none(span.map(|span| amount(span.time(), metric))))
            })
            .when(wide, |table| {
                table
                    .sparse("paral\u{ad}\nlelism", |line| {
                        Some(or_none(line.shown()?.parallelism.map(ratio)))
                    })
                    .right("share\nof work", |line| percent(line.share_of_work))
            })
            .right("share\nof span", |line| percent(line.share_of_span)),
    )?;
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
