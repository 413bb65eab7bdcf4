//! What-if and advice for programs; field names are the keys. Times are in nanoseconds, shares from 0 to 1.

use std::io;

use serde::Serialize;
use workspan_model::{
    Advice, AdviceEnd, Change, CodeEstimate, CodeOnPath, DagFigures, ExpectedSpeedup, Goal,
    LockLimit, Metric, Nanos, SampleShare, Span, SpeedupChange, Until, WhatIf, WhatIfRange,
};

use super::keys::{told, write_pretty};
use crate::CodeView;

/// Version of the JSON of `workspan whatif` and `workspan advise`. Keys may be added within a version.
const VERSION: u32 = 1;

/// Writes what changes give, each with the words of who asked, and what the search for a factor has found.
///
/// # Errors
/// Those of `output`.
pub fn what_if_json(
    changes: &[(String, Change)],
    until: Option<(f64, Until)>,
    what_if: &WhatIf,
    view: &CodeView<'_>,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let changes = changes.iter().zip(&what_if.shares);
    let page = WhatIfPart {
        version: VERSION,
        metric: told(view.metric()),
        truncated: view.is_truncated,
        changes: changes
            .map(|((words, change), share)| ChangePart::of(words, change, *share))
            .collect(),
        until: until.map(UntilPart::of),
        before: FiguresPart::of(&what_if.before, view),
        after: FiguresPart::of(&what_if.after, view),
        after_range: what_if.range.map(RangePart::of),
        speedup: what_if.speedup.iter().map(SpeedupPart::of).collect(),
        lock: what_if.lock.map(LockPart::of),
    };
    write_pretty(&page, view.metric(), output)
}

/// Writes what to make parallel; `what_if` is of all of it together.
///
/// # Errors
/// Those of `output`.
pub fn advice_json(
    goal: Goal,
    advice: &Advice,
    what_if: &WhatIf,
    view: &CodeView<'_>,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let page = AdvicePart {
        version: VERSION,
        metric: told(view.metric()),
        truncated: view.is_truncated,
        target: goal.target,
        factor: goal.factor,
        least_strand_ns: goal.least_strand.shown(),
        steps: advice
            .steps
            .iter()
            .map(|step| StepPart {
                code: view.words(step.code),
                share_of_span: step.share,
                span_ns: step.span.time().shown(),
                strands: step.strands,
                factor: step.factor,
                parallelism: finite(step.parallelism),
                burdened_parallelism: finite(step.burdened_parallelism),
            })
            .collect(),
        advised: advice
            .advised
            .iter()
            .map(|advised| AdvisedPart {
                place: CodePart::of(advised.code, view),
                factor: advised.factor,
                share_of_span: advised.share,
                repeats: view.repeats(advised.code),
                source: view.excerpt(advised.code).map(|lines| {
                    let shown = lines.into_iter().flatten();
                    shown.map(|(line, text)| LinePart { line, text }).collect()
                }),
                hot_functions: view
                    .hot(advised.code)
                    .iter()
                    .map(|hot| HotPart {
                        function: &hot.function,
                        definition: hot.definition.as_ref().map(ToString::to_string),
                        share: hot.share,
                        samples: hot.samples,
                    })
                    .collect(),
            })
            .collect(),
        end: match advice.end {
            AdviceEnd::Reached => "reached",
            AdviceEnd::TooShort { .. } => "too_short",
            AdviceEnd::Locked { .. } => "locked",
            AdviceEnd::TooMany => "too_many",
        },
        longest_left_ns: match advice.end {
            AdviceEnd::TooShort { longest } => Some(longest.shown()),
            _ => None,
        },
        before: FiguresPart::of(&advice.before, view),
        after: FiguresPart::of(&advice.after, view),
        speedup: what_if.speedup.iter().map(SpeedupPart::of).collect(),
        lock: what_if.lock.map(LockPart::of),
    };
    write_pretty(&page, view.metric(), output)
}

fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

#[derive(Serialize)]
struct WhatIfPart<'a> {
    version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    metric: Option<&'a Metric>,
    truncated: bool,
    changes: Vec<ChangePart<'a>>,
    until: Option<UntilPart>,
    before: FiguresPart,
    after: FiguresPart,
    /// Of estimates from samples: how far they can be off by the number of samples, with a confidence of 95%.
    after_range: Option<RangePart>,
    speedup: Vec<SpeedupPart>,
    lock: Option<LockPart>,
}

/// The least and the most of each.
#[derive(Serialize)]
struct RangePart {
    span_ns: [u64; 2],
    burdened_span_ns: [u64; 2],
    parallelism: [f64; 2],
}

impl RangePart {
    fn of(range: WhatIfRange) -> Self {
        let both = |(least, most): (Span, Span)| [least, most].map(|span| span.time().shown());
        Self {
            span_ns: both(range.span),
            burdened_span_ns: both(range.burdened_span),
            parallelism: range.parallelism.into(),
        }
    }
}

#[derive(Serialize)]
struct ChangePart<'a> {
    words: &'a str,
    change: &'static str,
    factor: f64,
    share_of_span: Option<f64>,
    /// Of code that is known by samples alone.
    estimate: Option<EstimatePart<'a>>,
}

#[derive(Serialize)]
struct EstimatePart<'a> {
    meaning: &'a str,
    on_work: SampledPart,
    on_span: SampledPart,
}

/// A share of all samples on the work or on the span.
#[derive(Serialize)]
struct SampledPart {
    samples: f64,
    share: f64,
    lower: f64,
    upper: f64,
}

impl SampledPart {
    fn of(samples: f64, share: SampleShare) -> Self {
        Self {
            samples,
            share: share.share,
            lower: share.lower,
            upper: share.upper,
        }
    }
}

impl<'a> EstimatePart<'a> {
    fn of(estimate: &'a CodeEstimate) -> Self {
        Self {
            meaning: &estimate.meaning,
            on_work: SampledPart::of(estimate.samples_on_work, estimate.on_work),
            on_span: SampledPart::of(estimate.samples_on_span, estimate.on_span),
        }
    }
}

impl<'a> ChangePart<'a> {
    fn of(words: &'a str, change: &'a Change, share_of_span: Option<f64>) -> Self {
        let estimate = change.code().and_then(|code| code.estimate.as_ref());
        let estimate = estimate.map(EstimatePart::of);
        let (change, factor) = match change {
            Change::Parallelise { factor, .. } => ("parallelise", *factor),
            Change::SpeedUp { factor, .. } => ("speed_up", *factor),
            Change::Coarsen { factor, .. } => ("grain", f64::from(*factor)),
        };
        Self {
            words,
            change,
            factor,
            share_of_span,
            estimate,
        }
    }
}

#[derive(Serialize)]
struct UntilPart {
    target: f64,
    factor: Option<u64>,
    most_parallelism: Option<f64>,
}

impl UntilPart {
    fn of((target, until): (f64, Until)) -> Self {
        let (factor, most) = match until {
            Until::Factor(factor) => (Some(factor), None),
            Until::OutOfReach { most } => (None, finite(most)),
        };
        Self {
            target,
            factor,
            most_parallelism: most,
        }
    }
}

#[derive(Serialize)]
struct AdvicePart<'a> {
    version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    metric: Option<&'a Metric>,
    truncated: bool,
    target: f64,
    factor: f64,
    least_strand_ns: u64,
    steps: Vec<StepPart>,
    advised: Vec<AdvisedPart<'a>>,
    end: &'static str,
    longest_left_ns: Option<u64>,
    before: FiguresPart,
    after: FiguresPart,
    speedup: Vec<SpeedupPart>,
    lock: Option<LockPart>,
}

#[derive(Serialize)]
struct StepPart {
    code: String,
    share_of_span: f64,
    span_ns: u64,
    strands: u64,
    factor: f64,
    parallelism: Option<f64>,
    burdened_parallelism: Option<f64>,
}

#[derive(Serialize)]
struct AdvisedPart<'a> {
    #[serde(flatten)]
    place: CodePart,
    factor: f64,
    share_of_span: f64,
    repeats: Option<&'static str>,
    source: Option<Vec<LinePart<'a>>>,
    hot_functions: Vec<HotPart<'a>>,
}

#[derive(Serialize)]
struct LinePart<'a> {
    line: u32,
    text: &'a str,
}

#[derive(Serialize)]
struct HotPart<'a> {
    function: &'a str,
    definition: Option<String>,
    share: f64,
    samples: f64,
}

#[derive(Serialize)]
struct CodePart {
    code: String,
    file: Option<String>,
    first_line: Option<u32>,
    last_line: Option<u32>,
}

impl CodePart {
    fn of(code: usize, view: &CodeView<'_>) -> Self {
        let lines = view.region(code).lines(view.profile);
        Self {
            code: view.words(code),
            file: lines.map(|(file, _, _)| file.to_owned()),
            first_line: lines.map(|(_, first, _)| first),
            last_line: lines.map(|(_, _, last)| last),
        }
    }
}

#[derive(Serialize)]
struct FiguresPart {
    work_ns: u64,
    span_ns: u64,
    burdened_span_ns: u64,
    parallelism: f64,
    burdened_parallelism: f64,
    tasks: u64,
    critical_path: Vec<OnPathPart>,
}

impl FiguresPart {
    fn of(figures: &DagFigures, view: &CodeView<'_>) -> Self {
        let nanos = |time: Nanos| time.shown();
        Self {
            work_ns: nanos(figures.work.time()),
            span_ns: nanos(figures.span.time()),
            burdened_span_ns: nanos(figures.burdened_span.time()),
            parallelism: figures.parallelism,
            burdened_parallelism: figures.burdened_parallelism,
            tasks: figures.tasks,
            critical_path: figures
                .path
                .iter()
                .map(|part| OnPathPart::of(part, view))
                .collect(),
        }
    }
}

#[derive(Serialize)]
struct OnPathPart {
    #[serde(flatten)]
    place: CodePart,
    span_ns: u64,
    share_of_span: f64,
    strands: u64,
    longest_ns: u64,
    work_ns: u64,
}

impl OnPathPart {
    fn of(part: &CodeOnPath, view: &CodeView<'_>) -> Self {
        Self {
            place: CodePart::of(part.code, view),
            span_ns: part.span.time().shown(),
            share_of_span: part.share,
            strands: part.strands,
            longest_ns: part.longest.shown(),
            work_ns: part.work.time().shown(),
        }
    }
}

/// The most that the lock held longest lets the program be faster than it is on one core.
#[derive(Serialize)]
struct LockPart {
    held_ns: u64,
    most_speedup_before: f64,
    /// If no time is saved under the lock, and if all that is saved is saved there: `null` if nothing is left under it then.
    most_speedup_after: [Option<f64>; 2],
}

impl LockPart {
    fn of(limit: LockLimit) -> Self {
        Self {
            held_ns: limit.held.time().shown(),
            most_speedup_before: limit.before,
            most_speedup_after: [finite(limit.after.lower), limit.after.upper],
        }
    }
}

#[derive(Serialize)]
struct SpeedupPart {
    cores: u32,
    before: ExpectedPart,
    after: ExpectedPart,
}

impl SpeedupPart {
    fn of(change: &SpeedupChange) -> Self {
        Self {
            cores: change.cores,
            before: ExpectedPart::of(&change.before),
            after: ExpectedPart::of(&change.after),
        }
    }
}

#[derive(Serialize)]
struct ExpectedPart {
    lower: f64,
    predicted: Option<f64>,
    upper: f64,
}

impl ExpectedPart {
    fn of(speedup: &ExpectedSpeedup) -> Self {
        Self {
            lower: speedup.bounds.lower,
            predicted: speedup.predicted,
            upper: speedup.bounds.upper,
        }
    }
}
