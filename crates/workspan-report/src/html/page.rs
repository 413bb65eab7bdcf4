//! What makes up a page.

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;
use serde_json::{Value, json};
use workspan_model::{Analysis, Dag, Exit, Metric, Profile, ReadyChange};

use super::code::code;
use super::dag::dag;
use super::document::{self, HTML_DATA_VERSION};
use super::flame::{Against, flame_graph};
use super::overview::overview;
use super::sites::{SiteIds, locks, regions, sites};
use super::what_if::what_if;
use super::workers::workers;
use crate::json::{non_default, write_compact};
use crate::notation::program::name;
use crate::notation::readable::readable;
use crate::object::object;
use crate::totals::TOTALS;
use crate::{CodeView, ScalingReport};

/// A page and what it shows.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// The analysis of the profile.
    pub analysis: &'a Analysis,
    /// The task dag, if there is one.
    pub dag: Option<PageDag<'a>>,
    /// Texts of source files by their names in the profile; lines of noteworthy functions are
    /// embedded.
    pub sources: &'a BTreeMap<String, String>,
    /// What was measured on several numbers of threads, if anything was.
    pub scaling: Option<&'a ScalingReport<'a>>,
    /// An earlier profile to compare the flame graph with.
    pub against: Option<Against<'a>>,
    /// The profile's file, for command lines that the page suggests.
    pub file: &'a str,
}

/// What a page shows of a task dag.
#[derive(Clone, Copy, Debug)]
pub struct PageDag<'a> {
    /// The dag.
    pub dag: &'a Dag,
    /// Its code; hot functions and sources are not needed.
    pub code: CodeView<'a>,
    /// What advised changes would give; `None` if the dag is too large for that.
    pub ready: Option<&'a [ReadyChange]>,
}

impl Page<'_> {
    /// Writes the page. The same page always gives the same bytes.
    ///
    /// # Errors
    /// Any error from writing to `output`.
    pub fn render(&self, output: &mut dyn io::Write) -> io::Result<()> {
        let Self {
            profile, analysis, ..
        } = *self;
        let ids = SiteIds::new(&analysis.sites);
        let recorded = self.dag.as_ref();
        let ready = recorded.and_then(|recorded| recorded.ready);
        let ready = ready.unwrap_or_default();
        // The version is raised when a key changes its meaning. Times are in nanoseconds, amounts
        // in these or in what the metric counts, shares from 0 to 1; views without data are `null`.
        let data = object! {
            version: HTML_DATA_VERSION,
            // `null` for time.
            metric: non_default(&profile.run.metric),
            glossary: terms(),
            program: program(profile),
            overview: overview(profile, analysis, ready, &ids),
            sites: sites(analysis, &ids),
            flame: flame_graph(
                profile,
                analysis,
                recorded.map(|recorded| recorded.dag),
                self.against.as_ref(),
                &ids,
            ),
            code: code(profile, self.sources),
            what_if: recorded.and_then(|recorded| {
                what_if(recorded.ready, &recorded.code, analysis, self.file)
            }),
            dag: recorded.and_then(|recorded| dag(profile, recorded.dag)),
            workers: self.scaling.map(workers),
            regions: regions(analysis),
            locks: locks(analysis, &ids),
        };
        let mut json = Vec::new();
        write_compact(&data, &Metric::time(), &mut json)?;
        document::write(String::from_utf8_lossy(&json).trim_end(), output)
    }
}

/// A figure and its definition.
#[derive(Serialize)]
pub(super) struct Term {
    /// The key by which the scripts know it.
    key: &'static str,
    name: &'static str,
    unit: Value,
    meaning: &'static str,
}

/// Every figure that the page explains.
pub(super) fn terms() -> Vec<Term> {
    let totals = TOTALS.iter().filter_map(|total| {
        Some(Term {
            key: total.key(),
            name: total.title?,
            unit: json!(total.unit),
            meaning: total.definition,
        })
    });
    let lines = include_str!("../../assets/html/glossary.txt").lines();
    let others = lines.map(|line| {
        let mut parts = line.splitn(4, '|').map(str::trim);
        let mut part = || parts.next().unwrap_or_default();
        Term {
            key: part(),
            name: part(),
            unit: part().into(),
            meaning: part(),
        }
    });
    totals.chain(others).collect()
}

pub(super) fn program(profile: &Profile) -> impl Serialize {
    let run = &profile.run;
    let ended = match run.exit {
        Exit::Code(0) => None,
        Exit::Code(code) => Some(format!("exit code {code}")),
        Exit::Signal(signal) => Some(format!("signal {signal}")),
    };
    let facts = crate::text::measurement_facts(profile).into_iter();
    let facts = facts.map(|(name, text)| (name, readable(&text)));
    // The lines of the section on the measurement.
    let facts = facts.chain(ended.map(|ended| ("Ended by", ended)));
    object! {
        name: readable(name(&run.command)),
        command: readable(&run.command.join(" ")),
        started_at: run.started_at,
        workspan_version: &run.workspan_version,
        threads: run.threads,
        assumed_cores: run.assumed_cores,
        facts: facts
            .map(|(heading, line)| object! { name: heading, text: line })
            .collect::<Vec<_>>(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_told_apart_and_explained() {
        let terms = terms();
        for (at, term) in terms.iter().enumerate() {
            let mut before = terms[..at].iter();
            assert!(before.all(|other| other.key != term.key), "{}", term.key);
            assert!(term.meaning.ends_with(['.', ')', '?']), "{}", term.key);
        }
    }
}
