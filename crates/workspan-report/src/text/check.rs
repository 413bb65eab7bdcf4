//! The text that `workspan check` prints.

use std::io;
use std::iter;

use workspan_model::{Basis, Checked, Mismatch, Run, ThresholdOutcome};

use super::comparison::unit;
use super::markdown;
use super::page::Page;
use super::table::{TableOf, or_none};
use crate::Screen;
use crate::notation::figures::{NONE, range};
use crate::notation::program::program;
use crate::sentences::comparison::{self as sentences, figure, noun};
use crate::sentences::{capitalised, said, words};

/// A page that says whether thresholds hold.
#[derive(Clone, Copy, Debug)]
pub struct CheckText<'a> {
    /// The screen to lay it out for.
    pub screen: Screen,
    /// The run that was checked.
    pub run: &'a Run,
    /// Whether a threshold that may be exceeded counts as exceeded.
    pub is_strict: bool,
    /// What differs between the runs besides the program.
    pub mismatches: &'a [Mismatch],
}

impl CheckText<'_> {
    /// Writes the page.
    ///
    /// # Errors
    /// Any error from writing to `output`.
    pub fn render(&self, checked: &[Checked], output: &mut dyn io::Write) -> io::Result<()> {
        let mut page = Page::new(output, self.screen);
        page.verdict(&self.verdict(checked))?;
        for mismatch in self.mismatches {
            page.item("!", &sentences::mismatch(mismatch))?;
        }
        page.gap()?;
        page.table(self.thresholds(checked))?;
        if checked
            .iter()
            .any(|checked| checked.outcome == ThresholdOutcome::Inconclusive)
        {
            let counts = if self.is_strict { "strict" } else { "lenient" };
            page.item("≈", words("not_certain", counts))?;
        }
        if !self.run.repeats_exactly() && checked.iter().any(|checked| checked.interval.is_none()) {
            let [both, one] = [false, true].map(Basis::fewest_runs);
            page.item("≈", &said!("check", "no_interval", both = both, one = one))?;
        }
        Ok(())
    }

    /// Writes the verdict and the thresholds as Markdown.
    ///
    /// # Errors
    /// Any error from writing to `output`.
    pub fn summary(&self, checked: &[Checked], output: &mut dyn io::Write) -> io::Result<()> {
        markdown::heading(output, &self.verdict(checked))?;
        let program = format!("Program: {}", program(&self.run.command));
        let mismatches = self.mismatches.iter().map(sentences::mismatch);
        let items = iter::once(program).chain(mismatches).chain(unit(self.run));
        markdown::items(output, items)?;
        markdown::table(output, &self.thresholds(checked))
    }

    fn verdict(&self, checked: &[Checked]) -> String {
        let fails = |checked: &&Checked| checked.fails(self.is_strict);
        let failed = checked.iter().filter(fails).count();
        let verdict = if failed == 0 { "passed" } else { "failed" };
        said!("check", verdict, failed = failed, all = checked.len())
    }

    fn thresholds<'c>(&self, checked: &'c [Checked]) -> TableOf<&'c Checked> {
        let figure = |checked: &Checked, value| figure(checked.threshold.quantity, value, self.run);
        TableOf::new(checked)
            .left("", |it| capitalised(noun(it.threshold.quantity)))
            .right("baseline", |it| {
                or_none(it.before.map(|before| figure(it, before)))
            })
            .right("now", |it| figure(it, it.after))
            .right("limit", |it| sentences::limit(it, self.run))
            .right("99% interval", |it| match it.interval {
                None => NONE.to_owned(),
                Some((low, high)) if low == high => "exact".to_owned(),
                Some((low, high)) => range(&figure(it, low), &figure(it, high)),
            })
            .left("", |it| match (it.outcome, self.is_strict) {
                (ThresholdOutcome::Held, _) => "ok",
                (ThresholdOutcome::Inconclusive, false) => "not certain",
                (ThresholdOutcome::Inconclusive, true) => "NOT CERTAIN",
                (ThresholdOutcome::Exceeded, _) => "EXCEEDED",
            })
            .flexible("", |it| match &it.threshold.site {
                Some(site) => format!("of {site}"),
                None => String::new(),
            })
    }
}
