//! The verdict, notes and findings as sentences, and what to do.

mod advice;
pub(crate) mod answer;
pub(crate) mod answers;
pub(crate) mod books;
pub(crate) mod claims;
pub(crate) mod comparison;
mod contention;
pub(crate) mod cut;
pub(crate) mod explanation;
mod finding;
pub(crate) mod inflation;
pub(crate) mod lock;
mod placement;
pub(crate) mod plain;
pub(crate) mod questions;
pub(crate) mod scaling;
mod template;
pub(crate) mod to_try;
mod verdict;

use workspan_model::{
    Analysis, Ceiling, Exit, MeasureKind, Note, On, RuntimeKind, Scheduler, SiteRow, SpeedupCurve,
    Verdict,
};

use crate::notation::figures::{
    average_in_words, counted, duration, grouped, interval, percent, ratio, ratio_within,
};
use crate::notation::place::{function_and_line, phrase};

pub(crate) use answer::awaited;
pub(crate) use answer::capitalised;
pub(crate) use finding::{FindingText, because, finding};
pub(crate) use template::{filled, said, words};
pub use verdict::verdict;

/// What a row of predicted speedups means.
pub(crate) fn predicted(curve: &SpeedupCurve, analysis: &Analysis) -> String {
    let metric = &analysis.metric;
    let seeds = curve.predictions.iter().map(|prediction| prediction.seeds);
    let runs = match seeds.max().unwrap_or(0) {
        1 => "one simulated run".to_owned(),
        seeds => format!("median of {seeds} simulated runs"),
    };
    format!(
        "predicted: {runs} of the recorded tasks on a scheduler {}, a steal taking {}; what cores take from one another \
         in shared memory is not in it",
        scheduler(curve.scheduler, analysis.runtime),
        average_in_words(curve.costs.steal, metric),
    )
}

/// The scheduling rules that were simulated, in words that the program's runtime uses.
pub(crate) const fn scheduler(scheduler: Scheduler, runtime: Option<RuntimeKind>) -> &'static str {
    match (scheduler, runtime) {
        (Scheduler::Rayon, None | Some(RuntimeKind::Rayon)) => "like rayon's",
        (Scheduler::Rayon, _) => "that offers spawned tasks to other cores",
        (Scheduler::Cilk, None | Some(RuntimeKind::Rayon | RuntimeKind::Cilk)) => "like Cilk's",
        (Scheduler::Cilk, _) => "that offers what follows a spawned task to other cores",
    }
}

/// The share of the span that a site's instances hold, with all that they run.
fn share_of_span_below(analysis: &Analysis, site: &SiteRow) -> f64 {
    let below = site.measure(On::Span, MeasureKind::TopCallSite).span;
    let span = analysis.totals.span.value.time();
    below.map_or(site.on_span.share, |below| below.time().share_of(span))
}

/// What is remarked about a site that frees memory.
const FREEING: &str = ", most of which frees memory";

/// What is remarked about a site that fills a collection.
const COLLECTING: &str = ", most of which puts the items of a parallel iterator into a collection";

/// What is remarked about a site that joins results.
const MERGING: &str = ", most of which joins what pieces of a parallel iterator return";

/// What is remarked about a serial filter of a pipeline.
const ONE_BY_ONE: &str = ", which takes one item after the other";

/// Says so if no other number of cores helps either, or if nothing is known of more cores.
fn never_more(analysis: &Analysis) -> String {
    let claims = &analysis.claims;
    let most = [Ceiling::Span, Ceiling::Lock].map(|by| claims.most(by).unwrap_or(f64::INFINITY));
    let most = Some(most[0].min(most[1])).filter(|most| most.is_finite());
    let Verdict {
        bounds,
        divided_for,
        ..
    } = analysis.verdict;
    match (divided_for, most.map(ratio)) {
        (None, None) => String::new(),
        (None, Some(most)) if most == ratio(bounds.upper) => {
            ", and no more on any number of cores".to_owned()
        }
        (None, Some(most)) => format!(", and at most {most} on any number of cores"),
        (Some(threads), Some(most)) => format!(
            "; its work was divided for {}: divided for more, at most {most} on any number of cores",
            counted(threads.into(), "thread", "threads")
        ),
        (divided_for, None) => division(divided_for),
    }
}

/// Says that the work was divided for a number of threads, if it was.
fn division(divided_for: Option<u32>) -> String {
    divided_for.map_or_else(String::new, |threads| {
        format!(
            "; its work was divided for {}, so this run does not show what more would bring",
            counted(threads.into(), "thread", "threads")
        )
    })
}

/// The end of a sentence on the span: how much of it is in the sampled function of this row.
fn by_samples(analysis: &Analysis, function_row: Option<usize>) -> Option<String> {
    let row = &analysis.functions.as_ref()?.rows[function_row?];
    let itself = if row.parallel { "code of " } else { "" };
    Some(format!(
        "; by samples, {} of the span is in {itself}{}",
        interval(row.serial.on_span.share),
        function_and_line(row, true),
    ))
}

/// The parallelism, as far as it is known: `10.8`, `340 to 500`, `at least 10.8`.
fn parallelism(analysis: &Analysis) -> String {
    let totals = &analysis.totals;
    if !analysis.is_open(totals.span) {
        return ratio(totals.parallelism.value);
    }
    ratio_within(analysis.known(totals.parallelism)).replace(" … ", " to ")
}

/// The speedup to expect on the cores of the verdict.
fn speedup(analysis: &Analysis) -> String {
    let bounds = analysis.verdict.bounds;
    let is_open = analysis.is_contended_besides() || analysis.claims.falls_short().is_some();
    let lower = Some(bounds.lower).filter(|_| !is_open);
    let within = within(lower, bounds.upper);
    if analysis.may_be_more() {
        within + " (more if delays lengthened the span)"
    } else {
        within
    }
}

/// A speedup between these, of which the lower one may not be known.
fn within(lower: Option<f64>, upper: f64) -> String {
    let lower = lower.map(|lower| (lower, ratio(lower)));
    match (lower, ratio(upper)) {
        (None, upper) => format!("a speedup of at most {upper}"),
        (Some((_, lower)), upper) if lower == upper => format!("a speedup of {upper}"),
        (Some((lower, _)), _) if lower <= 1.0 && upper <= 1.005 => "no speedup".to_owned(),
        (Some((lower, _)), upper) if lower <= 1.0 => {
            format!("a speedup of at most {upper}, perhaps none")
        }
        (Some((_, lower)), upper) => format!("a speedup of {lower} to {upper}"),
    }
}

/// A parallel construct, of the runtime if that is known.
fn construct(runtime: Option<RuntimeKind>) -> String {
    match runtime.unwrap_or(RuntimeKind::Rayon) {
        RuntimeKind::C => "parallel construct".to_owned(),
        runtime => format!("parallel construct of {}", runtime.noun()),
    }
}

/// A note in one or two sentences.
pub(crate) fn note(note: &Note, analysis: &Analysis) -> String {
    if let Note::Unexplained = note {
        return analysis
            .books
            .as_ref()
            .map(books::unexplained)
            .unwrap_or_default();
    }
    let runtime = analysis.runtime.unwrap_or(RuntimeKind::Rayon);
    let value = |name: &str| {
        Some(match (name, note) {
            ("construct", _) => construct(Some(runtime)),
            ("uses", _) if runtime == RuntimeKind::C => "threads".to_owned(),
            ("uses", _) => runtime.noun().to_owned(),
            ("make_parallel", _) => {
                advice::make_parallel(Some(runtime)).replacen("it ", "that ", 1)
            }
            ("code", Note::Failed(Exit::Code(code))) => code.to_string(),
            ("signal", Note::Failed(Exit::Signal(signal))) => signal.to_string(),
            ("tasks", Note::UnfinishedTasks(count)) => grouped(*count),
            ("unit", _) => analysis.metric.unit.clone(),
            ("reason", Note::SecondBestClock(reason)) if analysis.metric.is_default() => {
                reason.clone()
            }
            ("limit", Note::SecondBestClock(limit)) => limit.clone(),
            ("site", _) => phrase(&analysis.sites[note.row()?]),
            ("share", Note::LongWaits { share, .. }) => percent(*share),
            ("blocked", Note::LongWaits { blocked, .. }) => duration(*blocked),
            ("constructs", Note::NoLines { sites }) => {
                counted(*sites as u64, "construct", "constructs")
            }
            ("text", Note::Site { text, .. }) => text.clone(),
            _ => return None,
        })
    };
    filled(words("note", note.name()), &value)
}
