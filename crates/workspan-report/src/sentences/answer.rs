//! An answer, and the words that several of them have.

use workspan_model::{Analysis, RuntimeKind, SiteRow, WaitCause};

use crate::place::phrase;

/// Whether there is enough parallelism for the cores.
pub(crate) struct Enough {
    /// `None` if the run cannot tell.
    pub(crate) is_enough: Option<bool>,
    /// In a word or two.
    pub(crate) short: String,
    pub(crate) text: String,
}

/// An answer about a site.
pub(crate) struct SiteAnswer {
    pub(crate) short: String,
    pub(crate) text: String,
    /// The site, as an index into the rows of the analysis.
    pub(crate) row: Option<usize>,
}

pub(super) fn larger_tasks(site: &SiteRow) -> String {
    format!(
        "Give each task of {} more to do: below some size, make none.",
        phrase(site)
    )
}

/// The executable whose commands go on from this run: cargo is there where rayon was built.
pub(crate) const fn command(analysis: &Analysis) -> &'static str {
    match analysis.runtime {
        Some(RuntimeKind::Rayon) => "cargo workspan",
        _ => "workspan",
    }
}

/// The command that measures speedups.
pub(super) const fn scale(analysis: &Analysis) -> &'static str {
    match analysis.runtime {
        None | Some(RuntimeKind::Rayon) => "cargo workspan scale",
        Some(_) => "workspan scale",
    }
}

/// What threads wait for, in a word or two.
pub(crate) const fn awaited(cause: WaitCause) -> &'static str {
    match cause {
        WaitCause::Lock => "locks",
        WaitCause::Channel => "channels",
        WaitCause::Condition => "conditions",
        WaitCause::Park => "other threads",
        WaitCause::Sleep => "sleep",
        WaitCause::InputOutput => "input or output",
        WaitCause::ChildProcess => "child processes",
        WaitCause::Runtime => "the runtime",
        WaitCause::Thread => "other threads to end",
    }
}

/// Names the option that compares with one thread, unless that was done.
pub(super) fn ask_one_thread(analysis: &Analysis) -> &'static str {
    match analysis.plain {
        Some(_) => "",
        None => " `--baseline` shows whether more threads are faster at all.",
    }
}

/// `text` as the beginning of a sentence; names of code stay as they are.
pub(crate) fn capitalised(text: &str) -> String {
    if text
        .split(' ')
        .next()
        .is_some_and(|word| word.contains(['_', '(']))
    {
        return text.to_owned();
    }
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_begin_with_capitals_but_names_stay() {
        assert_eq!(capitalised("split in the middle"), "Split in the middle");
        assert_eq!(capitalised("2.73 times"), "2.73 times");
        assert_eq!(
            capitalised("with_min_len, or par_chunks"),
            "with_min_len, or par_chunks"
        );
    }
}
