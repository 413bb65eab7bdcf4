//! The three questions of a first-time reader, and their answers.

use serde::Serialize;
use workspan_model::{Analysis, ReadyChange, ReadySource};

use super::site_ids::SiteIds;
use super::what_if::ready_id;
use crate::readable::readable;
use crate::sentences::answers as words;
use crate::sentences::plain::today;

#[derive(Serialize)]
pub(super) struct Answer {
    question: &'static str,
    /// The answer in a word or two.
    short: String,
    /// The answer in a sentence.
    text: String,
    /// Whether there is reason to act.
    tone: Tone,
    /// The site that it is about.
    site: Option<String>,
    /// The what-if that shows it.
    what_if: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Tone {
    Good,
    Bad,
    Neutral,
}

pub(super) fn answers(analysis: &Analysis, ready: &[ReadyChange], ids: &SiteIds) -> Vec<Answer> {
    let site = |row: Option<usize>| row.map(|row| ids.of_row(row).to_owned());
    let enough = words::enough_parallelism(analysis);
    let span = words::makes_up_the_span(analysis);
    let to_try = words::to_try(analysis);
    let advised = if analysis.findings.is_empty() {
        ReadySource::Advice
    } else {
        ReadySource::Finding(0)
    };
    let neutral = |question, short: String, text: &str| Answer {
        question,
        tone: Tone::Neutral,
        short,
        text: readable(text),
        site: None,
        what_if: None,
    };
    let today = analysis.plain.as_ref().map(|plain| {
        let (short, text) = today(plain);
        neutral("How fast is it today?", short, &text)
    });
    let answers = [
        Answer {
            question: "Is there enough parallelism?",
            tone: match enough.is_enough {
                Some(true) => Tone::Good,
                Some(false) => Tone::Bad,
                None => Tone::Neutral,
            },
            short: enough.short,
            text: readable(&enough.text),
            site: None,
            what_if: None,
        },
        Answer {
            site: site(span.row),
            ..neutral("What makes up the span?", readable(&span.short), &span.text)
        },
        Answer {
            site: site(to_try.row),
            what_if: ready_id(ready, advised),
            ..neutral("What to try?", to_try.short, &to_try.text)
        },
    ];
    today.into_iter().chain(answers).collect()
}
