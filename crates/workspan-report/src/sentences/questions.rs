//! What a newcomer asks, and the answers.

use serde::Serialize;
use workspan_model::Analysis;

use super::answer::Enough;
use super::answers::{enough_parallelism, makes_up_the_span};
use super::plain::today;
use super::to_try::to_try;

/// A question and its answer.
pub(crate) struct Question {
    pub(crate) question: &'static str,
    pub(crate) tone: Tone,
    /// The answer in a word or two.
    pub(crate) short: String,
    /// The answer in a sentence.
    pub(crate) text: String,
    /// The site that it is about, as an index into the rows of the analysis.
    pub(crate) row: Option<usize>,
}

/// Whether a short answer is good news.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Tone {
    Good,
    Bad,
    Neutral,
}

/// All of them, in their order; what to try is the last one.
pub(crate) fn questions(analysis: &Analysis) -> Vec<Question> {
    let neutral = |question, (short, text), row| Question {
        question,
        tone: Tone::Neutral,
        short,
        text,
        row,
    };
    let today = analysis.plain.as_ref().map(today);
    let today = today.map(|answer| neutral("How fast is it today?", answer, None));
    let enough = enough_parallelism(analysis);
    let tone = enough.tone();
    let answer = (enough.short.to_string(), enough.text);
    let enough = Question {
        tone,
        ..neutral("Is there enough parallelism?", answer, None)
    };
    let span = makes_up_the_span(analysis);
    let span = neutral("What makes up the span?", (span.short, span.text), span.row);
    let to_try = to_try(analysis);
    let to_try = neutral("What to try?", (to_try.short, to_try.text), to_try.row);
    today.into_iter().chain([enough, span, to_try]).collect()
}

impl Enough {
    /// Whether it is good news.
    pub(crate) fn tone(&self) -> Tone {
        match self.is_enough {
            Some(true) => Tone::Good,
            Some(false) => Tone::Bad,
            None => Tone::Neutral,
        }
    }
}
