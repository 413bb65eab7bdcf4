//! What profiling costs: the time and the memory of whole processes, beside plain ones.

use crate::judge::{Form, geometric_mean};
use crate::measuring::{Measuring, Readings};
use crate::run::{Input, Mode, Program, SUITE, in_turns};

/// Pairs of runs of a program that takes milliseconds.
const START_PAIRS: usize = 21;

/// Turns of the modes.
const TURNS: usize = 7;

const PAIR: [Mode; 2] = [Mode::Plain, Mode::Profiled];

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    suite(measuring)?;
    if measuring.wants("start", "one_join", true) {
        measuring.build_suite()?;
        measuring.watched("one_join", |read| {
            let turns = in_turns(&Program::new("one_join", "")?, PAIR, START_PAIRS)?;
            for [plain, profiled] in turns {
                read.add("start-ms", 1e3 * (profiled.elapsed - plain.elapsed));
            }
            Ok(())
        })?;
    }
    modes(measuring)?;
    emulation(measuring)
}

/// Time and memory of each program as a user runs it.
fn suite(measuring: &mut Measuring) -> anyhow::Result<()> {
    let turns = measuring.form.select(TURNS, 5);
    let mut all = Vec::new();
    for suite in measuring.suite("suite")? {
        let program = suite.with(Input::Of(measuring.form))?;
        measuring.watched(suite.name, |read| {
            for [plain, profiled] in in_turns(&program, PAIR, turns)? {
                read.add("profiled", profiled.elapsed / plain.elapsed);
                let beyond = profiled.peak - 1.05 * plain.peak;
                read.add("memory-mib", beyond / f64::from(1 << 20));
            }
            all.push(read.of("profiled").to_vec());
            Ok(())
        })?;
    }
    if all.len() == SUITE.len() {
        let mut mean = Readings::default();
        add_means(&mut mean, "profiled", &all);
        measuring.follows("suite", mean)?;
    }
    Ok(())
}

/// What the ways to measure cost apart, over the whole suite.
fn modes(measuring: &mut Measuring) -> anyhow::Result<()> {
    if !measuring.wants("modes", "suite", false) {
        return Ok(());
    }
    measuring.build_suite()?;
    use Mode::{Exact, Idle, Plain, Profiled, Unmeasured, Unsampled};
    let modes = [Plain, Unmeasured, Idle, Unsampled, Profiled, Exact];
    measuring.watched("suite", |read| {
        let [mut idle, mut sampling, mut exact] = [(); 3].map(|()| Vec::new());
        for suite in &SUITE {
            let program = suite.with(match suite.name {
                // With exact functions a larger input would take minutes.
                "fib" => Input::Argument("32"),
                _ => Input::Of(Form::Short),
            })?;
            let turns = in_turns(&program, modes, TURNS)?;
            let ratio = |mode: usize, over: usize| {
                let seconds = turns
                    .iter()
                    .map(|turn| turn[mode].elapsed / turn[over].elapsed);
                seconds.collect::<Vec<f64>>()
            };
            idle.push(ratio(2, 1));
            sampling.push(ratio(4, 3));
            exact.push(ratio(5, 0));
        }
        add_means(read, "idle", &idle);
        add_means(read, "sampling", &sampling);
        add_means(read, "exact", &exact);
        Ok(())
    })
}

/// How many times slower than alone on one thread a program is under emulation.
fn emulation(measuring: &mut Measuring) -> anyhow::Result<()> {
    if !measuring.wants("emulation", "suite", false) || !measuring.can_emulate()? {
        return Ok(());
    }
    measuring.build_suite()?;
    measuring.watched("suite", |read| {
        for suite in SUITE.iter().filter(|suite| suite.emulated.is_some()) {
            let program = suite.with(Input::Emulated)?;
            let alone = program.on(1).run(Mode::Unmeasured)?.processor;
            let emulated = program.run(Mode::Emulated)?.processor;
            read.add("emulated", emulated / alone.max(1e-3));
        }
        Ok(())
    })
}

/// Adds the geometric mean of what all programs read in each turn.
fn add_means(read: &mut Readings, name: &str, programs: &[Vec<f64>]) {
    for turn in 0..programs[0].len() {
        let of_turn: Vec<f64> = programs.iter().map(|turns| turns[turn]).collect();
        read.add(name, geometric_mean(&of_turn));
    }
}
