//! What `workspan compare` promises: no alarm for identical programs, always one for a span that is
//! 10 % longer.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::checkout::target;
use crate::measuring::Measuring;
use crate::run::{Program, array, succeed, text};

/// Runs of each program in a try, in turns.
const ROUNDS: usize = 20;

/// Arguments of the example `stages`: how many percent its span is longer, and stages that give it a
/// span of a few tens of milliseconds. The first two are identical.
const ARGUMENTS: [&str; 3] = ["0 30", "0 30", "10 30"];

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    if !measuring.wants("compare", "stages", true) {
        return Ok(());
    }
    let program = Program::example("stages", "0 1")?;
    let tries = measuring.form.select(20, 3);
    measuring.watched("stages", |read| {
        let (mut alarms, mut missed) = (0, 0);
        for _ in 0..tries {
            let [identical, longer] = one_try(&program)?;
            let is_change = |total: &Value| matches!(text(&total["change"]), "grown" | "shrunk");
            let is_longer =
                |total: &Value| total["quantity"] == "span" && total["change"] == "grown";
            alarms += u32::from(array(&identical, "/totals")?.iter().any(is_change));
            missed += u32::from(!array(&longer, "/totals")?.iter().any(is_longer));
        }
        read.add("alarms", alarms.into());
        read.add("missed", missed.into());
        Ok(())
    })
}

/// Comparisons with the identical program, and with the longer one.
fn one_try(program: &Program) -> anyhow::Result<[Value; 2]> {
    let folder = tempfile::tempdir()?;
    let workspan = target()?.join("release/workspan");
    let file = |which: usize, round: usize| folder.path().join(format!("{which}-{round}.wsp"));
    for round in 0..ROUNDS {
        // Each round starts with another program.
        for turn in 0..ARGUMENTS.len() {
            let which = (round + turn) % ARGUMENTS.len();
            let mut command = Command::new(&workspan);
            command
                .args(["run", "--no-report", "-o"])
                .arg(file(which, round))
                .arg("--");
            succeed(command.args(program.with(ARGUMENTS[which]).profiled()))?;
        }
    }
    let merged = |which: usize| -> anyhow::Result<PathBuf> {
        let all = folder.path().join(format!("{which}.wsp"));
        let runs = (0..ROUNDS).map(|round| file(which, round));
        succeed(
            Command::new(&workspan)
                .args(["merge", "-o"])
                .arg(&all)
                .args(runs),
        )?;
        Ok(all)
    };
    let [first, same, longer] = [merged(0)?, merged(1)?, merged(2)?];
    let compare = |other: PathBuf| -> anyhow::Result<Value> {
        let mut command = Command::new(&workspan);
        command
            .args(["compare", "--json", "-"])
            .arg(&first)
            .arg(other);
        Ok(serde_json::from_slice(&succeed(&mut command)?.stdout)?)
    };
    Ok([compare(same)?, compare(longer)?])
}
