//! What changes would give, computed beforehand.

use serde::Serialize;
use workspan_model::{
    Analysis, ExpectedSpeedup, ReadyScenario, Scenario, ScenarioBasis, ScenarioOption, Scenarios,
};

use super::number::{nanos, rounded};
use super::ready::ReadyView;
use crate::CodeView;
use crate::readable::readable;
use crate::sentences::lock::limit_of_changes;

#[derive(Serialize)]
pub(super) struct WhatIfView<'a> {
    cores: &'a [u32],
    pieces: Vec<PieceView>,
    options: Vec<OptionView>,
    before: ScenarioView<'a>,
    after: Vec<ScenarioView<'a>>,
    /// Changes that are advised; `null` if the dag is too large to tell what they would give.
    ready: Option<Vec<ReadyView<'a>>>,
    basis: BasisView,
    /// What the lock that is held longest leaves of all of these.
    lock: Option<String>,
    /// The file that the command line takes.
    profile: String,
    /// Whether the record ends before the program did.
    is_truncated: bool,
}

/// The dag that figures and bounds are of, and how many runs predictions are the median of.
#[derive(Serialize)]
struct BasisView {
    vertices: usize,
    is_folded: bool,
    /// Of one change, and of two.
    seeds: [u32; 2],
}

/// A piece of code that can be changed.
#[derive(Serialize)]
struct PieceView {
    /// As `workspan whatif` takes it.
    words: String,
    phrase: String,
    file: Option<String>,
    line: Option<u32>,
    span: u64,
    share: f64,
    strands: u64,
    longest: u64,
    repeats: Option<&'static str>,
}

#[derive(Serialize)]
struct OptionView {
    /// As the option of `workspan whatif` is called.
    change: &'static str,
    factor: f64,
}

#[derive(Serialize)]
pub(super) struct ScenarioView<'a> {
    /// Pieces and what becomes of them, as indices.
    chosen: &'a [(usize, usize)],
    work: u64,
    span: u64,
    burdened_span: u64,
    parallelism: f64,
    burdened_parallelism: f64,
    lower: Vec<f64>,
    upper: Vec<f64>,
    predicted: Vec<Option<f64>>,
}

impl<'a> WhatIfView<'a> {
    /// `None` if there is no code worth a change, and none is advised.
    pub(super) fn of(
        scenarios: &'a Scenarios,
        ready: Option<&'a [ReadyScenario]>,
        code: &CodeView<'_>,
        analysis: &Analysis,
        profile: &str,
    ) -> Option<Self> {
        if scenarios.pieces.is_empty() && ready.is_some_and(<[_]>::is_empty) {
            return None;
        }
        let piece = |piece: &workspan_model::CodeOnPath| {
            let lines = code.region(piece.code).lines(code.profile);
            PieceView {
                words: readable(&code.words(piece.code)),
                phrase: readable(&code.phrase(piece.code)),
                file: lines.map(|(file, _, _)| readable(file)),
                line: lines.map(|(_, first, _)| first),
                span: nanos(piece.span.time()),
                share: piece.share,
                strands: piece.strands,
                longest: nanos(piece.longest),
                repeats: code.repeats(piece.code),
            }
        };
        Some(Self {
            cores: &scenarios.cores,
            pieces: scenarios.pieces.iter().map(piece).collect(),
            options: scenarios.options.iter().copied().map(option).collect(),
            before: ScenarioView::of(&scenarios.before),
            after: scenarios.after.iter().map(ScenarioView::of).collect(),
            ready: ready.map(|ready| {
                let ready = ready.iter();
                ready
                    .map(|ready| ReadyView::of(ready, code, analysis))
                    .collect()
            }),
            basis: BasisView::of(scenarios.basis),
            lock: (analysis.locks.first()).map(|lock| limit_of_changes(lock, &analysis.metric)),
            profile: readable(profile),
            is_truncated: code.is_truncated,
        })
    }
}

const fn option(option: ScenarioOption) -> OptionView {
    let (change, factor) = match option {
        ScenarioOption::Parallelise(factor) => ("parallelise", factor),
        ScenarioOption::SpeedUp(factor) => ("speed-up", factor),
    };
    OptionView { change, factor }
}

impl BasisView {
    fn of(basis: ScenarioBasis) -> Self {
        Self {
            vertices: basis.vertices,
            is_folded: basis.is_folded,
            seeds: [basis.seeds, basis.seeds_of_two],
        }
    }
}

impl<'a> ScenarioView<'a> {
    pub(super) fn of(scenario: &'a Scenario) -> Self {
        let speedup = || scenario.speedup.iter();
        let each =
            |figure: fn(&ExpectedSpeedup) -> f64| speedup().map(figure).map(rounded).collect();
        Self {
            chosen: &scenario.chosen,
            work: nanos(scenario.work.time()),
            span: nanos(scenario.span.time()),
            burdened_span: nanos(scenario.burdened_span.time()),
            parallelism: rounded(scenario.parallelism),
            burdened_parallelism: rounded(scenario.burdened_parallelism),
            lower: each(|speedup| speedup.bounds.lower),
            upper: each(|speedup| speedup.bounds.upper),
            predicted: speedup()
                .map(|speedup| speedup.predicted.map(rounded))
                .collect(),
        }
    }
}
