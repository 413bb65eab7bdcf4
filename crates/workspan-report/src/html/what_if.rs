//! What changes would give, computed beforehand.

use serde::Serialize;
use workspan_model::{Analysis, ReadyScenario, ScenarioOption, Scenarios};

use super::ready::ready;
use super::scenario::scenario;
use crate::CodeView;
use crate::object::object;
use crate::readable::readable;
use crate::sentences::lock::limit_of_changes;

/// `None` if there is no code worth a change, and none is advised.
pub(super) fn what_if(
    scenarios: &Scenarios,
    advised: Option<&[ReadyScenario]>,
    code: &CodeView<'_>,
    analysis: &Analysis,
    file: &str,
) -> Option<impl Serialize> {
    if scenarios.pieces.is_empty() && advised.is_some_and(<[_]>::is_empty) {
        return None;
    }
    let pieces = scenarios.pieces.iter().map(|piece| {
        let lines = code.region(piece.code).lines(code.profile);
        object! {
            // As `workspan whatif` takes it.
            words: readable(&code.words(piece.code)),
            phrase: readable(&code.phrase(piece.code)),
            file: lines.map(|(file, _, _)| readable(file)),
            line: lines.map(|(_, first, _)| first),
            span: piece.span.time().shown(),
            share: piece.share,
            strands: piece.strands,
            longest: piece.longest.shown(),
            repeats: code.repeats(piece.code),
        }
    });
    let options = scenarios.options.iter().map(|option| {
        let (name, times) = match *option {
            ScenarioOption::Parallelise(factor) => ("parallelise", factor),
            ScenarioOption::SpeedUp(factor) => ("speed-up", factor),
        };
        object! {
            // The name of the option of `workspan whatif`.
            change: name,
            factor: times,
        }
    });
    let advised = advised.map(|advised| {
        let advised = advised.iter().map(|change| ready(change, code, analysis));
        advised.collect::<Vec<_>>()
    });
    let basis = scenarios.basis;
    let locks = analysis.locks.first();
    Some(object! {
        cores: &scenarios.cores,
        pieces: pieces.collect::<Vec<_>>(),
        options: options.collect::<Vec<_>>(),
        before: scenario(&scenarios.before),
        after: scenarios.after.iter().map(scenario).collect::<Vec<_>>(),
        // Advised changes; `null` if the dag is too large to compute what they would give.
        ready: advised,
        // The dag that figures and bounds come from, and how many runs predictions are the median
        // of, for one change and for two.
        basis: object! {
            vertices: basis.vertices,
            is_folded: basis.is_folded,
            seeds: [basis.seeds, basis.seeds_of_two],
        },
        // How far the lock that is held longest limits all of these.
        lock: locks.map(|lock| limit_of_changes(lock, &analysis.metric)),
        // The file that the command line takes.
        profile: readable(file),
        // Whether the record ends before the program did.
        is_truncated: code.is_truncated,
    })
}
