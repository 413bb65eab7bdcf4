//! What `workspan compare` promises: no alarm for identical programs, always one for a span that is
//! 10 % longer.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::measuring::{Measuring, figure};
use crate::run::{Program, array, succeed};

/// Runs of each program in a try, in turns.
const ROUNDS: usize = 20;

/// The first two are identical, the span of the last is so many percent longer.
const LONGER: [&str; 3] = ["0", "0", "10"];

/// Stages of a run: a span of a few tens of milliseconds.
const STAGES: &str = "30";

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    if !measuring.wants("compare", "stages") {
        return Ok(());
    }
    let program = Program::build("workspan-examples", "example", "stages", &["0", "1"])?;
    let tries = measuring.form.select(20, 3);
    measuring.watched("stages", || {
        let (mut alarms, mut missed) = (0.0, 0.0);
        for _ in 0..tries {
            let [identical, longer] = one_try(&program)?;
            let is_change =
                |total: &&Value| total["change"] == "grown" || total["change"] == "shrunk";
            alarms += f64::from(u8::from(
                array(&identical, "/totals")?
                    .iter()
                    .any(|it| is_change(&it)),
            ));
            let mut totals = array(&longer, "/totals")?.iter();
            let span = totals.find(|total| total["quantity"] == "span");
            missed += f64::from(u8::from(span.is_none_or(|span| span["change"] != "grown")));
        }
        Ok(vec![figure("alarms", [alarms]), figure("missed", [missed])])
    })
}

/// Comparisons with the identical program, and with the longer one.
fn one_try(program: &Program) -> anyhow::Result<[Value; 2]> {
    let folder = tempfile::tempdir()?;
    let workspan = || Command::new(program.command_file("workspan"));
    let file = |which: usize, round: usize| folder.path().join(format!("{which}-{round}.wsp"));
    for round in 0..ROUNDS {
        // Each round starts with another program.
        for turn in 0..LONGER.len() {
            let which = (round + turn) % LONGER.len();
            let mut command = workspan();
            command
                .args(["run", "--no-report", "-o"])
                .arg(file(which, round))
                .arg("--");
            succeed(
                command
                    .arg(program.profiled())
                    .args([LONGER[which], STAGES]),
            )?;
        }
    }
    let merged = |which: usize| -> anyhow::Result<PathBuf> {
        let all = folder.path().join(format!("{which}.wsp"));
        let runs = (0..ROUNDS).map(|round| file(which, round));
        succeed(workspan().args(["merge", "-o"]).arg(&all).args(runs))?;
        Ok(all)
    };
    let [first, same, longer] = [merged(0)?, merged(1)?, merged(2)?];
    let compare = |other: &Path| -> anyhow::Result<Value> {
        let mut command = workspan();
        command
            .args(["compare", "--json", "-"])
            .arg(&first)
            .arg(other);
        Ok(serde_json::from_slice(&succeed(&mut command)?.stdout)?)
    };
    Ok([compare(&same)?, compare(&longer)?])
}
