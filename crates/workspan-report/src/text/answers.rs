//! The three answers that a newcomer needs, before all figures.

use std::io;

use workspan_model::Analysis;

use super::page::{Page, Tone};
use crate::place::code_of;
use crate::sentences::answers::{
    enough_parallelism, makes_up_the_span, overrides_findings, shown_finding, to_try,
};
use crate::sentences::plain;

pub(super) fn print(page: &mut Page<'_>, analysis: &Analysis) -> io::Result<()> {
    if let Some(plain) = &analysis.plain {
        let (short, text) = plain::today(plain);
        page.answer("How fast is it today?", Tone::Neutral, &short, &text)?;
    }
    let enough = enough_parallelism(analysis);
    let tone = match enough.is_enough {
        Some(true) => Tone::Good,
        Some(false) => Tone::Bad,
        None => Tone::Neutral,
    };
    page.answer(
        "Is there enough parallelism?",
        tone,
        &enough.short,
        &enough.text,
    )?;
    let span = makes_up_the_span(analysis);
    page.answer(
        "What makes up the span?",
        Tone::Neutral,
        &span.short,
        &span.text,
    )?;
    let to_try = to_try(analysis);
    // Only an answer that a finding gives has its number.
    let number = shown_finding(analysis)
        .filter(|_| !overrides_findings(analysis))
        .map(|found| found.diagnosis().number());
    let short = match number {
        Some(number) => format!("{} ({number})", to_try.short),
        None => to_try.short,
    };
    // An HTML page links to the code; text has to name it, unless the answer before just did.
    let place = to_try
        .row
        .filter(|_| number.is_some() && to_try.row != span.row);
    let place = place.map(|row| format!(" This is about {}.", code_of(&analysis.sites[row])));
    let text = format!("{}{}", to_try.text, place.unwrap_or_default());
    page.answer("What to try?", Tone::Neutral, &short, &text)
}
