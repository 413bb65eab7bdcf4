//! The text that `workspan advise` prints.

use std::collections::BTreeSet;
use std::io;

use workspan_model::{Advice, AdviceEnd, Goal, Metric, WhatIf};

use super::code;
use super::page::Page;
use super::table::TableOf;
use super::what_if::number;
use crate::figures::{amount, amount_in_words, percent, ratio, short_count};
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
        page.verdict(&self.answer(advice, view.metric()))?;
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
            page.remark(
                "Whether the code can be made parallel is for you to say: its iterations may depend on one another.",
            )?;
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

    fn answer(&self, advice: &Advice, metric: &Metric) -> String {
        let (before, after) = (
            ratio(advice.before.parallelism),
            ratio(advice.after.parallelism),
        );
        let target = ratio(self.goal.target);
        let pieces = match advice.advised.len() {
            1 => "1 piece of code".to_owned(),
            count => format!("{count} pieces of code"),
        };
        match (advice.end, advice.steps.is_empty()) {
            (AdviceEnd::Reached, true) => {
                format!("The parallelism is {before} already: nothing to do for {target}.")
            }
            (AdviceEnd::Reached, false) => {
                format!(
                    "Made parallel, {pieces} would raise the parallelism from {before} to {after}."
                )
            }
            (AdviceEnd::TooShort { longest }, _) => {
                let reached = if advice.steps.is_empty() {
                    format!("The parallelism of {before} cannot be raised")
                } else {
                    format!(
                        "Made parallel, {pieces} would raise the parallelism from {before} to {after}, but not"
                    )
                };
                format!(
                    "{reached} to {target}: the longest strand left on the critical path takes {}, and halves of it would \
                     be shorter than the {} that make a task worth its cost.",
                    amount_in_words(longest, metric),
                    amount_in_words(self.goal.least_strand, metric)
                )
            }
            (AdviceEnd::Locked { most_speedup }, no_steps) => {
                let most_speedup = ratio(most_speedup);
                let reached = if no_steps {
                    format!("The parallelism of {before} is enough")
                } else {
                    format!(
                        "Made parallel, {pieces} would raise the parallelism from {before} to {after}, which is enough"
                    )
                };
                format!(
                    "{reached}: a lock allows no more than {most_speedup} times as fast, whatever else becomes parallel. Do \
                     less under it."
                )
            }
            (AdviceEnd::TooMany, _) => format!(
                "Made parallel, {pieces} would raise the parallelism from {before} to {after}, and further steps gain little: \
                 many paths are about as long as the longest."
            ),
        }
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
        let why = match advice.end {
            AdviceEnd::Reached => format!("It ends at the target of {}.", ratio(self.goal.target)),
            AdviceEnd::Locked { most_speedup } => format!(
                "It ends at ten times the speedup of {} that a lock allows.",
                ratio(most_speedup)
            ),
            AdviceEnd::TooMany => "It ends after so many steps.".to_owned(),
            AdviceEnd::TooShort { .. } => {
                let left = advice.after.path.iter().take(MOST_IN_THE_WAY);
                let words: Vec<String> = left.map(|part| view.words(part.code)).collect();
                format!(
                    "It ends at strands too short to divide: {}.",
                    words.join(", ")
                )
            }
        };
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
