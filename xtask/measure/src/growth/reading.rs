//! Time and memory of commands on a profile, beside one eight times as large: they may grow with the
//! size and its logarithm, not with its square.

use std::path::{Path, PathBuf};
use std::process::Command;

use workspan_format::wsp;

use super::made::{made_dag, made_profile};
use crate::checkout::target;
use crate::measuring::Measuring;
use crate::run::Usage;

/// How much larger the second profile is.
const TIMES: u32 = 8;

/// Runs of each command on a profile.
const RUNS: usize = 3;

/// What a profile has many of, and how many of them the smaller one has: nested sites, sites in the
/// root, vertices of the task dag.
const SHAPES: [(&str, u32); 3] = [("deep", 2_500), ("wide", 2_500), ("long", 100_000)];

/// Commands with their options.
const COMMANDS: [(&str, &str); 10] = [
    ("report", ""),
    ("report", "--tree"),
    ("report", "--json out"),
    ("report", "--csv out"),
    ("report", "--html out"),
    ("export", "--format speedscope -o out"),
    ("export", "--format flamegraph -o out"),
    ("dag", ""),
    ("advise", ""),
    ("whatif", "--region root --parallelise 4"),
];

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    let workspan = target()?.join("release/workspan");
    let folder = tempfile::tempdir()?;
    for (shape, size) in SHAPES {
        if !measuring.wants("reading", shape, true) {
            continue;
        }
        let size = measuring.form.select(size, size / 4);
        let file = |size: u32| -> anyhow::Result<PathBuf> {
            let file = folder.path().join(format!("{shape}-{size}.wsp"));
            let sites = if shape == "long" { 1 } else { size };
            let profile = made_profile(sites, shape == "deep");
            wsp::write(&file, &profile, Some(&made_dag(sites, size as usize)))?;
            Ok(file)
        };
        let [small, large] = [file(size)?, file(TIMES * size)?];
        for (name, options) in COMMANDS {
            let run = |file: &Path| {
                let mut command = Command::new(&workspan);
                let command = command.current_dir(&folder).arg(name).arg(file);
                Usage::from_run(command.args(options.split_whitespace()))
            };
            let words = [shape, name].into_iter().chain(options.split([' ', '-']));
            let words: Vec<&str> = words
                .filter(|word| !matches!(*word, "" | "o" | "out"))
                .collect();
            measuring.watched(&words.join("-"), |read| {
                for _ in 0..RUNS {
                    let (small, large) = (run(&small)?, run(&large)?);
                    read.add("time", large.elapsed / small.elapsed);
                    read.add("memory", large.peak / small.peak);
                }
                Ok(())
            })?;
        }
    }
    Ok(())
}
