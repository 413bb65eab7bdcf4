//! The engine with very many tasks, very deep recursion and very many call sites.

use anyhow::Context as _;

use crate::measuring::Measuring;
use crate::run::{Mode, Program, output};

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    if measuring.wants("tasks", "tasks", true) {
        let number = measuring.form.select("tasks 100000000", "tasks 10000000");
        let tasks = Program::known()?.with(number);
        measuring.unwatched("tasks", |read| {
            for _ in 0..3 {
                let plain = tasks.run(Mode::Plain)?.peak;
                let beyond = tasks.run(Mode::Profiled)?.peak - 1.1 * plain;
                read.add("memory-mib", beyond / f64::from(1 << 20));
            }
            Ok(())
        })?;
    }
    if measuring.wants("tasks", "deep", true) {
        let program = Program::known()?;
        let deep = |levels: u32| program.with(&format!("deep {levels}"));
        measuring.unwatched("deep", |read| {
            // The deepest recursion that fits, by bisection: a stack overflow ends the process.
            let (mut fits, mut overflows) = (1_000, 1_000_000);
            while overflows - fits > 200 {
                let middle = u32::midpoint(fits, overflows);
                match deep(middle).run(Mode::Plain) {
                    Ok(_) => fits = middle,
                    Err(_) => overflows = middle,
                }
            }
            let runs = (0..3).filter(|_| deep(fits).run(Mode::Profiled).is_err());
            read.add("overflows", runs.count() as f64);
            Ok(())
        })?;
    }
    if measuring.wants("tasks", "sites", true) {
        measuring.watched("sites", |read| {
            for line in output("cargo bench --quiet -p workspan-testkit --bench sites")?.lines() {
                let (name, readings) = line.split_once(' ').context("no readings")?;
                for reading in readings.split(' ') {
                    read.add(name, reading.parse()?);
                }
            }
            Ok(())
        })?;
    }
    Ok(())
}
