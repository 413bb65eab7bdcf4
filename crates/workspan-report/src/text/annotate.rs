//! A source file with what its lines run beside them.

use std::collections::BTreeSet;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};
use workspan_model::{SampleShare, SiteKind, SiteOnLine, SourceFile, SourceLine, Span};

use crate::figures::{duration, grouped, percent, short_count};

const STRONG: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const HOT: Style = AnsiColor::Red.on_default().bold();

/// Lines from this share of the span on stand out.
const HOT_SHARE: f64 = 0.1;

/// Columns of a bar, which stand for the whole span.
const BAR: usize = 6;

/// Columns of the figures.
const FIGURES: usize = 36;

const LEGEND: [&str; 4] = [
    "span    share of the span that the line runs itself, libraries that it calls included",
    "+calls  the same with the functions that it calls, and the tasks that it creates",
    "work    time that it runs itself, on all threads",
    "count   how often the spawn sites, regions or measured calls on it ran",
];

/// How source files are shown with what their lines run.
///
/// ```
/// use workspan_model::{example, source_files};
/// use workspan_report::Annotate;
///
/// let profile = example::quicksort();
/// let file = &source_files(&profile)[0];
/// let mut page = Vec::new();
/// let lines = file.noteworthy_lines();
/// Annotate::default().render(file, &lines, None, profile.span, &mut page).unwrap();
/// assert!(String::from_utf8(page).unwrap().contains("examples/quicksort.rs"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Annotate {
    /// Columns after which lines are cut; `None`: they are not.
    pub width: Option<usize>,
    /// Whether to colour with ANSI escapes.
    pub colour: bool,
    /// How many lines to show before and after those chosen.
    pub context: u32,
}

impl Default for Annotate {
    /// Whole lines without colour, with three lines around those chosen.
    fn default() -> Self {
        Self {
            width: None,
            colour: false,
            context: 3,
        }
    }
}

impl Annotate {
    /// Writes what the columns mean.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn legend(&self, output: &mut dyn Write) -> io::Result<()> {
        for line in LEGEND {
            writeln!(output, "{}", self.styled(FAINT, line))?;
        }
        writeln!(output)
    }

    /// Writes the `chosen` lines of `file` with their figures, and with their text as far as `source` has them. Shares
    /// of sites are of `span`, the program's.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn render(
        &self,
        file: &SourceFile,
        chosen: &BTreeSet<u32>,
        source: Option<&str>,
        span: Span,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        let text: Vec<&str> = source.unwrap_or_default().lines().collect();
        writeln!(output, "{}", self.styled(STRONG, &file.file))?;
        let own = format!(
            "{} of the span and {} of the work run in its lines",
            percent(file.own.on_span.share),
            percent(file.own.on_work.share),
        );
        writeln!(output, "{}", self.styled(FAINT, &own))?;
        let heading = format!(
            "{:>6} {:BAR$} {:>6}  {:>7}  {:>5}{:>5}",
            "span", "", "+calls", "work", "count", "line"
        );
        writeln!(output, "{}", self.styled(FAINT, &heading))?;
        let last = match source {
            Some(_) => u32::try_from(text.len()).unwrap_or(u32::MAX),
            None => u32::MAX,
        };
        let mut before = None;
        for number in self.shown(chosen, source.is_some(), last) {
            if before.is_some_and(|before| before + 1 < number) && source.is_some() {
                writeln!(
                    output,
                    "{}",
                    self.styled(FAINT, &format!("{:FIGURES$}   ⋮", ""))
                )?;
            }
            before = Some(number);
            let line = file.lines.iter().find(|line| line.line == number);
            let code = (number as usize)
                .checked_sub(1)
                .and_then(|index| text.get(index));
            self.line(number, line, code.unwrap_or(&""), output)?;
            for site in line.iter().flat_map(|line| &line.sites) {
                let remark = format!("{:FIGURES$}       {}", "", about(site, span));
                writeln!(output, "{}", self.styled(FAINT, &self.cut(&remark)))?;
            }
        }
        Ok(())
    }

    /// The lines to show: those chosen, and where there is a source those around them.
    fn shown(&self, chosen: &BTreeSet<u32>, with_context: bool, last: u32) -> BTreeSet<u32> {
        if !with_context {
            return chosen.clone();
        }
        let around = |line: &u32| {
            let first = line.saturating_sub(self.context).max(1);
            let last = line.saturating_add(self.context).min(last.max(*line));
            first..=last
        };
        let all: BTreeSet<u32> = chosen.iter().flat_map(around).collect();
        all.into_iter()
            .filter(|line| *line <= last || chosen.contains(line))
            .collect()
    }

    fn line(
        &self,
        number: u32,
        line: Option<&SourceLine>,
        code: &str,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        let figures = line.map(figures).unwrap_or_default();
        let is_hot = line.is_some_and(|line| line.own.on_span.share >= HOT_SHARE);
        let figures = format!("{figures:FIGURES$}");
        let figures = match is_hot {
            true => self.styled(HOT, &figures),
            false => figures,
        };
        let number = self.styled(FAINT, &format!("{number:5}"));
        let code = code.replace('\t', "    ");
        let room = self
            .width
            .map_or(usize::MAX, |width| width.saturating_sub(FIGURES + 7));
        let line = format!("{figures}{number}  {}", cut(&code, room));
        writeln!(output, "{}", line.trim_end())
    }

    fn cut(&self, text: &str) -> String {
        cut(text, self.width.unwrap_or(usize::MAX)).to_owned()
    }

    fn styled(&self, style: Style, text: &str) -> String {
        if self.colour {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }
}

/// The figures of a line, each in its columns, empty where there is nothing.
fn figures(line: &SourceLine) -> String {
    let share = |share: SampleShare| match share.samples > 0.0 {
        true => percent(share.share),
        false => String::new(),
    };
    let (own, total) = (line.own, line.total);
    let work = match own.on_work.samples > 0.0 {
        true => duration(own.on_work.time),
        false => String::new(),
    };
    let count: u64 = line.sites.iter().map(|site| site.count).sum();
    let count = match line.sites.is_empty() {
        true => String::new(),
        false => short_count(count),
    };
    format!(
        "{:>6} {:BAR$} {:>6}  {work:>7}  {count:>5}",
        share(own.on_span),
        bar(own.on_span.share),
        share(total.on_span),
    )
}

/// A bar of so much of its columns as the share is.
fn bar(share: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * (BAR * 8) as f64).round() as usize;
    let full = "█".repeat(eighths / 8);
    format!("{full}{}", EIGHTHS[eighths % 8])
}

/// What a site on a line says.
fn about(site: &SiteOnLine, span: Span) -> String {
    let what = match site.kind {
        SiteKind::Function => "call",
        kind => kind.name(),
    };
    format!(
        "└ {} × {what}: its own strands take {} of work, {} of the span ({})",
        grouped(site.count),
        duration(site.local_work.time()),
        duration(site.local_span.time()),
        percent(site.local_span.time().share_of(span.time())),
    )
}

/// As much of `text` as `room` columns hold.
fn cut(text: &str, room: usize) -> &str {
    if text.width() <= room {
        return text;
    }
    let mut used = 0;
    let end = text.char_indices().find(|(_, character)| {
        used += character.width().unwrap_or(0);
        used > room
    });
    &text[..end.map_or(text.len(), |(index, _)| index)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_the_length_of_the_share() {
        assert_eq!(bar(0.0), "");
        assert_eq!(bar(0.5), "███");
        assert_eq!(bar(1.0), "██████");
        assert_eq!(bar(0.6), "███▋");
    }

    #[test]
    fn lines_are_cut_by_columns() {
        assert_eq!(cut("let µ = 数;", 80), "let µ = 数;");
        assert_eq!(cut("let µ = 数;", 9), "let µ = ");
        assert_eq!(cut("abc", 0), "");
    }
}
