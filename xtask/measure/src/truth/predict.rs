//! Predicted speedups beside measured ones.

use std::thread;

use crate::measuring::{Measuring, figure};
use crate::run::{Input, Mode};

/// Each turn records the program on one thread, cut for 64 cores, predicts from that, and runs the
/// plain program on 1, 2, 4 and 8 threads, as far as there are cores.
pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    let turns = measuring.form.select(9, 5);
    let most = thread::available_parallelism()?.get() as u32;
    let cores: Vec<u32> = [2, 4, 8]
        .into_iter()
        .filter(|&cores| cores <= most)
        .collect();
    for suite in measuring.suite("predict")? {
        let program = suite.with(Input::Of(measuring.form))?;
        let seconds =
            |threads| -> anyhow::Result<f64> { Ok(program.on(threads).run(Mode::Plain)?.elapsed) };
        measuring.watched(suite.name, || {
            let mut ratios = vec![Vec::new(); cores.len()];
            let mut beyond = ratios.clone();
            for _ in 0..turns {
                let recorded = program.on(1).profile(&["--sample-hz", "0"])?;
                let predicted = program.predicted(&recorded.kept(), &cores)?;
                let alone = seconds(1)?;
                for (at, [lower, median, upper]) in predicted.into_iter().enumerate() {
                    let speedup = alone / seconds(cores[at])?;
                    ratios[at].push(speedup / median);
                    let nearest = speedup.clamp(lower, upper.max(lower));
                    beyond[at].push(100.0 * (speedup / nearest - 1.0));
                }
            }
            let named = |name: &str, all: Vec<Vec<f64>>| {
                let each = cores.iter().zip(all);
                each.map(|(cores, readings)| figure(format!("{name}-{cores}"), readings))
                    .collect::<Vec<_>>()
            };
            Ok([named("speedup", ratios), named("beyond-range", beyond)].concat())
        })?;
    }
    Ok(())
}
