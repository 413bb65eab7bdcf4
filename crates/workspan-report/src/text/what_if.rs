//! `workspan whatif` for people.

use std::io;

use workspan_model::{Change, Until, WhatIf};

use super::page::Page;
use super::{LEAST_WIDTH, code};
use crate::CodeView;
use crate::figures::{percent, ratio};

/// How many pieces of the changed critical path are shown with their source.
const MOST_SHOWN: usize = 3;

/// A page on changes that a person has asked about.
#[derive(Clone, Copy, Debug)]
pub struct WhatIfText<'a> {
    /// Columns of the terminal; at least 80 are used.
    pub width: usize,
    /// Whether to colour with ANSI escapes.
    pub colour: bool,
    /// The changes, each with the words of who asked.
    pub changes: &'a [(String, Change)],
    /// What the search for a factor has found, and the parallelism that was asked for.
    pub until: Option<(f64, Until)>,
}

impl WhatIfText<'_> {
    /// Writes the page.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn render(
        &self,
        what_if: &WhatIf,
        view: &CodeView<'_>,
        output: &mut dyn io::Write,
    ) -> io::Result<()> {
        let mut page = Page::new(output, self.width.max(LEAST_WIDTH), self.colour);
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
        match self.until {
            None => {}
            Some((target, Until::Factor(factor))) => page.sentence(&format!(
                "{factor} is the smallest whole factor that gives a parallelism of {}.",
                ratio(target)
            ))?,
            Some((target, Until::OutOfReach { most })) => page.item(
                "!",
                &format!(
                    "No factor gives a parallelism of {}: were this code no time at all, it would be {}. What stops it is \
                     the rest of the critical path below.",
                    ratio(target),
                    ratio(most)
                ),
            )?,
        }
        code::remark_on_truncation(&mut page, view)?;
        page.heading("What it gives")?;
        code::comparison(&mut page, what_if)?;
        code::speedups(&mut page, &what_if.speedup)?;
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

/// A factor as a person would give it.
pub(super) fn number(factor: f64) -> String {
    match factor.fract() == 0.0 {
        true => format!("{factor:.0}"),
        false => ratio(factor),
    }
}
