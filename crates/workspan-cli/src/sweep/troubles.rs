//! What goes wrong while a sweep is measured: things that fail, and things that print something else.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;

use workspan_model::Exit;

use super::job::Job;
use super::printed::{Difference, difference, tail};
use super::process::Ended;

/// What went wrong so far, by what was measured.
#[derive(Debug, Default)]
pub(super) struct Troubles {
    /// How the first failure of each ended.
    failures: BTreeMap<usize, Exit>,
    /// What was measured first, and what its first run printed, to compare others with.
    reference: Option<(usize, File)>,
    differences: BTreeMap<usize, Differences>,
}

/// How often what runs print is not what the first run printed.
#[derive(Debug)]
struct Differences {
    runs: u32,
    first: Difference,
}

impl Troubles {
    pub(super) fn has_failed(&self, index: usize) -> bool {
        self.failures.contains_key(&index)
    }

    /// How many things failed.
    pub(super) fn failed(&self) -> usize {
        self.failures.len()
    }

    /// How the first of them ended.
    pub(super) fn first_failure(&self) -> Option<Exit> {
        self.failures.values().next().copied()
    }

    pub(super) fn has_differences(&self) -> bool {
        !self.differences.is_empty()
    }

    /// Keeps that a run failed; what it says of that.
    pub(super) fn fail(&mut self, index: usize, job: Job, ended: &Ended) -> String {
        self.fail_with(index, ended.exit);
        let end = match ended.exit {
            _ if ended.timed_out => "took longer than --timeout allows, and was ended".to_owned(),
            Exit::Code(code) => format!("ended with exit code {code}"),
            Exit::Signal(signal) => format!("was ended by signal {signal}"),
        };
        let printed = |what: &str, file: &File| match tail(file) {
            Ok(text) if !text.is_empty() => format!("\n  {what} ended with:{text}"),
            _ => String::new(),
        };
        format!(
            "with {} the program {end}; the rest is measured all the same{}{}",
            job.name(),
            printed("its messages", &ended.messages),
            printed("its output", &ended.output)
        )
    }

    /// Keeps that a run failed, and how.
    pub(super) fn fail_with(&mut self, index: usize, exit: Exit) {
        self.failures.entry(index).or_insert(exit);
    }

    /// Whether a run printed what the first one did.
    pub(super) fn compare(&mut self, index: usize, ended: &Ended) -> io::Result<bool> {
        let Some((_, reference)) = &self.reference else {
            self.reference = Some((index, ended.output.try_clone()?));
            return Ok(true);
        };
        let Some(first) = difference(reference, &ended.output)? else {
            return Ok(true);
        };
        let differences = self.differences.entry(index);
        differences.or_insert(Differences { runs: 0, first }).runs += 1;
        Ok(false)
    }

    /// Says for each of `jobs` how often its output differed. Where runs of the first differ among themselves, what others print
    /// proves nothing.
    pub(super) fn differences(&self, jobs: &[Job]) -> Vec<String> {
        let times = |runs: u32| match runs {
            1 => "once".to_owned(),
            runs => format!("{runs} times"),
        };
        let Some((reference, _)) = self.reference else {
            return Vec::new();
        };
        let one = jobs[reference].name();
        if let Some(Differences { runs, first }) = self.differences.get(&reference) {
            let times = times(*runs);
            return vec![format!(
                "with {one} the output differs from run to run, {times}, so that it cannot be compared with others: {first}"
            )];
        }
        let sentence = |(&index, differences): (&usize, &Differences)| {
            let Differences { runs, first } = differences;
            let (name, times) = (jobs[index].name(), times(*runs));
            format!("with {name} the output differed {times} from that with {one}: {first}")
        };
        self.differences.iter().map(sentence).collect()
    }
}
