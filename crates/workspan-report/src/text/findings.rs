//! What keeps the program from being faster, and what to do about it.

use std::io;

use workspan_model::{Analysis, Finding, Limit};

use super::page::Page;
use crate::notation::figures::ratio;
use crate::sentences::{FindingText, finding, said};

/// Says so if there are none, except for a run that says nothing about speedups.
pub(super) fn print(page: &mut Page<'_>, analysis: &Analysis) -> io::Result<()> {
    if !analysis.tells_speedups() {
        return Ok(());
    }
    page.heading("Findings")?;
    if analysis.findings.is_empty() {
        page.sentence("No findings: none of what `workspan explain` lists shows here.")?;
        if analysis.verdict.limit != Limit::None {
            page.sentence(&what_else(analysis))?;
        }
        return Ok(());
    }
    list(page, &analysis.findings, |found| finding(found, analysis))
}

/// Prints findings in the words that `words` has for each.
pub(super) fn list(
    page: &mut Page<'_>,
    findings: &[Finding],
    words: impl Fn(&Finding) -> FindingText,
) -> io::Result<()> {
    for (index, found) in findings.iter().enumerate() {
        if index > 0 {
            page.gap()?;
        }
        let FindingText {
            text,
            evidence,
            advice,
            gain,
            ..
        } = words(found);
        let number = found.diagnosis().number();
        page.item(number, &text)?;
        page.field("Evidence", &evidence)?;
        if let Some(advice) = advice {
            page.field("Try", &advice)?;
        }
        page.field("Gain", &format!("{gain} More: workspan explain {number}"))?;
    }
    Ok(())
}

/// What to do about a program that is limited, but not enough for findings.
fn what_else(analysis: &Analysis) -> String {
    said!(
        "remark",
        "no_findings",
        parallelism = ratio(analysis.totals.burdened_parallelism.value),
        cores = analysis.verdict.bounds.cores,
    )
}
