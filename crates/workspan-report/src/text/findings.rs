//! What keeps the program from being faster, and what to do about it.

use std::io;

use workspan_model::{Analysis, Limit};

use super::page::Page;
use crate::sentences::{FindingText, finding};

/// Says so where there is none, but of a program that ran as one strand: the verdict says what that lacks.
pub(super) fn print(page: &mut Page<'_>, analysis: &Analysis) -> io::Result<()> {
    if analysis.verdict.limit == Limit::OneStrand {
        return Ok(());
    }
    page.heading("Findings")?;
    if analysis.findings.is_empty() {
        return page.sentence("No findings: none of what `workspan explain` lists shows here.");
    }
    for (index, found) in analysis.findings.iter().enumerate() {
        if index > 0 {
            page.gap()?;
        }
        let FindingText {
            text,
            evidence,
            advice,
            gain,
        } = finding(found, analysis);
        let number = found.diagnosis().number();
        page.item(number, &text)?;
        page.field("Evidence", &evidence)?;
        page.field("Try", &advice)?;
        page.field("Gain", &format!("{gain} More: workspan explain {number}"))?;
    }
    Ok(())
}
