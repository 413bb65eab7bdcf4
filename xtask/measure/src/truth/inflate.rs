//! What `workspan inflate` finds in a program with false sharing in one region, and in some without.

use std::process::Command;

use serde_json::Value;

use crate::checkout::target;
use crate::measuring::Measuring;
use crate::run::{Program, array, succeed, text};

/// Layouts of the example `interference`. Only the first hinders, in its region `write`.
const LAYOUTS: [&str; 4] = ["shared", "padded", "compute", "read"];

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    let (rounds, length) = measuring.form.select((31, 400), (16, 200));
    for layout in LAYOUTS {
        if !measuring.wants("inflate", layout, true) {
            continue;
        }
        let program = Program::example("interference", "compute 1")?;
        // Threads that begin on one processor must separate before they can hinder one another.
        let length = if layout == "shared" {
            4 * length
        } else {
            length
        };
        let program = program.with(&format!("{layout} {length}"));
        measuring.watched(layout, |read| {
            let folder = tempfile::tempdir()?;
            let options =
                format!("inflate --runs {rounds} --threads 2 --report /dev/null --json -");
            let mut command = Command::new(target()?.join("release/workspan"));
            command
                .args(options.split(' '))
                .arg("-o")
                .arg(folder.path().join("inflation"));
            command.arg("--").args(program.profiled());
            let found = serde_json::from_slice(&succeed(&mut command)?.stdout)?;
            let (found, misjudged) = judged(layout, &found)?;
            read.add("misjudged", misjudged);
            if layout == "shared" {
                read.add("found", found);
            }
            Ok(())
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
        let (is_hindered, is_found) = (is_hindered(&row["site"]), judgement == "inflated");
        found += u32::from(is_found && is_hindered);
        misjudged += u32::from(is_found != is_hindered);
    }
    let findings = array(inflation, "/findings")?;
    let is_right = findings.iter().all(|finding| is_hindered(&finding["site"]));
    let is_there = findings.is_empty() != (layout == "shared");
    misjudged += u32::from(!is_right || !is_there);
    Ok((found.into(), misjudged.into()))
}
