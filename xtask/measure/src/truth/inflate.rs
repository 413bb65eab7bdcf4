//! What `workspan inflate` finds in a program with false sharing in one region, and in some without.

use std::process::Command;

use serde_json::Value;

use crate::measuring::{Measuring, figure};
use crate::run::{Program, array, succeed, text};

/// Layouts of the example `interference`. Only the first hinders, in its region `write`.
const LAYOUTS: [&str; 4] = ["shared", "padded", "compute", "read"];

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    if !LAYOUTS
        .iter()
        .any(|layout| measuring.wants("inflate", layout))
    {
        return Ok(());
    }
    let program = Program::build(
        "workspan-examples",
        "example",
        "interference",
        &["compute", "1"],
    )?;
    let (rounds, length) = measuring.form.select(("31", 400), ("16", 200));
    for layout in LAYOUTS {
        if !measuring.wants("inflate", layout) {
            continue;
        }
        // Threads that begin on one processor must separate before they can hinder one another.
        let length = if layout == "shared" {
            4 * length
        } else {
            length
        }
        .to_string();
        measuring.watched(layout, || {
            let folder = tempfile::tempdir()?;
            let mut command = Command::new(program.command_file("workspan"));
            command
                .args([
                    "inflate",
                    "--runs",
                    rounds,
                    "--threads",
                    "2",
                    "--report",
                    "/dev/null",
                ])
                .args(["--json", "-", "-o"])
                .arg(folder.path().join("inflation"))
                .arg("--")
                .arg(program.profiled())
                .args([layout, &length]);
            let found = serde_json::from_slice(&succeed(&mut command)?.stdout)?;
            let (found, misjudged) = judged(layout, &found)?;
            let mut figures = vec![figure("misjudged", [misjudged])];
            if layout == "shared" {
                figures.push(figure("found", [found]));
            }
            Ok(figures)
        })?;
    }
    Ok(())
}

/// How many rows are found to be inflated that must be, and how many rows and findings are judged
/// wrongly.
fn judged(layout: &str, inflation: &Value) -> anyhow::Result<(f64, f64)> {
    let is_hindered = |site: &Value| {
        let site = &inflation["sites"][site.as_u64().unwrap_or(u64::MAX) as usize];
        let region = match site["kind"] == "region" {
            true => text(&site["name"]),
            // Of a join, the function around it.
            false => text(&site["function"])
                .rsplit("::")
                .next()
                .unwrap_or_default(),
        };
        layout == "shared" && region == "write"
    };
    let (mut found, mut misjudged) = (0, 0);
    for row in array(inflation, "/metrics/0/rows")? {
        let judgement = text(&row["judgement"]);
        if matches!(judgement, "small" | "only_oracle" | "only_parallel") || row["work"].is_null() {
            continue;
        }
        let is_hindered = is_hindered(&row["site"]);
        let is_found = judgement == "inflated";
        found += u32::from(is_found && is_hindered);
        misjudged += u32::from(is_found != is_hindered);
    }
    let findings = array(inflation, "/findings")?;
    let is_right = findings.iter().all(|finding| is_hindered(&finding["site"]));
    let is_there = findings.is_empty() != (layout == "shared");
    misjudged += u32::from(!is_right || !is_there);
    Ok((found.into(), misjudged.into()))
}
