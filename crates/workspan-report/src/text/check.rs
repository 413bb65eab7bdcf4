//! The text that `workspan check` prints.

use std::io;

use workspan_model::{Basis, Checked, Mismatch, Run, ThresholdLimit, ThresholdOutcome};

use super::comparison::figure;
use super::page::Page;
use super::table::{TableOf, or_none};
use crate::Screen;
use crate::notation::figures::{NONE, range};
use crate::sentences::comparison::{self as sentences, noun};
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
        let failed = checked
            .iter()
            .filter(|checked| checked.fails(self.is_strict))
            .count();
        let verdict = if failed == 0 { "passed" } else { "failed" };
        page.verdict(&said!(
            "check",
            verdict,
            failed = failed,
            all = checked.len()
        ))?;
        for mismatch in self.mismatches {
            page.item("!", &sentences::mismatch(mismatch))?;
        }
        page.gap()?;
        self.thresholds(&mut page, checked)?;
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

    fn thresholds(&self, page: &mut Page<'_>, checked: &[Checked]) -> io::Result<()> {
        let figure = |checked: &Checked, value| figure(checked.threshold.quantity, value, self.run);
        let limit = |checked: &Checked| match checked.threshold.limit {
            ThresholdLimit::At(limit) => figure(checked, limit),
            ThresholdLimit::Growth(by) => sentences::growth(by),
        };
        let sign = |checked: &Checked| match checked.threshold.quantity.is_to_be_high() {
            true => "≥",
            false => "≤",
        };
        page.table(
            TableOf::new(checked)
                .left("", |it| capitalised(noun(it.threshold.quantity)))
                .right("baseline", |it| {
                    or_none(it.before.map(|before| figure(it, before)))
                })
                .right("now", |it| figure(it, it.after))
                .right("limit", |it| format!("{} {}", sign(it), limit(it)))
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
                }),
        )
    }
}
