//! The text that `workspan whatif` prints.

use std::collections::BTreeSet;
use std::io;

use workspan_model::{Change, CodeEstimate, Metric, Span, Until, WhatIf, WhatIfRange};

use super::code;
use super::page::Page;
use crate::notation::figures::{GREAT, amount, grouped, interval, percent, ratio, within};
use crate::sentences::said;
use crate::{CodeView, Screen};

/// At most this many pieces of the changed critical path are shown with their source.
const MOST_SHOWN: usize = 3;

/// A page on changes that the user asked about.
#[derive(Clone, Copy, Debug)]
pub struct WhatIfText<'a> {
    /// The screen to lay it out for.
    pub screen: Screen,
    /// The changes, each in the user's words.
    pub changes: &'a [(String, Change)],
    /// The parallelism that was asked for, and what the search for a factor found.
    pub until: Option<(f64, Until)>,
}

impl WhatIfText<'_> {
    /// Writes the page.
    ///
    /// # Errors
    /// Any error from writing to `output`.
    pub fn render(
        &self,
        what_if: &WhatIf,
        view: &CodeView<'_>,
        output: &mut dyn io::Write,
    ) -> io::Result<()> {
        let mut page = Page::new(output, self.screen);
        page.heading("What if")?;
        for ((words, change), share) in self.changes.iter().zip(&what_if.shares) {
            let share = share.map(|share| format!(", {} of the critical path", percent(share)));
            let share = share.unwrap_or_default();
            page.sentence(&match change {
                Change::Parallelise { factor, .. } => {
                    let times = match self.until {
                        Some((_, Until::OutOfReach { .. })) => "without limit".to_owned(),
                        _ => format!("{} times", number(*factor)),
                    };
                    format!("{words}{share}, were parallel {times}?")
                }
                Change::SpeedUp { factor, .. } => {
                    format!("{words}{share}, were {} times as fast?", number(*factor))
                }
                Change::Coarsen { factor, .. } => {
                    format!("{words}: were {factor} tasks one?")
                }
            })?;
        }
        let estimates = self.changes.iter();
        let estimates = estimates.filter_map(|(_, change)| change.code()?.estimate.as_ref());
        let known: BTreeSet<String> = estimates.map(known).collect();
        for sentence in known {
            page.remark(&sentence)?;
        }
        match self.until {
            None => {}
            Some((target, Until::Factor(factor))) => {
                let target = ratio(target);
                page.sentence(&said!("until", "factor", factor = factor, target = target))?;
            }
            Some((target, Until::OutOfReach { most })) => {
                let (target, most) = (ratio(target), ratio(most));
                page.item("!", &said!("until", "never", target = target, most = most))?;
            }
        }
        code::remark_on_truncation(&mut page, view)?;
        page.heading("What it gives")?;
        code::comparison(&mut page, what_if, view.metric())?;
        if let Some(range) = &what_if.range {
            page.item("≈", &doubt(range, view.metric()))?;
        }
        code::speedups(&mut page, what_if, view.metric())?;
        code::remark_on_interval(&mut page, view.profile, view.span)?;
        code::path(&mut page, "Critical path as it is", &what_if.before, view)?;
        code::path(&mut page, "Critical path, changed", &what_if.after, view)?;
        let parts = what_if.after.path.iter().filter(|part| part.share > 0.0);
        for part in parts.take(MOST_SHOWN) {
            page.gap()?;
            page.strong(&format!(
                "{}  {}",
                percent(part.share),
                view.words(part.code)
            ))?;
            code::piece(&mut page, view, part.code)?;
        }
        Ok(())
    }
}

/// How the share of a sampled function is known.
fn known(estimate: &CodeEstimate) -> String {
    let share = |share, samples: f64, of| {
        let samples = grouped(samples.round() as u64);
        format!("{} of the {of} by {samples} samples on it", interval(share))
    };
    let on_work = share(estimate.on_work, estimate.samples_on_work, "work");
    let shares = if estimate.samples_on_span > 0.0 {
        let on_span = share(estimate.on_span, estimate.samples_on_span, "span");
        format!("{on_span}, {on_work}")
    } else {
        format!("{on_work}, and taken for as much of the span, on which there is none")
    };
    format!(
        "{} is known by samples: with all that it calls in the same task {shares}.",
        estimate.meaning
    )
}

/// How far an estimate can be off.
fn doubt(estimate: &WhatIfRange, metric: &Metric) -> String {
    let span = |span: Span| amount(span.time(), metric);
    said!(
        "what_if",
        "range",
        span = within(estimate.span, span),
        burdened_span = within(estimate.burdened_span, span),
        parallelism = within(estimate.parallelism, ratio),
    )
}

/// A factor as a person would write it.
pub(super) fn number(factor: f64) -> String {
    match factor {
        // With two digits, the smallest would become 0.
        ..1.0 => factor.to_string(),
        GREAT.. => format!("{factor:e}"),
        _ if factor.fract() == 0.0 => format!("{factor:.0}"),
        _ => ratio(factor),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_read_as_they_were_given() {
        for factor in ["0.001", "0.3", "1", "8", "180224", "1e308"] {
            assert_eq!(number(factor.parse().unwrap()), factor);
        }
        assert_eq!(number(10.0 / 3.0), "3.33");
    }
}
