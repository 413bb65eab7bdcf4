//! The source, with what each line ran.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use serde::Serialize;
use workspan_model::{OnBoth, Profile, SampleShare, SourceFile, SourceLine, Span, source_files};

use super::number::rounded;
use crate::notation::figures::interval;
use crate::notation::readable::readable;
use crate::object::object;

/// A page holds at most this many lines of all files together.
const MOST_LINES: usize = 3_000;

/// How many lines to show before and after each line with figures.
const CONTEXT: u32 = 4;

/// Functions no longer than this are shown whole.
const WHOLE_FUNCTION: u32 = 80;

/// The code of `profile`, with text where `sources` has it. `None` if no line is known.
pub(super) fn code(
    profile: &Profile,
    sources: &BTreeMap<String, String>,
) -> Option<impl Serialize> {
    let mut noteworthy = source_files(profile);
    noteworthy.retain(|file| file.is_noteworthy(profile.span));
    let mut room = MOST_LINES;
    let mut shown = Vec::new();
    for source in &noteworthy {
        let text = sources.get(&source.file).map(String::as_str);
        let (views, is_any_cut) = lines(source, text.unwrap_or_default(), room);
        room -= views.len();
        if !views.is_empty() {
            shown.push(object! {
                file: readable(&source.file),
                lines: views,
                // Whether the text of the lines is there.
                has_text: text.is_some_and(|text| !text.is_empty()),
                // Whether there was no room for some lines that have figures.
                is_cut: is_any_cut,
            });
        }
    }
    let left = noteworthy.len() - shown.len();
    let samples = profile.samples.as_ref();
    (!shown.is_empty()).then(|| {
        object! {
            files: shown,
            // How many files there was no room for.
            left_out: left,
            has_samples: samples.is_some_and(|samples| !samples.stacks.is_empty()),
        }
    })
}

/// At most `room` lines of `file`, which holds `text`, and whether some lines with figures are not
/// among them.
fn lines(file: &SourceFile, text: &str, room: usize) -> (Vec<impl Serialize + use<>>, bool) {
    let texts: Vec<&str> = text.lines().collect();
    let (shown, is_cut) = shown_lines(file, texts.len() as u32, room);
    let figures: BTreeMap<u32, &SourceLine> =
        file.lines.iter().map(|line| (line.line, line)).collect();
    let lines = shown.into_iter().map(|at| {
        let text = (at as usize).checked_sub(1);
        let text = text.and_then(|index| texts.get(index));
        let begins = file.definitions.iter().filter(|(line, _)| *line == at);
        let begins: Vec<String> = begins.map(|(_, name)| readable(name)).collect();
        let measured = figures.get(&at);
        let own_shares = measured.and_then(|line| shares(&line.own));
        let total_shares = measured.and_then(|line| shares(&line.total));
        let sites = measured.map_or(&[][..], |line| &line.sites);
        let sites = sites.iter().map(|site| {
            let (work, span) = (site.local_work.time(), site.local_span.time());
            (site.kind.name(), site.count, work.shown(), span.shown())
        });
        object! {
            line: at,
            #[serde(flatten)]
            text: text.map(|text| object! { text: readable(&text.replace('\t', "    ")) }),
            // Its own share of the span and of the work, by samples; each also as text, with half
            // of its interval.
            #[serde(flatten)]
            own: own_shares.map(|shares| object! { own: shares }),
            // Its share with all that it calls and spawns.
            #[serde(flatten)]
            total: total_shares.map(|shares| object! { total: shares }),
            // For each site on it: kind and count, and work and span of its own strands.
            #[serde(flatten)]
            sites: (sites.len() > 0).then(|| object! { sites: sites.collect::<Vec<_>>() }),
            // The functions that begin here.
            #[serde(flatten)]
            begins: (!begins.is_empty()).then(|| object! { begins: begins }),
        }
    });
    (lines.collect(), is_cut)
}

fn shares(both: &OnBoth) -> Option<[(f64, String); 2]> {
    let share = |share: SampleShare| (rounded(share.share.value), interval(share.share));
    let any = both.on_span.samples > 0.0 || both.on_work.samples > 0.0;
    any.then(|| [share(both.on_span), share(both.on_work)])
}

/// The lines to show of a file whose text has `last` lines, 0 if there is no text: the noteworthy
/// ones with some around each, and short functions whole. If there is no room for all, keeps the
/// largest, and the flag is true.
fn shown_lines(file: &SourceFile, last: u32, room: usize) -> (BTreeSet<u32>, bool) {
    let figures: BTreeMap<u32, &SourceLine> =
        file.lines.iter().map(|line| (line.line, line)).collect();
    let size_of = |line: &u32| figures.get(line).map(|line| size(line));
    let mut noteworthy: Vec<u32> = file.noteworthy_lines().into_iter().collect();
    noteworthy.sort_by(|one, other| {
        let by_size = size_of(other).partial_cmp(&size_of(one));
        by_size.unwrap_or(Ordering::Equal)
    });
    let (mut shown, mut is_cut) = (BTreeSet::new(), false);
    for line in noteworthy {
        let lines = match last {
            0 => line..=line,
            last => with_context(file, line, last),
        };
        let added: Vec<u32> = lines.filter(|line| !shown.contains(line)).collect();
        if shown.len() + added.len() <= room {
            shown.extend(added);
        } else {
            is_cut = true;
        }
    }
    (shown, is_cut)
}

/// What orders lines: their own shares of the span and of the work, then the span of the sites on
/// them.
fn size(line: &SourceLine) -> ([f64; 2], Span) {
    let sites = line.sites.iter().map(|site| site.local_span).sum();
    (line.own.shares(), sites)
}

/// `line`, in a file of `last` lines, with some lines around it, and with all of its function
/// before it if that is short.
fn with_context(file: &SourceFile, line: u32, last: u32) -> RangeInclusive<u32> {
    let begin = file
        .definitions
        .range(..(line + 1, String::new()))
        .next_back();
    let function = begin.map(|(begin, _)| *begin);
    let function = function.filter(|begin| line - begin <= WHOLE_FUNCTION);
    let first = line.saturating_sub(CONTEXT).max(1);
    let first = function.map_or(first, |begin| begin.min(first));
    first..=line.saturating_add(CONTEXT).min(last)
}

#[cfg(test)]
mod tests {
    use workspan_model::{Nanos, example};

    use super::*;

    /// A file with a site on each line, later ones on more of the span.
    fn file(lines: u32) -> SourceFile {
        let mut file = source_files(&example::quicksort()).remove(0);
        let known = file.lines.iter().find(|line| !line.sites.is_empty());
        let line = known.expect("the join is on a line").clone();
        let at = |number: u32| {
            let mut line = line.clone();
            line.line = number;
            line.sites[0].local_span = Span::from(Nanos::from_nanos(i64::from(number)));
            line
        };
        file.lines = (1..=lines).map(at).collect();
        file.definitions.clear();
        file
    }

    #[test]
    fn the_largest_lines_are_kept() {
        let file = file(500);
        let shown = |last, room| {
            let (lines, is_cut) = shown_lines(&file, last, room);
            (lines.into_iter().collect::<Vec<_>>(), is_cut)
        };
        assert_eq!(shown(0, 500), ((1..=500).collect(), false));
        assert_eq!(shown(0, 3), (vec![498, 499, 500], true));
        // With the lines around the largest.
        let around: Vec<u32> = (500 - CONTEXT..=500).collect();
        assert_eq!(shown(500, around.len()), (around, true));
        assert_eq!(shown(0, 0), (Vec::new(), true));
    }
}
