//! What profiling costs: the time and the memory of whole processes, beside plain ones.

use crate::judge::{Estimate, geometric_mean};
use crate::measuring::{Figure, Measuring, figure};
use crate::run::{Input, Mode, Program, SUITE, in_turns};

/// Pairs of runs of a program that takes milliseconds.
const START_PAIRS: usize = 21;

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    suite(measuring)?;
    if measuring.wants("start", "one_join") {
        measuring.build_suite()?;
        let one_join = Program::new("one_join", &[])?;
        measuring.watched("one_join", || {
            let turns = in_turns(&one_join, [Mode::Plain, Mode::Profiled], START_PAIRS)?;
            let added = turns
                .iter()
                .map(|[plain, profiled]| profiled.elapsed - plain.elapsed);
            Ok(vec![figure("start-ms", added.map(|seconds| 1e3 * seconds))])
        })?;
    }
    modes(measuring)?;
    emulation(measuring)
}

/// Time and memory of each program as a user runs it.
fn suite(measuring: &mut Measuring) -> anyhow::Result<()> {
    let turns = measuring.form.select(7, 5);
    let mut all = Vec::new();
    for suite in measuring.suite("suite")? {
        let program = suite.with(Input::Of(measuring.form))?;
        measuring.watched(suite.name, || {
            let turns = in_turns(&program, [Mode::Plain, Mode::Profiled], turns)?;
            let ratios = turns
                .iter()
                .map(|[plain, profiled]| profiled.elapsed / plain.elapsed);
            let beyond = turns
                .iter()
                .map(|[plain, profiled]| profiled.peak - 1.05 * plain.peak);
            all.push(ratios.clone().collect());
            Ok(vec![
                figure("profiled", ratios),
                figure("memory-mib", beyond.map(|bytes| bytes / f64::from(1 << 20))),
            ])
        })?;
    }
    if all.len() == SUITE.len() {
        measuring.follows("suite", vec![mean("profiled", &all)])?;
    }
    Ok(())
}

/// What the ways to measure cost apart, over the whole suite.
fn modes(measuring: &mut Measuring) -> anyhow::Result<()> {
    if !measuring.wants_in_full("modes", "suite") {
        return Ok(());
    }
    measuring.build_suite()?;
    let modes = [
        Mode::Plain,
        Mode::Unmeasured,
        Mode::Idle,
        Mode::Unsampled,
        Mode::Profiled,
        Mode::Exact,
    ];
    measuring.watched("suite", || {
        let [mut idle, mut sampling, mut exact] = [(); 3].map(|()| Vec::new());
        for suite in &SUITE {
            let program = suite.with(match suite.name {
                // With exact functions a larger input would take minutes.
                "fib" => Input::Argument("32"),
                _ => Input::Of(crate::judge::Form::Short),
            })?;
            let turns = in_turns(&program, modes, 7)?;
            let ratio = |mode: usize, over: usize| {
                turns
                    .iter()
                    .map(move |turn| turn[mode].elapsed / turn[over].elapsed)
            };
            idle.push(ratio(2, 1).collect());
            sampling.push(ratio(4, 3).collect());
            exact.push(ratio(5, 0).collect());
        }
        Ok(vec![
            mean("idle", &idle),
            mean("sampling", &sampling),
            mean("exact", &exact),
        ])
    })
}

/// How many times slower than alone on one thread a program is under emulation.
fn emulation(measuring: &mut Measuring) -> anyhow::Result<()> {
    if !measuring.wants_in_full("emulation", "suite") || !measuring.can_emulate()? {
        return Ok(());
    }
    measuring.build_suite()?;
    measuring.watched("suite", || {
        let mut slower = Vec::new();
        for suite in &SUITE {
            let Some(argument) = suite.emulated else {
                continue;
            };
            let program = suite.with(Input::Argument(argument))?;
            let alone = program.on(1).run(Mode::Unmeasured)?.processor;
            slower.push(program.run(Mode::Emulated)?.processor / alone.max(1e-3));
        }
        Ok(vec![figure("emulated", slower)])
    })
}

/// In each turn, the geometric mean of what all programs read.
fn mean(name: &str, programs: &[Vec<f64>]) -> Figure {
    let turn = |turn: usize| {
        programs
            .iter()
            .map(|turns| turns[turn])
            .collect::<Vec<f64>>()
    };
    let turns = 0..programs[0].len();
    let means: Vec<f64> = turns.map(|number| geometric_mean(&turn(number))).collect();
    (name.to_owned(), Estimate::from_readings(&means))
}
