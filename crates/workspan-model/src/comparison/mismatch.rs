//! What prevents the comparison of two profiles, or makes it doubtful.

use std::path::Path;

use crate::{Exit, Metric, Profile, Run};

/// Why two profiles cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Incomparable {
    /// Their figures measure different things.
    #[error(
        "the profiles are of different things, {before} before and {after} after: profile one of them again with the \
         --metric of the other, and both with --emulate or without"
    )]
    Metric {
        /// What was measured before.
        before: String,
        /// What was measured after.
        after: String,
    },
    /// Their runs were to be paired, but differ in number.
    #[error(
        "there are {before} runs before and {after} after: only as many of each can be pairs; leave --paired out, or make the \
         runs again in turns"
    )]
    Unpaired {
        /// Runs before.
        before: usize,
        /// Runs after.
        after: usize,
    },
}

/// What differs between the runs of two profiles besides the program, before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The name of the program's file.
    Program(String, String),
    /// The program's arguments.
    Arguments(Vec<String>, Vec<String>),
    /// The number of cores that the program divided its work for.
    AssumedCores(u32, u32),
    /// The clock.
    Clock(String, String),
    /// The processor.
    Processor(String, String),
    /// Threads that ran.
    Threads(u32, u32),
    /// The cost of moving a task, if it differs by more than a tenth: in nanoseconds or in what the
    /// metric counts, with the metric.
    Burden(u64, u64, Metric),
    /// What was measured, or what counted it: an emulator counts other instructions than a
    /// processor.
    Metric(String, String),
    /// One covers only part of a run: whether before, and whether after.
    Interrupted(bool, bool),
    /// One is of a failed run: whether before, and whether after.
    Failed(bool, bool),
    /// One has counts for only part of the time, from which the rest is estimated: whether before,
    /// and whether after.
    Estimated(bool, bool),
}

impl Mismatch {
    /// Whether the programs do different work, so that a difference says nothing about the code.
    pub const fn invalidates_comparison(&self) -> bool {
        matches!(
            self,
            Self::Program(..)
                | Self::Arguments(..)
                | Self::AssumedCores(..)
                | Self::Metric(..)
                | Self::Interrupted(..)
                | Self::Failed(..)
        )
    }
}

/// The share by which the burden of two runs on one machine may differ, because the rates of their
/// clocks are measured.
const SAME_BURDEN: f64 = 0.1;

/// What differs between the runs of two profiles besides the program.
pub fn mismatches(before: &Profile, after: &Profile) -> Vec<Mismatch> {
    let runs = [&before.run, &after.run];
    // What an emulator or a virtual clock counts is the same on every processor.
    let is_of_machine = !runs.iter().all(|run| run.repeats_exactly());
    let processors = [before, after].map(|profile| profile.machine.processor.clone());
    let processors = match processors {
        [Some(before), Some(after)] if is_of_machine => unless_same([before, after]),
        _ => None,
    };
    let [old, new] = runs.map(|run| run.burden.shown());
    let is_other_burden = old.abs_diff(new) as f64 > SAME_BURDEN * old.max(new) as f64;
    let in_any = |holds: fn(&Run) -> bool| {
        let [before, after] = runs.map(holds);
        (before || after).then_some((before, after))
    };
    let found = [
        unless_same(runs.map(program)).map(|(old, new)| Mismatch::Program(old, new)),
        unless_same(runs.map(arguments)).map(|(old, new)| Mismatch::Arguments(old, new)),
        unless_same(runs.map(|run| run.assumed_cores))
            .map(|(old, new)| Mismatch::AssumedCores(old, new)),
        unless_same(runs.map(|run| run.clock.clone())).map(|(old, new)| Mismatch::Clock(old, new)),
        unless_same(runs.map(counted)).map(|(old, new)| Mismatch::Metric(old, new)),
        processors.map(|(old, new)| Mismatch::Processor(old, new)),
        unless_same(runs.map(|run| run.threads)).map(|(old, new)| Mismatch::Threads(old, new)),
        is_other_burden.then(|| Mismatch::Burden(old, new, before.run.metric.clone())),
        in_any(|run| run.interrupted).map(|(old, new)| Mismatch::Interrupted(old, new)),
        in_any(|run| run.exit != Exit::Code(0)).map(|(old, new)| Mismatch::Failed(old, new)),
        in_any(Run::counts_are_estimates).map(|(old, new)| Mismatch::Estimated(old, new)),
    ];
    found.into_iter().flatten().collect()
}

fn unless_same<T: PartialEq>([before, after]: [T; 2]) -> Option<(T, T)> {
    (before != after).then_some((before, after))
}

fn program(run: &Run) -> String {
    let program = run.command.first().map(Path::new);
    let name = program.and_then(Path::file_name).unwrap_or_default();
    without_hash(&name.to_string_lossy()).to_owned()
}

fn arguments(run: &Run) -> Vec<String> {
    run.command.iter().skip(1).cloned().collect()
}

/// What the figures of a run measure, marked if an emulator counted it.
pub(super) fn counted(run: &Run) -> String {
    match run.clock.as_str() {
        "emulated" => format!("emulated {}", run.metric.name),
        _ => run.metric.name.clone(),
    }
}

/// A program's name without the hash that cargo appends to the names of tests and benchmarks, which
/// differs between builds.
fn without_hash(name: &str) -> &str {
    match name.rsplit_once('-') {
        Some((name, hash))
            if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) =>
        {
            name
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    #[test]
    fn a_profile_matches_itself() {
        let profile = example::quicksort();
        assert_eq!(mismatches(&profile, &profile), []);
    }

    #[test]
    fn what_differs_is_named() {
        let before = example::quicksort();
        let mut after = before.clone();
        after.run.command = vec!["/elsewhere/quicksort".into(), "5".into()];
        after.run.assumed_cores = 96;
        after.run.clock = "thread".into();
        after.run.burden = crate::Nanos::from_nanos(9_000);
        after.run.interrupted = true;
        after.run.exit = Exit::Signal(6);
        let found = mismatches(&before, &after);
        assert_eq!(
            found,
            [
                Mismatch::Arguments(vec!["10000000".into()], vec!["5".into()]),
                Mismatch::AssumedCores(64, 96),
                Mismatch::Clock("tsc".into(), "thread".into()),
                Mismatch::Burden(7_500, 9_000, Metric::default()),
                Mismatch::Interrupted(false, true),
                Mismatch::Failed(false, true),
            ]
        );
        assert!(found[0].invalidates_comparison() && !found[2].invalidates_comparison());
    }

    #[test]
    fn counters_are_compared_and_processors_where_they_matter() {
        let mut before = example::quicksort();
        before.run.metric.name = "instructions".into();
        before.run.clock = "counter".into();
        before.machine.processor = Some("One".into());
        let mut after = before.clone();
        after.machine.processor = Some("Other".into());
        let processors = Mismatch::Processor("One".into(), "Other".into());
        assert_eq!(mismatches(&before, &after), [processors]);
        let mut estimated = before.clone();
        estimated.run.clock_note = Some("counted part of the time".into());
        let estimates = Mismatch::Estimated(false, true);
        assert!(!estimates.invalidates_comparison());
        assert_eq!(mismatches(&before, &estimated), [estimates]);
        for profile in [&mut before, &mut after] {
            profile.run.clock = "virtual".into();
        }
        assert_eq!(mismatches(&before, &after), []);
        before.run.clock = "counter".into();
        after.run.clock = "emulated".into();
        let metrics = Mismatch::Metric("instructions".into(), "emulated instructions".into());
        let found = mismatches(&before, &after);
        assert!(
            metrics.invalidates_comparison() && found.contains(&metrics),
            "{found:?}"
        );
    }

    #[test]
    fn test_programs_match_whatever_their_hash() {
        assert_eq!(without_hash("sums-0123456789abcdef"), "sums");
        assert_eq!(without_hash("side-by-side"), "side-by-side");
    }
}
