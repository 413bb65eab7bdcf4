//! Advised changes, and what they give.

use serde::Serialize;
use workspan_model::{Analysis, ReadyChange, ReadySource};

use crate::CodeView;
use crate::json::{dag_figures, speedup};
use crate::notation::figures::{grouped, ratio};
use crate::notation::place::phrase;
use crate::notation::readable::readable;
use crate::object::object;
use crate::sentences::lock::limit_of_changes;

/// What advised changes give. `advised` is `None` if the dag is too large for the page to compute
/// it. Returns `None` if nothing is advised.
pub(super) fn what_if(
    advised: Option<&[ReadyChange]>,
    code: &CodeView<'_>,
    analysis: &Analysis,
    file: &str,
) -> Option<impl Serialize> {
    if advised.is_some_and(<[_]>::is_empty) {
        return None;
    }
    let advised = advised.map(|advised| {
        let advised = advised.iter().map(|change| ready(change, code, analysis));
        advised.collect::<Vec<_>>()
    });
    let locks = analysis.locks.first();
    Some(object! {
        // `null` if the dag is too large.
        ready: advised,
        // How far the program's locks limit what these give.
        lock: locks.map(|lock| limit_of_changes(lock, &analysis.metric)),
        // The profile as a command line names it.
        profile: readable(file),
        is_truncated: code.is_truncated,
    })
}

/// What a change gives that a finding or the advice asks for.
fn ready(ready: &ReadyChange, code: &CodeView<'_>, analysis: &Analysis) -> impl Serialize {
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
        before: dag_figures(&ready.what_if.before),
        after: dag_figures(&ready.what_if.after),
        speedup: ready.what_if.speedup.iter().map(speedup).collect::<Vec<_>>(),
    }
}

/// The identifier that links to what `source` advises, if the page has it.
pub(super) fn ready_id(ready: &[ReadyChange], source: ReadySource) -> Option<String> {
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
