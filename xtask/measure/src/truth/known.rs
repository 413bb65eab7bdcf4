//! Programs whose work and span are known (`workspan-testkit/src/known.rs`): how far single runs are
//! off, and how many of the printed intervals hold the truth.

use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::Value;

use crate::measuring::{Measuring, Readings};
use crate::run::{Program, array, number};

/// The programs of the short form, and those that it runs with every core busy.
const SHORT: [&str; 13] = [
    "coarse_tree",
    "phases",
    "tasks_for_outer_scope",
    "par_iter_in_eight_parts",
    "tree_50ns",
    "tree_1us",
    "tree_50us",
    "long_in_tree",
    "60us_strand_each_ms",
    "loop_5us",
    "loop_512_of_100us",
    "spawns_1us",
    "fib_without_leaf_work",
];
const SHORT_LOADED: [&str; 2] = ["coarse_tree", "tasks_for_outer_scope"];

/// Profiles and, beside each, plain runs.
const TURNS: (usize, usize) = (20, 5);

/// The program of two functions with known shares of the work.
const SAMPLES: &str = "samples";

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    let program = Program::known()?;
    let turns = measuring.form.select(TURNS.0, TURNS.1);
    let listed = program.printed()?;
    for line in listed.lines() {
        let (name, kind) = line.split_once(' ').context("`known` lists no programs")?;
        let program = program.with(name);
        if measuring.wants("known", name, SHORT.contains(&name)) {
            measuring.watched(name, |read| match kind {
                "time" => spins(read, &program, turns, ""),
                _ => tiny(read, &program, turns),
            })?;
        }
    }
    if measuring.wants("known", SAMPLES, true) {
        let program = program.with(SAMPLES);
        measuring.watched(SAMPLES, |read| shares(read, &program, 10 * turns))?;
    }
    let _busy = Busy::on_every_core()?;
    for name in listed.lines().filter_map(|line| line.strip_suffix(" time")) {
        if measuring.wants("loaded", name, SHORT_LOADED.contains(&name)) {
            // Disturbing the machine is what this does.
            let program = program.with(name);
            measuring.unwatched(name, |read| spins(read, &program, turns, "-loaded"))?;
        }
    }
    Ok(())
}

/// How far profiles of a program that spins for a known time are off.
fn spins(
    read: &mut Readings,
    program: &Program,
    turns: usize,
    setting: &str,
) -> anyhow::Result<()> {
    for _ in 0..turns {
        let profile = program.profile("")?;
        let truth = serde_json::from_str(&profile.printed)?;
        add_deviations(read, setting, profile.figures(None)?, &truth)?;
    }
    Ok(())
}

/// How far profiles of a program of tiny tasks are off a plain run beside each, on one thread and on
/// two, and how many intervals of the latter hold the truth.
fn tiny(read: &mut Readings, program: &Program, turns: usize) -> anyhow::Result<()> {
    let mut held = Vec::new();
    for _ in 0..turns {
        for threads in [1, 2] {
            let truth = mean_of_plain(program, threads)?;
            let profile = program.on(threads).profile("")?;
            let region = profile.figures(truth["region"].as_str())?;
            add_deviations(read, &format!("-{threads}"), region, &truth)?;
            let span = truth["span_ns"].as_f64().filter(|_| threads == 2);
            let Some(span) = span else { continue };
            // What is printed first is the parallelism of the whole program, with the serial code
            // around the tasks.
            let serial = number(&truth, "/serial_ns")?;
            let parallelism = (number(&truth, "/work_ns")? + serial) / (span + serial);
            let interval = &profile.figures(None)?["parallelism_interval"];
            let lower = number(interval, "/lower")?;
            // There is no upper end if the span may be zero.
            let upper = interval["upper"].as_f64().unwrap_or(f64::INFINITY);
            held.push((lower..=upper).contains(&parallelism));
            read.add("lower-over-upper", lower / upper);
        }
    }
    if !held.is_empty() {
        let count = held.iter().filter(|held| **held).count();
        read.add("held", count as f64 / held.len() as f64);
    }
    Ok(())
}

/// The truth by plain runs of a program, as many at once as the profiled one has threads: if two
/// processors share a core, or the host gives them less time, a strand is slower next to another.
fn mean_of_plain(program: &Program, copies: u32) -> anyhow::Result<Value> {
    let alone = program.on(1);
    let printed: Vec<anyhow::Result<String>> = thread::scope(|scope| {
        let runs: Vec<_> = (0..copies)
            .map(|_| scope.spawn(|| alone.printed()))
            .collect();
        let ended = runs.into_iter().map(|run| run.join());
        ended
            .map(|printed| printed.expect("it does not panic"))
            .collect()
    });
    let each = printed
        .into_iter()
        .map(|printed| Ok(serde_json::from_str(&printed?)?));
    let mut each = each.collect::<anyhow::Result<Vec<Value>>>()?;
    for key in ["work_ns", "span_ns", "serial_ns"] {
        let sum: Option<f64> = each.iter().map(|truth| truth[key].as_f64()).sum();
        each[0][key] = sum.map(|sum| sum / f64::from(copies)).into();
    }
    Ok(each.swap_remove(0))
}

/// Adds by how many percent each known figure is off.
fn add_deviations(
    read: &mut Readings,
    setting: &str,
    profile: &Value,
    truth: &Value,
) -> anyhow::Result<()> {
    let [work, span] = ["work_ns", "span_ns"].map(|key| truth[key].as_f64());
    let parallelism = work.zip(span).map(|(work, span)| work / span);
    ensure!(work.is_some(), "nothing is known of the program");
    let known = [("work", "/work_ns", work), ("span", "/span_ns", span)];
    let known = known
        .into_iter()
        .chain([("parallelism", "/parallelism", parallelism)]);
    for (name, pointer, truth) in known {
        let Some(truth) = truth else { continue };
        let figure = number(profile, pointer)?;
        // Otherwise an accepted miss of nearly −100 % would let an empty profile pass.
        ensure!(figure > 0.0, "the profile has no {name}");
        read.add(&format!("{name}{setting}"), 100.0 * (figure / truth - 1.0));
    }
    Ok(())
}

/// In how many profiles the interval of a function's share of the work holds the true share. It does
/// not if the function, which does most of the work, is in no sample.
fn shares(read: &mut Readings, program: &Program, runs: usize) -> anyhow::Result<()> {
    let mut held = 0;
    for _ in 0..runs {
        let profile = program.profile("")?;
        let truth: Value = serde_json::from_str(&profile.printed)?;
        let mut functions = array(&profile.json, "/samples/functions")?.iter();
        if let Some(row) = functions.find(|row| row["function"] == truth["function"]) {
            let share = &row["total"]["on_work"];
            let interval = number(share, "/lower")?..=number(share, "/upper")?;
            held += usize::from(interval.contains(&number(&truth, "/share")?));
        }
    }
    read.add_share("share-held", held, runs);
    Ok(())
}

/// A process on every core that keeps it busy, until this is dropped.
struct Busy(Vec<Child>);

impl Busy {
    fn on_every_core() -> anyhow::Result<Self> {
        let mut busy = Busy(Vec::new());
        for _ in 0..thread::available_parallelism()?.get() {
            let mut command = Command::new(std::env::current_exe()?);
            busy.0.push(command.arg("keep-busy").spawn()?);
        }
        Ok(busy)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The work of each of these processes. It ends by itself in case nobody is left to end it.
pub(crate) fn keep_busy() {
    let end = Instant::now() + Duration::from_secs(1_200);
    while Instant::now() < end {
        std::hint::spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn off(work: u64, span: u64) -> anyhow::Result<Readings> {
        let mut read = Readings::default();
        let profile = json!({"work_ns": work, "span_ns": span, "parallelism": 4.0});
        let truth = json!({"work_ns": 200.0, "span_ns": 50.0});
        add_deviations(&mut read, "-1", &profile, &truth)?;
        Ok(read)
    }

    #[test]
    fn deviations_by_hand() {
        let read = off(210, 40).unwrap();
        let of = |name: &str| read.of(name)[0].round();
        assert_eq!(
            ["work-1", "span-1", "parallelism-1"].map(of),
            [5.0, -20.0, 0.0]
        );
    }

    #[test]
    fn a_profile_of_nothing_fails() {
        assert!(off(0, 40).is_err());
        assert!(off(210, 0).is_err());
    }
}
