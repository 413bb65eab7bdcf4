//! The source, with what its lines run.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use serde::Serialize;
use workspan_model::{OnBoth, Profile, SampleShare, SourceFile, SourceLine, Span, source_files};

use super::number::rounded;
use crate::figures::interval;
use crate::readable::readable;

/// So many lines a page holds of all files together.
const MOST_LINES: usize = 3_000;

/// Lines that are shown before and after those that have figures.
const CONTEXT: u32 = 4;

/// Functions no longer than this are shown whole.
const WHOLE_FUNCTION: u32 = 80;

#[derive(Serialize)]
pub(super) struct CodeView {
    files: Vec<FileView>,
    /// Files that there was no room for.
    left_out: usize,
    has_samples: bool,
}

#[derive(Serialize)]
struct FileView {
    file: String,
    lines: Vec<LineView>,
    /// Whether the text of the lines is there.
    has_text: bool,
    /// Whether there was no room for some lines that have figures.
    is_cut: bool,
}

#[derive(Default, Serialize)]
struct LineView {
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// What it runs itself, of the span and of the work; by samples, each also as a text with half of its interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<[(f64, String); 2]>,
    /// The same with all that is called and spawned from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<[(f64, String); 2]>,
    /// Kind, count, work and span of the own strands of the sites on it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sites: Vec<(&'static str, u64, u64, u64)>,
    /// The functions that begin here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    begins: Vec<String>,
}

impl CodeView {
    /// The code of `profile`, with the text of the `sources` that there are. `None` if no line is known.
    pub(super) fn of(profile: &Profile, sources: &BTreeMap<String, String>) -> Option<Self> {
        let mut files = source_files(profile);
        files.retain(|file| file.is_noteworthy(profile.span));
        let mut room = MOST_LINES;
        let mut views = Vec::new();
        for file in &files {
            let text = sources.get(&file.file).map(String::as_str);
            let view = FileView::of(file, text, room);
            room -= view.lines.len();
            views.extend((!view.lines.is_empty()).then_some(view));
        }
        (!views.is_empty()).then(|| Self {
            left_out: files.len() - views.len(),
            has_samples: profile
                .samples
                .as_ref()
                .is_some_and(|samples| !samples.stacks.is_empty()),
            files: views,
        })
    }
}

impl FileView {
    /// Of at most `room` lines.
    fn of(file: &SourceFile, text: Option<&str>, room: usize) -> Self {
        let texts: Vec<&str> = text.map(|text| text.lines().collect()).unwrap_or_default();
        let (shown, is_cut) = shown_lines(file, texts.len() as u32, room);
        let figures: BTreeMap<u32, &SourceLine> =
            file.lines.iter().map(|line| (line.line, line)).collect();
        let lines = shown.into_iter().map(|line| {
            let mut view = figures
                .get(&line)
                .map_or_else(LineView::default, |line| LineView::of(line));
            let text = (line as usize)
                .checked_sub(1)
                .and_then(|index| texts.get(index));
            view.line = line;
            view.text = text.map(|text| readable(&text.replace('\t', "    ")));
            let begins = file.definitions.iter().filter(|(at, _)| *at == line);
            view.begins = begins.map(|(_, name)| readable(name)).collect();
            view
        });
        Self {
            lines: lines.collect(),
            file: readable(&file.file),
            has_text: !texts.is_empty(),
            is_cut,
        }
    }
}

impl LineView {
    fn of(line: &SourceLine) -> Self {
        Self {
            own: shares(&line.own),
            total: shares(&line.total),
            sites: line
                .sites
                .iter()
                .map(|site| {
                    let work = site.local_work.time().shown();
                    let span = site.local_span.time().shown();
                    (site.kind.name(), site.count, work, span)
                })
                .collect(),
            ..Self::default()
        }
    }
}

fn shares(both: &OnBoth) -> Option<[(f64, String); 2]> {
    let share = |share: SampleShare| (rounded(share.share), interval(share));
    let any = both.on_span.samples > 0.0 || both.on_work.samples > 0.0;
    any.then(|| [share(both.on_span), share(both.on_work)])
}

/// The lines to show of a file of `last` lines, of which there is text unless that is 0: those worth it with some around each,
/// and short functions whole. Where there is no room for all, the largest are kept, and the second is true.
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

/// What lines are ordered by: their own parts of the span and of the work, and those of the sites on them.
fn size(line: &SourceLine) -> (f64, f64, Span) {
    let sites = line.sites.iter().map(|site| site.local_span).sum();
    (line.own.on_span.share, line.own.on_work.share, sites)
}

/// The lines around one of a file of `last` lines: some, and those of its function before it if that is short.
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
        // With what stands around the first of them.
        let around: Vec<u32> = (500 - CONTEXT..=500).collect();
        assert_eq!(shown(500, around.len()), (around, true));
        assert_eq!(shown(0, 0), (Vec::new(), true));
    }
}
