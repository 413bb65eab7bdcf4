//! The call tree, indented.

use std::io;

use workspan_model::{FoldedNodes, Profile, SiteRow, TreeLine, TreeNode, call_tree};

use super::page::Page;
use super::table::{MARK, TableOf, or_none};
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
    let row = |node: &TreeNode| row_of_site[profile.tree[node.node.index()].site.index()];
    let lines = call_tree(profile, threshold);
    let recursive = |line| matches!(line, &TreeLine::Node(node) if node.recursive);
    let recursive = lines.iter().any(recursive);
    page.table(
        TableOf::new(&lines)
            .tree("site", |line| match line {
                TreeLine::Node(node) => {
                    // Its instances all lie within others of the same site.
                    let mark = if node.recursive {
                        format!("{MARK} ")
                    } else {
                        String::new()
                    };
                    let site = row(node).map_or_else(String::new, kind_and_name);
                    format!("{}{mark}{site}", "  ".repeat(node.depth))
                }
                TreeLine::Folded(folded) => {
                    let nodes = grouped(folded.nodes as u64);
                    format!("{}… {nodes} more", "  ".repeat(folded.depth))
                }
            })
            .flexible("location", |line| {
                of_node(line, |node| {
                    let location = row(node).and_then(|row| row.location.as_ref());
                    location.map_or_else(String::new, ToString::to_string)
                })
            })
            .right("count", |line| {
                of_node(line, |node| short_count(node.count))
            })
            .right("work", |line| match line {
                TreeLine::Node(TreeNode { work, .. })
                | TreeLine::Folded(FoldedNodes { work, .. }) => amount(work.time(), metric),
            })
            .right("span", |line| {
                let span = |node: &TreeNode| node.span.map(|span| amount(span.time(), metric));
                of_node(line, |node| or_none(span(node)))
            })
            .when(wide, |table| {
                table
                    .right("paral\u{ad}\nlelism", |line| {
                        of_node(line, |node| or_none(node.parallelism.map(ratio)))
                    })
                    .right("share\nof work", |line| match line {
                        TreeLine::Node(TreeNode { share_of_work, .. })
                        | TreeLine::Folded(FoldedNodes { share_of_work, .. }) => {
                            percent(*share_of_work)
                        }
                    })
            })
            .right("share\nof span", |line| match line {
                TreeLine::Node(TreeNode { share_of_span, .. })
                | TreeLine::Folded(FoldedNodes { share_of_span, .. }) => percent(*share_of_span),
            }),
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

/// A figure of a node; lines of folded nodes have none.
fn of_node(line: &TreeLine, figure: impl Fn(&TreeNode) -> String) -> String {
    match line {
        TreeLine::Node(node) => figure(node),
        TreeLine::Folded(_) => String::new(),
    }
}
