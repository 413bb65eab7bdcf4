//! The text that `workspan advise` prints.

use std::collections::BTreeSet;
use std::io;

use workspan_model::{Advice, AdviceEnd, Goal, WhatIf};

use super::code;
use super::page::Page;
use super::table::TableOf;
use super::what_if::number;
use crate::notation::figures::{amount, amount_in_words, counted, percent, ratio, short_count};
use crate::sentences::{filled, words};
use crate::{CodeView, Screen};

/// At most this many pieces of code are named as standing in the way.
const MOST_IN_THE_WAY: usize = 3;

/// With more than this share of a piece of code, a function gets a command of its own.
const MOST_OF_IT: f64 = 0.5;

/// A page on what to make parallel.
#[derive(Clone, Copy, Debug)]
pub struct AdviceText<'a> {
    /// The screen to lay it out for.
    pub screen: Screen,
    /// What the advice aims at.
    pub goal: Goal,
    /// The profile's file, for the commands to try.
    pub file: &'a str,
}

impl AdviceText<'_> {
    /// Writes the page; `what_if` is what all of the advice gives together.
    ///
    /// # Errors
    /// Any error from writing to `output`.
    pub fn render(
        &self,
        advice: &Advice,
        what_if: &WhatIf,
        view: &CodeView<'_>,
        output: &mut dyn io::Write,
    ) -> io::Result<()> {
        let mut page = Page::new(output, self.screen);
        page.verdict(&self.answer(advice, view))?;
        code::remark_on_truncation(&mut page, view)?;
        let mut asked_about = BTreeSet::new();
        for (index, advised) in advice.advised.iter().enumerate() {
            if index == 0 {
                page.heading("What to make parallel")?;
            } else {
                page.gap()?;
            }
            page.strong(&format!(
                "{}. {} × {}",
                index + 1,
                number(advised.factor),
                view.words(advised.code)
            ))?;
            page.sentence(&format!(
                "{} of the critical path as the program is",
                percent(advised.share)
            ))?;
            code::piece(&mut page, view, advised.code)?;
            if let Some(hot) = view.hot(advised.code).first()
                && hot.share > MOST_OF_IT
                && asked_about.insert(&hot.function)
            {
                page.remark(&format!(
                    "Of that function alone: workspan whatif {} --region {} --parallelise {}",
                    quoted(self.file),
                    quoted(&hot.function),
                    number(advised.factor.round()),
                ))?;
            }
        }
        if !advice.steps.is_empty() {
            self.steps(&mut page, advice, view)?;
            page.heading("What it gives")?;
            code::comparison(&mut page, what_if, view.metric())?;
            code::speedups(&mut page, what_if, view.metric())?;
            code::remark_on_interval(&mut page, view.profile, view.span)?;
            page.remark(words("remark", "advice"))?;
        }
        if advice.end != AdviceEnd::Reached {
            code::path(
                &mut page,
                "What is left of the critical path",
                &advice.after,
                view,
            )?;
        }
        Ok(())
    }

    fn answer(&self, advice: &Advice, view: &CodeView<'_>) -> String {
        filled(words("advice", advice.end.name()), &|name| {
            self.value(name, advice, view)
        })
    }

    /// What the sentences on the advice name.
    fn value(&self, name: &str, advice: &Advice, view: &CodeView<'_>) -> Option<String> {
        let amount = |amount| amount_in_words(amount, view.metric());
        Some(match (name, advice.end) {
            ("pieces", _) if advice.steps.is_empty() => return None,
            ("pieces", _) => counted(
                advice.advised.len() as u64,
                "piece of code",
                "pieces of code",
            ),
            ("before", _) => ratio(advice.before.parallelism),
            ("after", _) => ratio(advice.after.parallelism),
            ("target", _) => ratio(self.goal.target),
            ("least", _) => amount(self.goal.least_strand),
            ("longest", AdviceEnd::TooShort { longest }) => amount(longest),
            ("most", AdviceEnd::Locked { most_speedup }) => ratio(most_speedup),
            _ => {
                let left = advice.after.path.iter().take(MOST_IN_THE_WAY);
                let words: Vec<String> = left.map(|part| view.words(part.code)).collect();
                words.join(", ")
            }
        })
    }

    fn steps(&self, page: &mut Page<'_>, advice: &Advice, view: &CodeView<'_>) -> io::Result<()> {
        let metric = view.metric();
        page.heading("Step by step")?;
        page.table(
            TableOf::new(advice.steps.iter().enumerate())
                .right("\nstep", |(index, _)| index + 1)
                .right("share of\nthe path", |(_, step)| percent(step.share))
                .right(&format!("\n{}", metric.noun()), |(_, step)| {
                    amount(step.span.time(), metric)
                })
                .right("\nstrands", |(_, step)| short_count(step.strands))
                .right("\nfactor", |(_, step)| number(step.factor))
                .right("parallelism\nthen", |(_, step)| ratio(step.parallelism))
                .right("burdened\nthen", |(_, step)| {
                    ratio(step.burdened_parallelism)
                })
                .flexible("\ncode", |(_, step)| view.words(step.code)),
        )?;
        let why = words("advice_end", advice.end.name());
        let why = filled(why, &|name| self.value(name, advice, view));
        page.remark(&why)
    }
}

/// A word as a shell takes it, in quotes where it needs them.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "_:./-".contains(letter);
    if word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("app::sort"), "app::sort");
        assert_eq!(quoted("<T as app::Sort>::run"), "'<T as app::Sort>::run'");
        assert_eq!(quoted("a'b"), r"'a'\''b'");
    }
}
