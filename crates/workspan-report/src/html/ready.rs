//! Advised changes, ready to look at.

use serde::Serialize;
use workspan_model::{Analysis, ReadyScenario, ReadySource};

use super::scenario::scenario;
use crate::CodeView;
use crate::figures::{grouped, ratio};
use crate::object::object;
use crate::place::phrase;
use crate::readable::readable;

/// What a change gives that a finding or the advice asks for.
pub(super) fn ready(
    ready: &ReadyScenario,
    code: &CodeView<'_>,
    analysis: &Analysis,
) -> impl Serialize {
    let parallel =
        |what: &str, factor: f64| readable(&format!("{what}: parallel, {} ways", ratio(factor)));
    let (heading, changes) = match ready.source {
        ReadySource::Advice => {
            let advised = ready.parallelised.iter();
            let phrase = |&(piece, factor): &(usize, f64)| parallel(&code.phrase(piece), factor);
            (
                "What workspan advise says".to_owned(),
                advised.map(phrase).collect::<Vec<_>>(),
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
    object! {
        // The identifier that links to it.
        id: id_of(ready.source),
        title: heading,
        // What changes.
        phrases: changes,
        // The same as `workspan whatif` takes it, if it can: code, and the factor that divides it.
        asked: ready.is_of_whole_code.then(|| {
            let parallelised = ready.parallelised.iter();
            let words = |&(piece, factor): &(usize, f64)| (readable(&code.words(piece)), factor);
            parallelised.map(words).collect::<Vec<_>>()
        }),
        scenario: scenario(&ready.scenario),
    }
}

/// The identifier that links to what `source` advises, if the page has it.
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
