//! The answers that a newcomer needs, before all figures.

use std::io;

use workspan_model::Analysis;

use super::page::Page;
use crate::notation::place::code_of;
use crate::sentences::questions::{Question, questions};
use crate::sentences::to_try::numbered;

pub(super) fn print(page: &mut Page<'_>, analysis: &Analysis) -> io::Result<()> {
    let mut questions = questions(analysis);
    if let [.., span, to_try] = &mut questions[..] {
        name_finding(to_try, span.row, analysis);
    }
    questions.iter().try_for_each(|asked| page.answer(asked))
}

/// Names the finding that tells what to try, and the code that it is about unless the answer before
/// did: an HTML page links to them.
fn name_finding(to_try: &mut Question, named: Option<usize>, analysis: &Analysis) {
    let Some(finding) = numbered(analysis) else {
        return;
    };
    let number = finding.diagnosis().number();
    to_try.short = format!("{} ({number})", to_try.short);
    if let Some(row) = to_try.row.filter(|_| to_try.row != named) {
        let code = code_of(&analysis.sites[row]);
        to_try.text = format!("{} This is about {code}.", to_try.text);
    }
}
