//! Findings as sentences.

use serde_json::Value;
use workspan_model::{
    Analysis, EstimatedBy, Evidence, Finding, Gain, Metric, Nanos, Serialisation, SiteRow, SkewedBy,
};

use super::advice::{advice, feed_at_once, join_later, subject};
use super::answer::capitalised;
use super::contention::lacks_processors;
use super::template::{filled, line};
use super::{by_samples, said};
use crate::notation::figures::{
    amount_in_words, counted, duration, grouped, in_prose, percent, ratio,
};
use crate::notation::place::{code_of, phrase};

/// A finding in words.
pub(crate) struct FindingText {
    /// What is wrong, and where.
    pub(crate) text: String,
    /// The figures that show it.
    pub(crate) evidence: String,
    /// The same figures, by their keys in the JSON report.
    pub(crate) figures: Value,
    /// What to try, if anything is known that fits.
    pub(crate) advice: Option<String>,
    /// What that can bring.
    pub(crate) gain: String,
}

/// A finding of `analysis`, in words.
pub(crate) fn finding(finding: &Finding, analysis: &Analysis) -> FindingText {
    let site = |row: usize| &analysis.sites[row];
    let figures = serde_json::to_value(finding.evidence).unwrap_or_default();
    let value = |name: &str| {
        Some(match name {
            "within" => code_of(site(finding.within.unwrap_or(finding.row))),
            "outer" => phrase(site(figures["inside_site"].as_u64()? as usize)),
            "other_places" => match figures["places"].as_u64()? {
                1 => return None,
                2 => "one other place".to_owned(),
                places => format!("{} other places", grouped(places - 1)),
            },
            _ => return None,
        })
    };
    let key = subject(&finding.evidence);
    let keys = [key, &format!("{key} evidence")];
    let [text, evidence] = sentences(
        keys,
        finding,
        site(finding.row),
        &analysis.metric,
        &figures,
        &value,
    );
    let by_samples = by_samples(analysis, finding.function).unwrap_or_default();
    FindingText {
        text: format!("{text}."),
        evidence: format!("{evidence}{by_samples}."),
        advice: join_later(finding, analysis)
            .or_else(|| {
                let advice = feed_at_once(finding, analysis)
                    .or_else(|| advice(&finding.evidence, site(finding.row), analysis.runtime));
                advice.map(str::to_owned)
            })
            .map(|advice| format!("{advice}.")),
        gain: match finding.evidence {
            Evidence::Serialised(Serialisation::Bridge { .. }) => {
                "not known: the run shows one loop on each of its own threads.".to_owned()
            }
            _ => gain(finding, &analysis.metric, is_at_most(finding, analysis)),
        },
        figures,
    }
}

/// What findings say.
const FINDINGS: &str = include_str!("../../explanations/findings.txt");

/// The sentences of `keys`, about a finding at `site`, with its figures; `value` has what else they
/// name.
pub(super) fn sentences(
    keys: [&str; 2],
    finding: &Finding,
    site: &SiteRow,
    metric: &Metric,
    figures: &Value,
    value: &dyn Fn(&str) -> Option<String>,
) -> [String; 2] {
    let value = |name: &str| {
        Some(match name.split_once(':') {
            Some((key, unit)) => shown(&figures[key], unit, metric)?,
            None if name == "cores" => finding.gain.cores.to_string(),
            None if name == "site" => phrase(site),
            None if name == "code" => code_of(site),
            None => value(name)?,
        })
    };
    keys.map(|key| filled(line(FINDINGS, key).unwrap_or_default(), &value))
}

/// A figure as `unit` says; `None` if it is not known.
fn shown(figure: &Value, unit: &str, metric: &Metric) -> Option<String> {
    let number = figure.as_f64()?;
    Some(match unit {
        "amount" => amount_in_words(Nanos::from_nanos_f64(number), metric),
        "time" => duration(Nanos::from_nanos_f64(number)),
        "percent" => percent(number),
        // A mean.
        "count" if figure.is_f64() && number < 99.5 => ratio(number),
        "count" => grouped(number.round() as u64),
        _ => ratio(number),
    })
}

/// What the change can bring; `at_most`, if even that is not certain.
pub(super) fn gain(finding: &Finding, metric: &Metric, at_most: bool) -> String {
    let gain = &finding.gain;
    let time = |time: Nanos| amount_in_words(time, metric);
    let by = match gain.estimate {
        EstimatedBy::Bounds => "from work and span",
        EstimatedBy::WhatIf => "from the recorded tasks",
    };
    let then = match gain.estimate {
        EstimatedBy::WhatIf if !at_most => in_prose(gain.after, time),
        _ => format!("at best {}", time(gain.after.low)),
    };
    format!(
        "{}, {by}: {} now, {then} then.",
        faster(finding, at_most),
        in_prose(gain.now, time),
    )
}

/// How much faster the change can make the program, without a full stop.
fn faster(finding: &Finding, at_most: bool) -> String {
    let condition = match divides(finding) {
        true => " if it divides evenly",
        false => "",
    };
    format!(
        "{} times as fast on {} cores{condition}",
        times(&finding.gain, at_most),
        finding.gain.cores
    )
}

/// What to try and how much faster it can make the program, in short.
pub(super) fn in_short(finding: &Finding, analysis: &Analysis) -> String {
    let words = self::finding(finding, analysis);
    let advice = capitalised(words.advice.as_deref().unwrap_or(&words.text));
    let gain = match finding.evidence {
        Evidence::Serialised(Serialisation::Bridge { .. }) => String::new(),
        _ => format!(
            " {}.",
            capitalised(&faster(finding, is_at_most(finding, analysis)))
        ),
    };
    format!("{advice}{gain}")
}

/// The speedup from a change: `up to 3.10`, `1.33 to 2.00`.
pub(super) fn factor(finding: &Finding, analysis: &Analysis) -> String {
    times(&finding.gain, is_at_most(finding, analysis))
}

fn times(gain: &Gain, at_most: bool) -> String {
    match gain.estimate {
        EstimatedBy::WhatIf if !at_most => in_prose(gain.factor, ratio),
        _ => format!("up to {}", ratio(gain.factor.high)),
    }
}

/// Whether no gain is certain: threads may take much from one another, or the code may not divide.
/// Why code that the span is made of keeps the program from scaling, in a sentence, where its share
/// alone doesn't say so.
pub(crate) fn because(finding: &Finding, analysis: &Analysis) -> Option<String> {
    let amount = |nanos: Nanos| amount_in_words(nanos, &analysis.metric);
    Some(match finding.evidence {
        Evidence::FewTasks { tasks, .. } => said!(
            "because",
            "few_tasks",
            tasks = counted(tasks.round() as u64, "task", "tasks"),
            cores = analysis.verdict.bounds.cores,
        ),
        Evidence::SkewedChildren(SkewedBy::Pieces { longest, even }) => said!(
            "because",
            "skewed_pieces",
            longest = amount(longest),
            even = amount(even),
        ),
        Evidence::SkewedChildren(SkewedBy::Depth {
            depth, balanced, ..
        }) => said!(
            "because",
            "skewed_depth",
            depth = grouped(depth.round() as u64),
            balanced = grouped(balanced.round() as u64),
        ),
        _ => return None,
    })
}

fn is_at_most(finding: &Finding, analysis: &Analysis) -> bool {
    divides(finding)
        || !analysis.promises_speedups()
        || analysis.is_contended_besides()
        || lacks_processors(analysis).is_some()
}

/// Whether the change is to divide code among all cores.
fn divides(finding: &Finding) -> bool {
    matches!(
        finding.evidence,
        Evidence::InsufficientParallelism { .. }
            | Evidence::SerialCode { .. }
            | Evidence::FewTasks { .. }
    )
}
