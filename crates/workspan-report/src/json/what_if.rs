//! What-if and advice as JSON. Times are in nanoseconds, shares from 0 to 1.

use std::io;

use serde::Serialize;
use workspan_model::{
    Advice, AdviceEnd, Change, CodeEstimate, CodeOnPath, DagFigures, ExpectedSpeedup, Goal,
    LockLimit, SampleShare, Span, SpeedupChange, Until, WhatIf, WhatIfRange,
};

use super::dag::dag_figures;
use super::finite;
use super::keys::{metric_key, write_pretty};
use crate::CodeView;
use crate::object::object;

/// Version of the JSON of `workspan whatif` and `workspan advise`. Keys may be added within a
/// version.
const VERSION: u32 = 1;

/// Writes what changes give, each in the user's words, and what the search for a factor found, as
/// JSON.
///
/// # Errors
/// Any error from writing to `output`.
pub fn what_if_json(
    changes: &[(String, Change)],
    until: Option<(f64, Until)>,
    what_if: &WhatIf,
    view: &CodeView<'_>,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let changes = changes.iter().zip(&what_if.shares);
    let page = object! {
        version: VERSION,
        #[serde(flatten)]
        metric: metric_key(view.metric()),
        truncated: view.is_truncated,
        changes: changes
            .map(|((words, asked), share)| change(words, asked, *share))
            .collect::<Vec<_>>(),
        until: until.map(|(target, found)| factor_for(target, found)),
        before: figures(&what_if.before, view),
        after: figures(&what_if.after, view),
        // For estimates from samples: how far off they can be by the number of samples, at a
        // confidence of 95%.
        after_range: what_if.range.map(range),
        speedup: what_if.speedup.iter().map(speedup).collect::<Vec<_>>(),
        lock: what_if.lock.map(lock),
    };
    write_pretty(&page, view.metric(), output)
}

/// Writes what to make parallel, as JSON; `what_if` is what all of it gives together.
///
/// # Errors
/// Any error from writing to `output`.
pub fn advice_json(
    goal: Goal,
    advice: &Advice,
    what_if: &WhatIf,
    view: &CodeView<'_>,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let steps = advice.steps.iter().map(|step| {
        object! {
            code: view.words(step.code),
            share_of_span: step.share,
            span_ns: step.span.time().shown(),
            strands: step.strands,
            factor: step.factor,
            parallelism: finite(step.parallelism),
            burdened_parallelism: finite(step.burdened_parallelism),
        }
    });
    let advised = advice.advised.iter().map(|advised| {
        let source = view.excerpt(advised.code);
        let hot = view.hot(advised.code).iter().map(|hot| {
            object! {
                function: &hot.function,
                definition: hot.definition.as_ref().map(ToString::to_string),
                share: hot.share,
                samples: hot.samples,
            }
        });
        object! {
            #[serde(flatten)]
            place: place(advised.code, view),
            factor: advised.factor,
            share_of_span: advised.share,
            repeats: view.repeats(advised.code),
            source: source
                .map(|lines| lines.into_iter().flatten().map(line).collect::<Vec<_>>()),
            hot_functions: hot.collect::<Vec<_>>(),
        }
    });
    let page = object! {
        version: VERSION,
        #[serde(flatten)]
        metric: metric_key(view.metric()),
        truncated: view.is_truncated,
        target: goal.target,
        factor: goal.factor,
        least_strand_ns: goal.least_strand.shown(),
        steps: steps.collect::<Vec<_>>(),
        advised: advised.collect::<Vec<_>>(),
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
        before: figures(&advice.before, view),
        after: figures(&advice.after, view),
        speedup: what_if.speedup.iter().map(speedup).collect::<Vec<_>>(),
        lock: what_if.lock.map(lock),
    };
    write_pretty(&page, view.metric(), output)
}

fn line((number, code): (u32, &str)) -> impl Serialize {
    object! {
        line: number,
        text: code,
    }
}

/// The least and the most of each.
fn range(range: WhatIfRange) -> impl Serialize {
    let both = |(least, most): (Span, Span)| [least, most].map(|span| span.time().shown());
    object! {
        span_ns: both(range.span),
        burdened_span_ns: both(range.burdened_span),
        parallelism: range.parallelism,
    }
}

fn change(text: &str, change: &Change, share: Option<f64>) -> impl Serialize {
    let estimated = change.code().and_then(|code| code.estimate.as_ref());
    let (name, times) = match change {
        Change::Parallelise { factor, .. } => ("parallelise", *factor),
        Change::SpeedUp { factor, .. } => ("speed_up", *factor),
        Change::Coarsen { factor, .. } => ("grain", f64::from(*factor)),
    };
    object! {
        words: text,
        change: name,
        factor: times,
        share_of_span: share,
        // For code that is known by samples alone.
        estimate: estimated.map(estimate),
    }
}

fn estimate(estimate: &CodeEstimate) -> impl Serialize {
    object! {
        meaning: &estimate.meaning,
        on_work: sampled(estimate.samples_on_work, estimate.on_work),
        on_span: sampled(estimate.samples_on_span, estimate.on_span),
    }
}

/// A share of all samples on the work or on the span.
fn sampled(count: f64, share: SampleShare) -> impl Serialize {
    object! {
        samples: count,
        share: share.share,
        lower: share.lower,
        upper: share.upper,
    }
}

/// What the search for a factor that brings the parallelism to a target found.
fn factor_for(parallelism: f64, found: Until) -> impl Serialize {
    let (least, most) = match found {
        Until::Factor(factor) => (Some(factor), None),
        Until::OutOfReach { most } => (None, finite(most)),
    };
    object! {
        target: parallelism,
        factor: least,
        most_parallelism: most,
    }
}

/// Where a piece of code is.
fn place(code: usize, view: &CodeView<'_>) -> impl Serialize {
    let lines = view.region(code).lines(view.profile);
    object! {
        code: view.words(code),
        file: lines.map(|(file, _, _)| file),
        first_line: lines.map(|(_, first, _)| first),
        last_line: lines.map(|(_, _, last)| last),
    }
}

fn figures(figures: &DagFigures, view: &CodeView<'_>) -> impl Serialize {
    let path = figures.path.iter().map(|part| on_path(part, view));
    object! {
        #[serde(flatten)]
        figures: dag_figures(figures),
        critical_path: path.collect::<Vec<_>>(),
    }
}

fn on_path(part: &CodeOnPath, view: &CodeView<'_>) -> impl Serialize {
    object! {
        #[serde(flatten)]
        place: place(part.code, view),
        span_ns: part.span.time().shown(),
        share_of_span: part.share,
        strands: part.strands,
        longest_ns: part.longest.shown(),
        work_ns: part.work.time().shown(),
    }
}

/// The most speedup over the program on one core that the lock held longest allows.
fn lock(limit: LockLimit) -> impl Serialize {
    object! {
        held_ns: limit.held.time().shown(),
        most_speedup_before: limit.before,
        // If no time is saved under the lock, and if all of it is saved there; the latter is `null`
        // if nothing is then left under the lock.
        most_speedup_after: [finite(limit.after.lower), limit.after.upper],
    }
}

pub(crate) fn speedup(change: &SpeedupChange) -> impl Serialize {
    object! {
        cores: change.cores,
        before: expected(&change.before),
        after: expected(&change.after),
    }
}

fn expected(speedup: &ExpectedSpeedup) -> impl Serialize {
    object! {
        lower: speedup.bounds.lower,
        predicted: speedup.predicted,
        upper: speedup.bounds.upper,
    }
}
