//! The engine with very many tasks, very deep recursion and very many call sites.

use anyhow::Context as _;

use crate::measuring::{Measuring, figure};
use crate::run::{Mode, Program, output};

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    if measuring.wants("tasks", "tasks") {
        let program = Program::build("workspan-testkit", "bin", "known", &[])?;
        let number = measuring.form.select("100000000", "10000000");
        let tasks = program.with(&["tasks", number]);
        let beyond = |_| -> anyhow::Result<f64> {
            let (plain, profiled) = (
                tasks.run(Mode::Plain)?.peak,
                tasks.run(Mode::Profiled)?.peak,
            );
            Ok((profiled - 1.1 * plain) / f64::from(1 << 20))
        };
        let beyond = (0..3).map(beyond).collect::<anyhow::Result<Vec<f64>>>()?;
        measuring.unwatched("tasks", vec![figure("memory-mib", beyond)])?;
    }
    if measuring.wants("tasks", "deep") {
        let program = Program::build("workspan-testkit", "bin", "known", &[])?;
        let deep = |levels: u32| program.with(&["deep", &levels.to_string()]);
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
        let overflowed = runs.count() as f64;
        measuring.unwatched("deep", vec![figure("overflows", [overflowed])])?;
    }
    if measuring.wants("tasks", "sites") {
        measuring.watched("sites", || {
            let bench = [
                "bench",
                "--quiet",
                "--package",
                "workspan-testkit",
                "--bench",
                "sites",
            ];
            let printed = output("cargo", &bench)?;
            let lines = printed.lines().map(|line| {
                let (name, readings) = line.split_once(' ').context("no readings")?;
                let readings = readings.split(' ').map(str::parse);
                Ok(figure(name, readings.collect::<Result<Vec<f64>, _>>()?))
            });
            lines.collect()
        })?;
    }
    Ok(())
}
