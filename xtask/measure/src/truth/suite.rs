//! The work of the suite's programs on one thread, beside the processor time of a plain run; and in
//! emulated instructions, beside those that Valgrind counts.

use crate::measuring::Measuring;
use crate::run::{Input, Mode, SUITE, number};

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    let pairs = measuring.form.select(7, 3);
    for suite in measuring.suite("work")? {
        let program = suite.with(Input::Of(measuring.form))?.on(1);
        measuring.watched(suite.name, |read| {
            for _ in 0..pairs {
                let plain = program.run(Mode::Plain)?.processor;
                let work = number(&program.profile("")?.json, "/totals/work_ns")? / 1e9;
                read.add("serial-work", 100.0 * (work / plain - 1.0));
            }
            Ok(())
        })?;
    }
    for suite in SUITE.iter().filter(|suite| suite.emulated.is_some()) {
        if measuring.wants("emulation", suite.name, false) && measuring.can_emulate()? {
            measuring.build_suite()?;
            let program = suite.with(Input::Emulated)?;
            measuring.unwatched(suite.name, |read| {
                let (emulated, counted) = (program.emulated_work()?, program.instructions()?);
                read.add("instructions", 100.0 * (emulated / counted - 1.0));
                Ok(())
            })?;
        }
    }
    Ok(())
}
