//! What goes wrong during a sweep: jobs whose runs fail, and jobs whose output differs.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;

use workspan_model::Exit;

use super::job::Job;
use super::printed::{Difference, difference, tail};
use super::process::Ended;

/// What has gone wrong so far. Jobs are identified by their index.
#[derive(Debug, Default)]
pub(super) struct Problems {
    /// The exit of the first failure of each job.
    failures: BTreeMap<usize, Exit>,
    /// The first job, and the output of its first run, with which others are compared.
    reference: Option<(usize, File)>,
    differences: BTreeMap<usize, Differences>,
}

/// How often the output of a job differed from that of the first run.
#[derive(Debug)]
struct Differences {
    runs: u32,
    first: Difference,
}

impl Problems {
    pub(super) fn has_failed(&self, index: usize) -> bool {
        self.failures.contains_key(&index)
    }

    /// The number of jobs that failed.
    pub(super) fn failed(&self) -> usize {
        self.failures.len()
    }

    /// The exit of the first of them.
    pub(super) fn first_failure(&self) -> Option<Exit> {
        self.failures.values().next().copied()
    }

    pub(super) fn has_differences(&self) -> bool {
        !self.differences.is_empty()
    }

    /// Records that a run failed, and returns the message about it.
    pub(super) fn fail(&mut self, index: usize, job: Job, ended: &Ended) -> String {
        self.fail_with(index, ended.times.exit);
        let end = match ended.times.exit {
            _ if ended.times.timed_out => {
                "took longer than --timeout allows, and was ended".to_owned()
            }
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

    /// Records that a run failed, and its exit.
    pub(super) fn fail_with(&mut self, index: usize, exit: Exit) {
        self.failures.entry(index).or_insert(exit);
    }

    /// Whether a run printed the same as the first one. Records a difference.
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

    /// Messages about how often the output of each of `jobs` differed. If runs of the first job
    /// differ from each other, comparing it with others proves nothing.
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
