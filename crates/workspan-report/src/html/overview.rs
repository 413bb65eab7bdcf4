//! The first screen.

use std::collections::BTreeMap;

use serde::Serialize;
use workspan_model::{
    Analysis, Books, Estimate, ExpectedScaling, Finding, Nanos, Profile, ReadyChange, ReadySource,
    Spent, span_parts,
};

use super::sites::{SiteIds, label, place_of};
use super::what_if::ready_id;
use crate::explanation;
use crate::notation::figures::Unit;
use crate::notation::readable::readable;
use crate::object::{finite, object};
use crate::sentences;
use crate::sentences::questions::{Question, questions};
use crate::totals::{TOTALS, Total};

/// At most this many sites of the critical path are shown one by one.
const MOST_PARTS: usize = 12;

pub(super) fn overview(
    profile: &Profile,
    analysis: &Analysis,
    ready: &[ReadyChange],
    ids: &SiteIds,
) -> impl Serialize {
    let is_parallel = analysis.tells_speedups() && !analysis.speedup.is_empty();
    let parts = span_parts(&analysis.sites, MOST_PARTS, 0.0);
    let largest = parts.largest.iter().map(|&row| {
        let site = &analysis.sites[row];
        object! {
            site: ids.of_row(row).to_owned(),
            label: label(site),
            place: place_of(site),
            nanos: site.on_span.local_span.time().shown(),
            share: site.on_span.share,
        }
    });
    let rest = parts.rest.as_ref().map(|rest| {
        object! {
            sites: rest.sites.get(),
            nanos: rest.local_span.time().shown(),
            share: rest.share,
        }
    });
    let diagnoses = analysis.findings.iter().map(Finding::diagnosis);
    let notes = analysis.notes.iter();
    object! {
        answers: answers(analysis, ready, ids),
        headlines: headlines(profile, analysis),
        speedup: is_parallel.then(|| speedup(profile, analysis)),
        // The critical path, split by the sites whose own code it runs; the largest part first.
        span: largest.collect::<Vec<_>>(),
        // The other sites' parts of it together.
        span_rest: rest,
        // Where the threads' time went, if that was measured.
        spent: spent(profile, analysis),
        findings: findings(analysis, ready, ids),
        // The background of each diagnosis among the findings, by its number.
        explanations: diagnoses
            .map(|diagnosis| (diagnosis.number(), explanation(diagnosis)))
            .collect::<BTreeMap<_, _>>(),
        notes: notes
            .map(|note| readable(&sentences::note(note, analysis)))
            .collect::<Vec<_>>(),
    }
}

/// Fewer parts of a run say little about its course.
const FEWEST_PARTS: usize = 20;

fn spent(profile: &Profile, analysis: &Analysis) -> Option<impl Serialize> {
    let books = analysis.books.as_ref()?;
    sentences::books::spent(analysis)?;
    let parts = parts_of_time(books);
    let all: Nanos = parts.iter().map(|(_, time)| *time).sum();
    let parts = parts.into_iter().filter(|(_, time)| *time > Nanos::ZERO);
    let timeline = profile.timeline.as_ref();
    let timeline = timeline.filter(|timeline| timeline.parts.len() >= FEWEST_PARTS);
    Some(object! {
        parts: parts
            .map(|(what, time)| (what, time.shown(), time.share_of(all)))
            .collect::<Vec<_>>(),
        // How long the run took, on how many threads.
        run: sentences::books::run(books),
        // What ran when: of each part of the run when it begins and ends, and the shares of the threads'
        // time in strands and without a task.
        timeline: timeline.map(|timeline| {
            let shares = timeline.shares(books.elapsed, books.threads);
            shares
                .map(|share| {
                    let [start, end] = share.time.map(Nanos::shown);
                    (start, end, share.strands, share.without_task)
                })
                .collect::<Vec<_>>()
        }),
        // What ran while a thread had nothing to run, where samples say it.
        meanwhile: sentences::books::ran_meanwhile(analysis, books),
        // Which share of the threads' time the program used, by what takes from it.
        efficiency: sentences::books::efficiency(analysis),
    })
}

/// The parts of the threads' time, of which the waits in tasks are divided by what for.
fn parts_of_time(books: &Books) -> Vec<(String, Nanos)> {
    let parts = books.parts().into_iter();
    let divided = parts.flat_map(|(spent, time)| match spent {
        Spent::WaitingInTasks => waits_in_tasks(books),
        _ => vec![(spent.name().to_owned(), time)],
    });
    divided.collect()
}

fn waits_in_tasks(books: &Books) -> Vec<(String, Nanos)> {
    let name = Spent::WaitingInTasks.name();
    let waits = books.waits_in_tasks();
    let rest = match &waits[..] {
        [(None, _)] => name.to_owned(),
        _ => format!("other {name}"),
    };
    let named = waits.into_iter().map(|(cause, time)| match cause {
        Some(cause) => (format!("{name}: {}", sentences::awaited(cause)), time),
        None => (rest.clone(), time),
    });
    named.collect()
}

/// Why: ranges from several runs.
const RUNS: &str = "least and most of all runs; the figure is the median";
/// Why: ranges from one run.
const ONE_RUN: &str = "one run cannot tell delays from longer strands (--runs 3 narrows the range); tiny tasks were timed in groups (--exact narrows that)";

/// The figures of the whole program that are known, the most telling first, each with all that a
/// reader needs to read it right.
fn headlines(profile: &Profile, analysis: &Analysis) -> Vec<impl Serialize> {
    let shown = TOTALS
        .iter()
        .filter(|total| total.title.is_some() && (total.is_known)(profile));
    let (ratios, others): (Vec<_>, Vec<_>) = shown.partition(|total| total.unit == Unit::Ratio);
    let headline = |total: &Total| {
        let spread = analysis.runs.as_ref().map(|runs| runs.spread(total.of));
        let (range, why) = match spread {
            Some(spread) => (Some(spread), RUNS),
            None => (total.estimate(analysis), ONE_RUN),
        };
        object! {
            // Its key in the glossary.
            key: total.key(),
            value: spread.map_or_else(|| (total.of)(&analysis.totals), |spread| spread.value),
            unit: total.unit,
            // The least and the most that it may be; `null` for no limit.
            range: range.map(|range| range.ends().map(finite)),
            // Where the range comes from.
            why: range.map(|_| why),
        }
    };
    ratios.into_iter().chain(others).map(headline).collect()
}

fn answers(
    analysis: &Analysis,
    ready: &[ReadyChange],
    ids: &SiteIds,
) -> Vec<impl Serialize + use<>> {
    let advised = if analysis.findings.is_empty() {
        ReadySource::Advice
    } else {
        ReadySource::Finding(0)
    };
    let questions = questions(analysis);
    let last = questions.len() - 1;
    let answer = |(index, asked): (usize, Question)| {
        object! {
            question: asked.question,
            // The answer in a word or two.
            short: readable(&asked.short),
            // The answer in a sentence.
            text: readable(&asked.text),
            // Whether there is reason to act.
            tone: asked.tone,
            // The site that it is about.
            site: asked.row.map(|row| ids.of_row(row).to_owned()),
            // The what-if that shows it.
            what_if: if index == last { ready_id(ready, advised) } else { None },
        }
    };
    questions.into_iter().enumerate().map(answer).collect()
}

pub(super) fn findings(
    analysis: &Analysis,
    ready: &[ReadyChange],
    ids: &SiteIds,
) -> Vec<impl Serialize> {
    let findings = analysis.findings.iter().enumerate();
    let view = |(index, finding): (usize, &Finding)| {
        let words = sentences::finding(finding, analysis);
        object! {
            number: finding.diagnosis().number(),
            text: readable(&words.text),
            evidence: readable(&words.evidence),
            advice: words.advice,
            gain: words.gain,
            site: ids.of_row(finding.row).to_owned(),
            // Where its code is; empty for the program as a whole.
            place: place_of(&analysis.sites[finding.row]),
            // The what-if that shows what it asks for.
            what_if: ready_id(ready, ReadySource::Finding(index)),
        }
    };
    findings.map(view).collect()
}

pub(super) fn speedup(profile: &Profile, analysis: &Analysis) -> impl Serialize {
    let expected = ExpectedScaling::from_profile(profile, analysis);
    let curve = analysis.predicted.as_ref();
    let bounds = expected.bounds.iter();
    let on_one_core = curve.map(|curve| &curve.on_one_core);
    let predictions = on_one_core.into_iter().chain(&expected.predictions);
    object! {
        // Cores, lower and upper bound.
        bounds: bounds
            .map(|bounds| (bounds.cores, bounds.lower, bounds.upper))
            .collect::<Vec<_>>(),
        // Cores, and the median, least and most of simulated runs.
        predicted: predictions
            .map(|prediction| {
                let Estimate { value, low, high } = prediction.speedup;
                (prediction.cores, value, low, high)
            })
            .collect::<Vec<_>>(),
        // What the prediction rests on.
        prediction: curve.map(|curve| sentences::predicted(curve, analysis)),
        assumed_cores: profile.run.assumed_cores,
    }
}
