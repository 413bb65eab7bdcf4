//! Annotated source: each line with what it ran.

use std::collections::BTreeSet;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use workspan_model::{Metric, Profile, SampleShare, SiteKind, SiteOnLine, SourceFile, SourceLine};

use super::bar::bar;
use super::page::{FAINT, STRONG};
use super::wrap::{shown, start_of, wrap};
use crate::Screen;
use crate::notation::figures::{amount, amount_in_words, grouped, percent, short_count};

const HOT: Style = AnsiColor::Red.on_default().bold();

/// Lines with at least this share of the span stand out.
const HOT_SHARE: f64 = 0.1;

/// Width of a full bar, which stands for the whole span.
const BAR_WIDTH: usize = 6;

/// Width of all figures.
const FIGURES_WIDTH: usize = 36;

/// Width of the shares alone, which show where there is no room for all figures.
const SHARES_WIDTH: usize = 13;

/// Narrower screens show the shares alone, to leave room for the source.
const WIDTH_WITH_FIGURES: usize = 60;

/// Width of a line number and the blanks after it.
const NUMBER_WIDTH: usize = 7;

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

/// Shows source files with what each line ran.
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
    /// The screen to lay them out for.
    pub screen: Screen,
    /// Whether to cut lines at the screen's width; lines of source may have any length.
    pub is_cut: bool,
    /// How many lines to show before and after each chosen line.
    pub context: u32,
}

impl Default for Annotate {
    /// Whole lines without colour, with three lines of context.
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
    /// Any error from writing to `output`.
    pub fn legend(&self, output: &mut dyn Write) -> io::Result<()> {
        let known = if self.is_narrow() {
            &LEGEND[..2]
        } else {
            &LEGEND
        };
        for (column, meaning) in known {
            self.remark(&format!("{column:8}"), meaning, output)?;
        }
        writeln!(output)
    }

    /// Writes the `chosen` lines of `file` with their figures, and with their text where `source`
    /// has it. Shares of sites are of the span of `program`, the profile that `file` comes from.
    ///
    /// # Errors
    /// Any error from writing to `output`.
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
            writeln!(output, "{}", self.screen.styled(STRONG, &line))?;
        }
        let own = format!(
            "{} of the span and {} of the work run in its lines",
            percent(file.own.on_span.share.value),
            percent(file.own.on_work.share.value),
        );
        self.remark("", &own, output)?;
        let heading = if self.is_narrow() {
            format!("{:>6} {:>6}{:>5}", "span", "+calls", "line")
        } else {
            format!(
                "{:>6} {:BAR_WIDTH$} {:>6}  {:>7}  {:>5}{:>5}",
                "span", "", "+calls", "work", "count", "line"
            )
        };
        writeln!(output, "{}", self.screen.styled(FAINT, &heading))?;
        let last = match source {
            Some(_) => u32::try_from(text.len()).unwrap_or(u32::MAX),
            None => u32::MAX,
        };
        let mut before = None;
        for number in self.lines(chosen, source.is_some(), last) {
            if before.is_some_and(|before| before + 1 < number) && source.is_some() {
                let start = " ".repeat(self.figures_width() + 3);
                self.remark(&start, "⋮", output)?;
            }
            before = Some(number);
            let line = file.lines.iter().find(|line| line.line == number);
            let code = (number as usize)
                .checked_sub(1)
                .and_then(|index| text.get(index));
            self.print_line(number, line, code.unwrap_or(&""), metric, output)?;
            for site in line.iter().flat_map(|line| &line.sites) {
                let start = if self.is_narrow() {
                    2
                } else {
                    FIGURES_WIDTH + NUMBER_WIDTH
                };
                self.remark(&" ".repeat(start), &description(site, program), output)?;
            }
        }
        Ok(())
    }

    /// The lines to show: the chosen ones and, with a source, those around them.
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

    fn print_line(
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
        let is_hot = line.is_some_and(|line| line.own.on_span.share.value >= HOT_SHARE);
        let width = self.figures_width();
        let figures = format!("{figures:width$}");
        let figures = if is_hot {
            self.screen.styled(HOT, &figures)
        } else {
            figures
        };
        let number = self.screen.styled(FAINT, &format!("{number:5}"));
        // Source text keeps its characters, even on an ASCII screen.
        let code = code.replace('\t', "    ");
        let code = shown(&code, &Screen::default());
        let room = if self.is_cut {
            self.screen.width.saturating_sub(width + NUMBER_WIDTH)
        } else {
            usize::MAX
        };
        let line = format!("{figures}{number}  {}", start_of(&code, room));
        writeln!(output, "{}", line.trim_end())
    }

    /// The figures of a line, each padded to its column and blank where there is none.
    fn figures_of(&self, line: &SourceLine, metric: &Metric) -> String {
        let share = |share: SampleShare| {
            if share.samples > 0.0 {
                percent(share.share.value)
            } else {
                String::new()
            }
        };
        let (own, total) = (share(line.own.on_span), share(line.total.on_span));
        if self.is_narrow() {
            return format!("{own:>6} {total:>6}");
        }
        let on_work = line.own.on_work;
        let work = if on_work.samples > 0.0 {
            amount(on_work.time, metric)
        } else {
            String::new()
        };
        let count: u64 = line.sites.iter().map(|site| site.count).sum();
        let count = if line.sites.is_empty() {
            String::new()
        } else {
            short_count(count)
        };
        let bar = bar(line.own.on_span.share.value, BAR_WIDTH, &self.screen);
        let work = shown(&work, &self.screen);
        format!("{own:>6} {bar:BAR_WIDTH$} {total:>6}  {work:>7}  {count:>5}")
    }

    fn is_narrow(&self) -> bool {
        self.is_cut && self.screen.width < WIDTH_WITH_FIGURES
    }

    fn figures_width(&self) -> usize {
        if self.is_narrow() {
            SHARES_WIDTH
        } else {
            FIGURES_WIDTH
        }
    }

    /// Writes a paragraph of our own words that hangs from `start`.
    fn remark(&self, start: &str, text: &str, output: &mut dyn Write) -> io::Result<()> {
        let mut start = start.to_owned();
        for line in self.wrapped(text, start.len()) {
            let line = self.screen.styled(FAINT, &format!("{start}{line}"));
            writeln!(output, "{line}")?;
            start = " ".repeat(start.len());
        }
        Ok(())
    }

    /// `text` in lines that fit after `before` columns; in one line if lines are not cut.
    fn wrapped(&self, text: &str, before: usize) -> Vec<String> {
        let text = shown(text, &self.screen);
        if self.is_cut {
            let room = self.screen.width.saturating_sub(before).max(1);
            wrap(&text, room, self.screen.ellipsis())
        } else {
            vec![text.into_owned()]
        }
    }
}

/// What a site on a line cost.
fn description(site: &SiteOnLine, program: &Profile) -> String {
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
