//! An answer, and the words that several of them have.

use std::fmt::{self, Display, Formatter};

use workspan_model::{Analysis, RuntimeKind, SiteRow, WaitCause};

use crate::notation::figures::counted;
use crate::notation::place::phrase;

/// Whether there is enough parallelism for the cores.
pub(crate) struct Enough {
    /// `None` if the run cannot tell.
    pub(crate) is_enough: Option<bool>,
    pub(crate) short: Short,
    pub(crate) text: String,
}

/// The answer to whether there is enough parallelism, in a word or two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Short {
    Yes,
    Perhaps,
    /// Perhaps on so many cores; the text says whether more can be used.
    UpTo(u32),
    /// On so many cores, and perhaps on more.
    Beyond(u32),
    No,
    /// Not because of something: "with this lock".
    Not(&'static str),
    PerhapsNot(&'static str),
    NoneAtAll,
    CannotTell,
    /// A sentence of its own.
    Other(&'static str),
}

/// As in the full report, after the question.
impl Display for Short {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Yes => f.write_str("Yes"),
            Self::Perhaps => f.write_str("Perhaps"),
            Self::UpTo(cores) => write!(f, "Perhaps, for up to {}", cores_of(*cores)),
            Self::Beyond(cores) => write!(f, "Perhaps, for more than {}", cores_of(*cores)),
            Self::No => f.write_str("No"),
            Self::Not(why) => write!(f, "Not {why}"),
            Self::PerhapsNot(why) => write!(f, "Perhaps not {why}"),
            Self::NoneAtAll => f.write_str("None at all"),
            Self::CannotTell => f.write_str("This run cannot tell"),
            Self::Other(answer) => f.write_str(answer),
        }
    }
}

impl Short {
    /// As a sentence of its own.
    pub(crate) fn headline(self) -> String {
        match self {
            Self::Yes => "Scales.".to_owned(),
            Self::Perhaps => "May scale.".to_owned(),
            Self::UpTo(cores) => format!("May scale on up to {}.", cores_of(cores)),
            Self::Beyond(cores) => format!(
                "Cannot be told from this run for more than {}.",
                cores_of(cores)
            ),
            Self::No | Self::NoneAtAll => "Does not scale.".to_owned(),
            Self::Not(why) => format!("Does not scale {why}."),
            Self::PerhapsNot(why) => format!("May not scale {why}."),
            Self::CannotTell => "Cannot be told from this run.".to_owned(),
            Self::Other(answer) => format!("{answer}."),
        }
    }
}

fn cores_of(number: u32) -> String {
    counted(number.into(), "core", "cores")
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
