//! A source file with what its lines run beside them.

use std::collections::BTreeSet;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use workspan_model::{Metric, Profile, SampleShare, SiteKind, SiteOnLine, SourceFile, SourceLine};

use super::bar::bar;
use super::characters::shown;
use super::wrap::{start_of, wrap};
use crate::Screen;
use crate::figures::{amount, amount_in_words, grouped, percent, short_count};

const STRONG: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const HOT: Style = AnsiColor::Red.on_default().bold();

/// Lines from this share of the span on stand out.
const HOT_SHARE: f64 = 0.1;

/// Columns of a bar, which stand for the whole span.
const BAR: usize = 6;

/// Columns of all figures.
const FIGURES: usize = 36;

/// Columns of the shares alone, where there is no room for all.
const SHARES: usize = 13;

/// Narrower screens have the shares alone, so that some of the source shows.
const WIDTH_WITH_FIGURES: usize = 60;

/// Columns of a line's number and the blanks behind it.
const NUMBER: usize = 7;

const LEGEND: [(&str, &str); 4] = [
    (
        "span",
        "share of the span that the line runs itself, libraries that it calls included",
    ),
    (
        "+calls",
        "the same with the functions that it calls, and the tasks that it creates",
    ),
    ("work", "time that it runs itself, on all threads"),
    (
        "count",
        "how often the spawn sites, regions or measured calls on it ran",
    ),
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
/// Annotate::default().render(file, &lines, None, &profile, &mut page).unwrap();
/// assert!(String::from_utf8(page).unwrap().contains("examples/quicksort.rs"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Annotate {
    /// What they are laid out for.
    pub screen: Screen,
    /// Whether lines are cut at its width; lines of source have any length.
    pub is_cut: bool,
    /// How many lines to show before and after those chosen.
    pub context: u32,
}

impl Default for Annotate {
    /// Whole lines without colour, with three lines around those chosen.
    fn default() -> Self {
        Self {
            screen: Screen::default(),
            is_cut: false,
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
        let known = match self.is_narrow() {
            true => &LEGEND[..2],
            false => &LEGEND,
        };
        for (column, meaning) in known {
            self.remark(&format!("{column:8}"), meaning, output)?;
        }
        writeln!(output)
    }

    /// Writes the `chosen` lines of `file` with their figures, and with their text as far as `source` has them. Shares
    /// of sites are of the span of `program`, the profile of the file.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn render(
        &self,
        file: &SourceFile,
        chosen: &BTreeSet<u32>,
        source: Option<&str>,
        program: &Profile,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        let metric = &program.run.metric;
        let text: Vec<&str> = source.unwrap_or_default().lines().collect();
        for line in self.wrapped(&file.file, 0) {
            writeln!(output, "{}", self.styled(STRONG, &line))?;
        }
        let own = format!(
            "{} of the span and {} of the work run in its lines",
            percent(file.own.on_span.share),
            percent(file.own.on_work.share),
        );
        self.remark("", &own, output)?;
        let heading = match self.is_narrow() {
            true => format!("{:>6} {:>6}{:>5}", "span", "+calls", "line"),
            false => format!(
                "{:>6} {:BAR$} {:>6}  {:>7}  {:>5}{:>5}",
                "span", "", "+calls", "work", "count", "line"
            ),
        };
        writeln!(output, "{}", self.styled(FAINT, &heading))?;
        let last = match source {
            Some(_) => u32::try_from(text.len()).unwrap_or(u32::MAX),
            None => u32::MAX,
        };
        let mut before = None;
        for number in self.lines(chosen, source.is_some(), last) {
            if before.is_some_and(|before| before + 1 < number) && source.is_some() {
                let start = " ".repeat(self.figures() + 3);
                self.remark(&start, "⋮", output)?;
            }
            before = Some(number);
            let line = file.lines.iter().find(|line| line.line == number);
            let code = (number as usize)
                .checked_sub(1)
                .and_then(|index| text.get(index));
            self.line(number, line, code.unwrap_or(&""), metric, output)?;
            for site in line.iter().flat_map(|line| &line.sites) {
                let start = match self.is_narrow() {
                    true => 2,
                    false => FIGURES + NUMBER,
                };
                self.remark(&" ".repeat(start), &about(site, program), output)?;
            }
        }
        Ok(())
    }

    /// The lines to show: those chosen, and where there is a source those around them.
    fn lines(&self, chosen: &BTreeSet<u32>, with_context: bool, last: u32) -> BTreeSet<u32> {
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
        metric: &Metric,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        let figures = line
            .map(|line| self.figures_of(line, metric))
            .unwrap_or_default();
        let is_hot = line.is_some_and(|line| line.own.on_span.share >= HOT_SHARE);
        let width = self.figures();
        let figures = format!("{figures:width$}");
        let figures = match is_hot {
            true => self.styled(HOT, &figures),
            false => figures,
        };
        let number = self.styled(FAINT, &format!("{number:5}"));
        // What a person has written is not spelt in other signs.
        let code = code.replace('\t', "    ");
        let code = shown(&code, &Screen::default());
        let room = match self.is_cut {
            true => self.screen.width.saturating_sub(width + NUMBER),
            false => usize::MAX,
        };
        let line = format!("{figures}{number}  {}", start_of(&code, room));
        writeln!(output, "{}", line.trim_end())
    }

    /// The figures of a line, each in its columns, empty where there is nothing.
    fn figures_of(&self, line: &SourceLine, metric: &Metric) -> String {
        let share = |share: SampleShare| match share.samples > 0.0 {
            true => percent(share.share),
            false => String::new(),
        };
        let (own, total) = (share(line.own.on_span), share(line.total.on_span));
        if self.is_narrow() {
            return format!("{own:>6} {total:>6}");
        }
        let on_work = line.own.on_work;
        let work = match on_work.samples > 0.0 {
            true => amount(on_work.time, metric),
            false => String::new(),
        };
        let count: u64 = line.sites.iter().map(|site| site.count).sum();
        let count = match line.sites.is_empty() {
            true => String::new(),
            false => short_count(count),
        };
        let bar = bar(line.own.on_span.share, BAR, &self.screen);
        let work = shown(&work, &self.screen);
        format!("{own:>6} {bar:BAR$} {total:>6}  {work:>7}  {count:>5}")
    }

    fn is_narrow(&self) -> bool {
        self.is_cut && self.screen.width < WIDTH_WITH_FIGURES
    }

    /// Columns of the figures.
    fn figures(&self) -> usize {
        match self.is_narrow() {
            true => SHARES,
            false => FIGURES,
        }
    }

    /// A paragraph of our own words behind `start`.
    fn remark(&self, start: &str, text: &str, output: &mut dyn Write) -> io::Result<()> {
        let mut start = start.to_owned();
        for line in self.wrapped(text, start.len()) {
            let line = self.styled(FAINT, &format!("{start}{line}"));
            writeln!(output, "{line}")?;
            start = " ".repeat(start.len());
        }
        Ok(())
    }

    /// Lines of what has so many columns before it; one, if lines are not cut.
    fn wrapped(&self, text: &str, before: usize) -> Vec<String> {
        let text = shown(text, &self.screen);
        match self.is_cut {
            true => {
                let room = self.screen.width.saturating_sub(before).max(1);
                wrap(&text, room, self.screen.ellipsis())
            }
            false => vec![text.into_owned()],
        }
    }

    fn styled(&self, style: Style, text: &str) -> String {
        if self.screen.colour {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }
}

/// What a site on a line says.
fn about(site: &SiteOnLine, program: &Profile) -> String {
    let metric = &program.run.metric;
    let what = match site.kind {
        SiteKind::Function => "call",
        kind => kind.noun(),
    };
    if site.kind.is_lock() {
        return format!(
            "└ {} × {what}: {} of work under the lock",
            grouped(site.count),
            amount_in_words(site.local_work.time(), metric),
        );
    }
    format!(
        "└ {} × {what}: its own strands take {} of work, {} of the span ({})",
        grouped(site.count),
        amount_in_words(site.local_work.time(), metric),
        amount_in_words(site.local_span.time(), metric),
        percent(site.local_span.time().share_of(program.span.time())),
    )
}
