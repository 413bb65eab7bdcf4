//! Changes that are advised, ready to be looked at.

use serde::Serialize;
use workspan_model::{Analysis, ReadyScenario, ReadySource};

use super::what_if::ScenarioView;
use crate::CodeView;
use crate::figures::{grouped, ratio};
use crate::place::phrase;
use crate::readable::readable;

/// What a change gives that a finding asks for, or the advice.
#[derive(Serialize)]
pub(super) struct ReadyView<'a> {
    /// By which it is linked.
    id: String,
    title: String,
    /// What changes.
    phrases: Vec<String>,
    /// The same as `workspan whatif` takes it, where it does: code, and what it is divided by.
    asked: Option<Vec<(String, f64)>>,
    scenario: ScenarioView<'a>,
}

impl<'a> ReadyView<'a> {
    pub(super) fn of(ready: &'a ReadyScenario, code: &CodeView<'_>, analysis: &Analysis) -> Self {
        let parallel = |what: &str, factor: f64| {
            readable(&format!("{what}: parallel, {} ways", ratio(factor)))
        };
        let (title, phrases) = match ready.source {
            ReadySource::Advice => {
                let advised = ready.parallelised.iter();
                let phrase =
                    |&(piece, factor): &(usize, f64)| parallel(&code.phrase(piece), factor);
                (
                    "What workspan advise says".to_owned(),
                    advised.map(phrase).collect(),
                )
            }
            ReadySource::Finding(index) => {
                let finding = &analysis.findings[index];
                let site = phrase(&analysis.sites[finding.row]);
                let coarsened = ready.coarsened.map(|factor| {
                    let factor = grouped(factor.into());
                    readable(&format!(
                        "{site}: {factor} tasks as one, without what they cost"
                    ))
                });
                let first = ready.parallelised.first();
                let own = format!("what {site} runs itself");
                let parallelised = first.map(|&(_, factor)| parallel(&own, factor));
                let number = finding.diagnosis().number();
                (
                    readable(&format!("What {number} asks for, at {site}")),
                    coarsened.into_iter().chain(parallelised).collect(),
                )
            }
        };
        let asked = ready.is_of_whole_code.then(|| {
            let parallelised = ready.parallelised.iter();
            let words = |&(piece, factor): &(usize, f64)| (readable(&code.words(piece)), factor);
            parallelised.map(words).collect()
        });
        Self {
            id: id_of(ready.source),
            title,
            phrases,
            asked,
            scenario: ScenarioView::of(&ready.scenario),
        }
    }
}

/// By which the page links what `source` advises, if it is there.
pub(super) fn ready_id(ready: &[ReadyScenario], source: ReadySource) -> Option<String> {
    let mut ready = ready.iter();
    let is_there = ready.any(|ready| ready.source == source);
    is_there.then(|| id_of(source))
}

fn id_of(source: ReadySource) -> String {
    match source {
        ReadySource::Advice => "advice".to_owned(),
        ReadySource::Finding(index) => format!("finding-{index}"),
    }
}
