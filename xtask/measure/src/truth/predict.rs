//! Predicted speedups beside measured ones.

use std::process::Command;
use std::thread;

use crate::checkout::target;
use crate::measuring::Measuring;
use crate::run::{Input, Mode, Profile, array, number, succeed};

/// Each turn records the program on one thread, cut for 64 cores, predicts from that, and runs the
/// plain program on 1, 2, 4 and 8 threads, as far as there are cores.
pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    let turns = measuring.form.select(9, 5);
    let most = thread::available_parallelism()?.get() as u32;
    for suite in measuring.suite("predict")? {
        let program = suite.with(Input::Of(measuring.form))?;
        let seconds =
            |threads| -> anyhow::Result<f64> { Ok(program.on(threads).run(Mode::Plain)?.elapsed) };
        measuring.watched(suite.name, |read| {
            for _ in 0..turns {
                let recorded = program.on(1).profile("--sample-hz 0")?;
                let alone = seconds(1)?;
                for cores in [2, 4, 8].into_iter().filter(|&cores| cores <= most) {
                    let Some([lower, median, upper]) = predicted(&recorded, cores)? else {
                        continue;
                    };
                    let speedup = alone / seconds(cores)?;
                    read.add(&format!("speedup-{cores}"), speedup / median);
                    let nearest = speedup.clamp(lower, upper.max(lower));
                    let beyond = 100.0 * (speedup / nearest - 1.0);
                    read.add(&format!("beyond-range-{cores}"), beyond);
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// What is said of a run from which nothing can be predicted.
const REFUSED: &str = "no speedups to predict";

/// What `workspan predict` makes of a profile: the range of the speedup, its median in the middle.
/// `None` where it says that the run cannot tell.
fn predicted(profile: &Profile, cores: u32) -> anyhow::Result<Option<[f64; 3]>> {
    let mut command = Command::new(target()?.join("release/workspan"));
    command.arg("predict").arg(profile.kept());
    command.args(["--json", "-", "--cores", &cores.to_string()]);
    let output = match succeed(&mut command) {
        Err(error) if error.to_string().contains(REFUSED) => return Ok(None),
        output => output?,
    };
    let document = serde_json::from_slice(&output.stdout)?;
    let mut rows = array(&document, "/speedup")?.iter();
    let row = rows.find(|row| row["cores"] == cores);
    let row = row.ok_or_else(|| anyhow::anyhow!("nothing is predicted for {cores} cores"))?;
    Ok(Some([
        number(row, "/lower")?,
        number(row, "/median")?,
        number(row, "/upper")?,
    ]))
}
