//! The three answers that a first-time reader needs, a sentence each.

use workspan_model::{Analysis, Limit, RuntimeKind, SiteRow};

use super::{by_samples, never_more, share_of_span_below, speedup};
use crate::figures::{counted, grouped, percent, ratio};
use crate::place::{code_of, kind_and_name, phrase};

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

/// Is the parallelism enough for the cores of the verdict?
pub(crate) fn enough_parallelism(analysis: &Analysis) -> Enough {
    let verdict = &analysis.verdict;
    let cores = counted(verdict.bounds.cores.into(), "core", "cores");
    let parallelism = super::parallelism(analysis);
    let expected = speedup(verdict.bounds);
    let (is_enough, short, text) = match verdict.limit {
        Limit::OneStrand => (
            Some(false),
            "None at all",
            format!(
                "The program ran as one strand: no {} was executed, so more cores cannot make it faster.",
                super::construct(analysis.runtime)
            ),
        ),
        Limit::None => (
            Some(true),
            "Yes",
            format!("A parallelism of {parallelism} is enough for {cores}: expect {expected}."),
        ),
        Limit::Migration { row } => (
            Some(false),
            "Not with tasks this small",
            format!(
                "{}, but what it costs to move tasks to other cores leaves {}: on {cores} expect {expected}. Of the moves that count {} are of {}.",
                if analysis.totals.parallelism >= f64::from(verdict.bounds.cores) {
                    format!("A parallelism of {parallelism} would do")
                } else {
                    format!("The parallelism is {parallelism}")
                },
                ratio(analysis.totals.burdened_parallelism),
                grouped(analysis.sites[row].on_span.count),
                phrase(&analysis.sites[row]),
            ),
        ),
        Limit::Lock { row } => (
            Some(false),
            "Not with this lock",
            format!(
                "The parallelism is {parallelism}, but {} of the work is done under the lock of {}, by one thread after the \
                 other: on {cores} expect {expected}{}.",
                percent(
                    analysis
                        .totals
                        .locked
                        .time()
                        .share_of(analysis.totals.work.time())
                ),
                phrase(&analysis.sites[row]),
                never_more(verdict.bounds),
            ),
        ),
        Limit::Span { .. } | Limit::Waiting { .. } => (
            Some(false),
            "No",
            format!(
                "The parallelism is {parallelism}: on {cores} expect {expected}{}.",
                never_more(verdict.bounds),
            ),
        ),
        Limit::Bridge { row } => (
            None,
            "This run cannot tell",
            format!(
                "{} of the span is code run by {}, which runs one loop on each real thread, so the parallelism of \
                 {parallelism} is that of the threads of this run, not of the program.",
                percent(share_of_span_below(analysis, &analysis.sites[row])),
                phrase(&analysis.sites[row]),
            ),
        ),
    };
    Enough {
        is_enough,
        short: short.to_owned(),
        text,
    }
}

/// At most this many sites are named.
const MOST_NAMED: usize = 2;
/// After the first, sites with a smaller share of the span are not named.
const WORTH_NAMING: f64 = 0.05;

/// What is the longest chain of dependent strands made of?
pub(crate) fn makes_up_the_span(analysis: &Analysis) -> SiteAnswer {
    let mut sites = analysis.sites.iter().enumerate();
    let Some((row, first)) = sites.next() else {
        return SiteAnswer {
            short: "Nothing".to_owned(),
            text: "The run had no span.".to_owned(),
            row: None,
        };
    };
    let share = |site: &SiteRow| percent(site.on_span.share);
    let waits = match analysis.verdict.limit {
        Limit::Waiting { row: waiting } if waiting == row => {
            ", most of which waits (sleep, I/O, locks, channels)"
        }
        _ => "",
    };
    let others = sites
        .map(|(_, site)| site)
        .take(MOST_NAMED - 1)
        .filter(|site| site.on_span.share >= WORTH_NAMING);
    let others: String = others
        .map(|site| format!(", {} {}", share(site), code_of(site)))
        .collect();
    SiteAnswer {
        short: format!("{} {}", share(first), kind_and_name(first)),
        text: format!(
            "{} of the longest chain of dependent work is {}{waits}{others}{}.",
            share(first),
            code_of(first),
            by_samples(analysis, analysis.verdict.function).unwrap_or_default(),
        ),
        row: Some(row),
    }
}

/// What is the next thing to try?
pub(crate) fn to_try(analysis: &Analysis) -> SiteAnswer {
    if let Some(finding) = analysis.findings.first() {
        let words = super::finding(finding, analysis);
        return SiteAnswer {
            short: format!(
                "Worth {}× on {} cores",
                ratio(finding.gain.factor()),
                finding.gain.cores
            ),
            text: format!(
                "{} {}",
                capitalised(&words.advice),
                capitalised(&words.gain)
            ),
            row: Some(finding.row),
        };
    }
    let row = analysis.verdict.limit.row();
    let (short, text) = match (analysis.verdict.limit, row) {
        (Limit::None, _) | (_, None) if analysis.verdict.limit != Limit::OneStrand => (
            "Nothing for now",
            format!(
                "Nothing in the tasks keeps the program from that speedup; measure it (`{}`) to see what memory and \
                 contention take.",
                match analysis.runtime {
                    None | Some(RuntimeKind::Rayon) => "cargo workspan scale",
                    Some(_) => "workspan scale",
                }
            ),
        ),
        (Limit::Lock { .. }, Some(row)) => (
            "Do less under the lock",
            format!(
                "Shorten what is done under the lock of {}, or have several locks.",
                phrase(&analysis.sites[row]),
            ),
        ),
        (_, Some(row)) => (
            "Shorten the span",
            format!(
                "Make parallel, or faster, what {} runs on the critical path; `workspan advise` tells how much that has to be.",
                phrase(&analysis.sites[row]),
            ),
        ),
        _ => (
            "Make a loop parallel",
            format!(
                "Find the loop that takes the time, and {}.",
                super::advice::make_parallel(analysis.runtime)
            ),
        ),
    };
    SiteAnswer {
        short: short.to_owned(),
        text,
        row,
    }
}

/// `text` as the beginning of a sentence; names of code stay as they are.
fn capitalised(text: &str) -> String {
    if text
        .split(' ')
        .next()
        .is_some_and(|word| word.contains('_'))
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
    use workspan_model::{analyse, example};

    #[test]
    fn the_quicksort_is_limited_by_its_partition() {
        let analysis = analyse(&example::quicksort());
        let enough = enough_parallelism(&analysis);
        assert_eq!(enough.is_enough, Some(false));
        assert!(
            enough
                .text
                .starts_with("The parallelism is 10.8: on 64 cores"),
            "{}",
            enough.text
        );
        let span = makes_up_the_span(&analysis);
        assert_eq!((span.row, span.short.as_str()), (Some(0), "78.2% join"));
        assert!(
            span.text.contains("21.8% the serial code of the program"),
            "{}",
            span.text
        );
        let to_try = to_try(&analysis);
        assert_eq!(to_try.row, Some(0));
        assert!(
            to_try.text.starts_with(char::is_uppercase),
            "{}",
            to_try.text
        );
    }

    #[test]
    fn sentences_begin_with_capitals_but_names_stay() {
        assert_eq!(capitalised("split in the middle"), "Split in the middle");
        assert_eq!(capitalised("2.73 times"), "2.73 times");
        assert_eq!(
            capitalised("with_min_len, or par_chunks"),
            "with_min_len, or par_chunks"
        );
    }

    #[test]
    fn a_serial_program_is_advised_to_become_parallel() {
        let mut profile = example::quicksort();
        profile.sites.truncate(1);
        profile.tree.truncate(1);
        profile.tree[0].path.truncate(1);
        let analysis = analyse(&profile);
        assert_eq!(enough_parallelism(&analysis).is_enough, Some(false));
        assert!(to_try(&analysis).text.contains("par_iter"));
        assert_eq!(makes_up_the_span(&analysis).row, Some(0));
    }
}
