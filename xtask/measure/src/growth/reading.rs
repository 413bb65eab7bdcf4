//! Time and memory of commands on a profile, beside one eight times as large: they may grow with the
//! size and its logarithm, not with its square.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use workspan_format::wsp;

use super::made::{made_dag, made_profile};
use crate::measuring::{Measuring, figure};
use crate::run::{Usage, target};

/// How much larger the second profile is.
const TIMES: u32 = 8;

/// Runs of each command on a profile.
const RUNS: usize = 3;

/// What a profile has many of, and how many of them the smaller one has: nested sites, sites in the
/// root, vertices of the task dag.
const SHAPES: [(&str, u32); 3] = [("deep", 2_500), ("wide", 2_500), ("long", 100_000)];

/// Commands with their options.
const COMMANDS: [&str; 10] = [
    "report",
    "report --tree",
    "report --json /dev/null",
    "report --csv /dev/null",
    "report --html PAGE",
    "export --format speedscope -o /dev/null",
    "export --format flamegraph -o /dev/null",
    "dag",
    "advise",
    "whatif --region root --parallelise 4",
];

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    let workspan = target()?.join("release/workspan");
    let folder = tempfile::tempdir()?;
    for (shape, size) in SHAPES {
        if !measuring.wants("reading", shape) {
            continue;
        }
        let size = measuring.form.select(size, size / 4);
        let files = [size, TIMES * size].map(|size| {
            let file = folder.path().join(format!("{shape}-{size}.wsp"));
            let sites = if shape == "long" { 1 } else { size };
            let profile = made_profile(sites, shape == "deep");
            wsp::write(&file, &profile, Some(&made_dag(sites, size as usize)))?;
            anyhow::Ok(file)
        });
        let [small, large] = files;
        let (small, large) = (small?, large?);
        for line in COMMANDS {
            let run = |file: &Path| {
                let (command, options) = line.split_once(' ').unwrap_or((line, ""));
                let page = file.with_extension("html");
                let options = options.split_whitespace().map(|option| match option {
                    "PAGE" => page.as_os_str(),
                    option => OsStr::new(option),
                });
                Usage::from_run(Command::new(&workspan).arg(command).arg(file).args(options))
            };
            let words = line
                .split([' ', '/'])
                .filter(|word| !matches!(*word, "" | "dev" | "null" | "PAGE"));
            let subject = format!("{shape}-{}", words.collect::<Vec<_>>().join("-"));
            measuring.watched(&subject, || {
                let (mut time, mut memory) = (Vec::new(), Vec::new());
                for _ in 0..RUNS {
                    let (small, large) = (run(&small)?, run(&large)?);
                    time.push(large.elapsed / small.elapsed);
                    memory.push(large.peak / small.peak);
                }
                Ok(vec![figure("time", time), figure("memory", memory)])
            })?;
        }
    }
    Ok(())
}
