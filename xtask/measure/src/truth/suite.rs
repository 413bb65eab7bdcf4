//! The work of the suite's programs on one thread, beside the processor time of a plain run; and in
//! emulated instructions, beside those that Valgrind counts.

use crate::measuring::{Measuring, figure};
use crate::run::{Input, Mode, SUITE, number};

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    let pairs = measuring.form.select(7, 3);
    for suite in measuring.suite("work")? {
        let program = suite.with(Input::Of(measuring.form))?.on(1);
        let pair = |_| -> anyhow::Result<f64> {
            let plain = program.run(Mode::Plain)?.processor;
            let work = number(&program.profile(&[])?.json, "/totals/work_ns")? / 1e9;
            Ok(100.0 * (work / plain - 1.0))
        };
        measuring.watched(suite.name, || {
            let off = (0..pairs).map(pair).collect::<anyhow::Result<Vec<f64>>>()?;
            Ok(vec![figure("serial-work", off)])
        })?;
    }
    for suite in &SUITE {
        let Some(argument) = suite.emulated else {
            continue;
        };
        if measuring.wants_in_full("emulation", suite.name) && measuring.can_emulate()? {
            measuring.build_suite()?;
            let program = suite.with(Input::Argument(argument))?;
            let off = 100.0 * (program.emulated_work()? / program.instructions()? - 1.0);
            measuring.unwatched(suite.name, vec![figure("instructions", [off])])?;
        }
    }
    Ok(())
}
