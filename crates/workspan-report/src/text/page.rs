//! A page for a screen.

use std::borrow::Cow;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

use super::table::TableOf;
use super::wrap::{keep_end, keep_ends, shown, start_of, wrap};
use crate::Screen;
use crate::notation::figures::grouped;
use crate::sentences::questions::{Question, Tone};

const HEADING: Style = Style::new().bold().underline();
pub(super) const STRONG: Style = Style::new().bold();
pub(super) const FAINT: Style = Style::new().dimmed();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// Indentation of all but headings.
const INDENT: usize = 2;

/// The widest that prose gets: longer lines are hard to read.
const PROSE_WIDTH: usize = 100;

/// Width of the names in a list of fields.
const FIELD_NAME: usize = 11;

/// Width of the figures before an entry.
const ENTRY_START: usize = 20;

/// Width of the numbers before lines of source.
const SOURCE_NUMBER: usize = 6;

/// Width of the column of a share, to the right of lines of source.
const SHARE: usize = 11;

/// Where there is less room beside something, prose goes below it.
const LEAST_PROSE: usize = 24;

/// A figure with its name and what it means.
pub(super) struct Figure {
    pub(super) name: String,
    pub(super) figure: String,
    pub(super) meaning: String,
}

/// A list of figures, one a line: its name, the figure, and what it means.
macro_rules! figures {
    ($($name:expr => $figure:expr, $meaning:literal $(, $argument:expr)*;)+) => {
        vec![$($crate::text::page::Figure {
            name: $name.to_owned(),
            figure: $figure,
            meaning: format!($meaning $(, $argument)*),
        }),+]
    };
}

pub(super) use figures;

/// A line of source with its shares of the critical path and of the work; empty if not known.
pub(super) struct CodeLine {
    pub(super) number: u32,
    pub(super) text: String,
    pub(super) shares: [String; 2],
    /// Whether it is the line to change.
    pub(super) is_to_change: bool,
}

fn style_of(tone: Tone) -> Style {
    match tone {
        Tone::Good => GOOD,
        Tone::Bad => BAD,
        Tone::Neutral => STRONG,
    }
}

/// A page, written from top to bottom.
pub(super) struct Page<'a> {
    output: &'a mut dyn Write,
    screen: Screen,
}

impl<'a> Page<'a> {
    pub(super) fn new(output: &'a mut dyn Write, screen: Screen) -> Self {
        let width = screen.width.max(Screen::NARROWEST);
        Self {
            output,
            screen: screen.with_width(width),
        }
    }

    /// The screen, as wide as the page is.
    pub(super) const fn screen(&self) -> Screen {
        self.screen
    }

    /// The columns that indented text has.
    pub(super) const fn columns(&self) -> usize {
        self.screen.width - INDENT
    }

    /// A line across the page with a title, to mark where the program's own output ends. Of a
    /// title that is too long, the middle is left out.
    pub(super) fn rule(&mut self, title: &str) -> io::Result<()> {
        const START: &str = "── ";
        let room = self.screen.width - START.width();
        let title = keep_ends(&self.shown(title), room, self.screen.ellipsis());
        let rest = self.screen.width.saturating_sub(4 + title.width());
        let line = format!("{START}{title} {}", "─".repeat(rest));
        let line = self.screen.styled(FAINT, self.shown(&line).trim_end());
        writeln!(self.output, "{line}")
    }

    pub(super) fn verdict(&mut self, text: &str) -> io::Result<()> {
        for line in self.wrapped(text, self.prose(0)) {
            let line = self.screen.styled(STRONG, &line);
            writeln!(self.output, "{line}")?;
        }
        Ok(())
    }

    /// A paragraph whose first words, `lead`, stand out.
    pub(super) fn paragraph(&mut self, lead: &str, tone: Tone, text: &str) -> io::Result<()> {
        let lines = self.wrapped(&format!("{lead} {text}"), self.prose(INDENT));
        for (at, line) in lines.iter().enumerate() {
            match line.strip_prefix(lead).filter(|_| at == 0) {
                Some(rest) => {
                    let lead = self.screen.styled(style_of(tone), lead);
                    writeln!(self.output, "{lead}{rest}")?;
                }
                None if at == 0 => writeln!(self.output, "{line}")?,
                None => self.indented(line)?,
            }
        }
        Ok(())
    }

    /// A question and its answer, in short and in a sentence.
    pub(super) fn answer(&mut self, asked: &Question) -> io::Result<()> {
        let style = style_of(asked.tone);
        let beside = asked.question.width() + 2;
        let head = self.screen.styled(STRONG, asked.question);
        let lines = self.wrapped(&asked.short, self.screen.width - INDENT);
        let mut lines = lines.into_iter();
        let fits = lines.len() == 1 && beside + lines.as_slice()[0].width() <= self.screen.width;
        let first = fits.then(|| lines.next()).flatten();
        match first.map(|line| self.screen.styled(style, &line)) {
            Some(line) => writeln!(self.output, "{head}  {line}")?,
            None => writeln!(self.output, "{head}")?,
        }
        for line in lines {
            let line = self.screen.styled(style, &line);
            self.indented(&line)?;
        }
        self.sentence(&asked.text)
    }

    /// A line that stands out, in a section.
    pub(super) fn strong(&mut self, text: &str) -> io::Result<()> {
        for line in self.wrapped(text, self.columns()) {
            let line = self.screen.styled(STRONG, &line);
            self.indented(&line)?;
        }
        Ok(())
    }

    /// A line of source with its number; `None` stands for lines left out.
    pub(super) fn source(&mut self, line: Option<(u32, &str)>) -> io::Result<()> {
        let (number, text) = match line {
            Some((number, text)) => (number.to_string(), text),
            None => (self.shown("⋮").into_owned(), ""),
        };
        let number = self
            .screen
            .styled(FAINT, &format!("{number:>SOURCE_NUMBER$}"));
        let text = text.replace('\t', "    ");
        let room = self.columns() - SOURCE_NUMBER - 2;
        // Source text keeps its characters, even on an ASCII screen.
        let text = shown(&text, &Screen::default());
        let line = format!("{number}  {}", start_of(&text, room));
        self.indented(line.trim_end())
    }

    /// Lines of `file`, each with its shares of the critical path, unless none is known, and of
    /// the work.
    pub(super) fn code(&mut self, file: &str, lines: &[CodeLine]) -> io::Result<()> {
        let has = |at: usize| lines.iter().any(|line| !line.shares[at].is_empty());
        let headings = [(0, "path"), (1, "work")].map(|(at, name)| if has(at) { name } else { "" });
        let shares = |[one, other]: [&str; 2]| format!("{one:>SHARE$}{other:>SHARE$}");
        let room = self.columns().min(PROSE_WIDTH) - 2 * SHARE;
        let file = keep_end(&self.shown(file), room, self.screen.ellipsis());
        let gap = room.saturating_sub(file.width());
        let line = format!("{file}{:gap$}{}", "", shares(headings));
        let line = self.screen.styled(FAINT, line.trim_end());
        self.indented(&line)?;
        for line in lines {
            let mark = if line.is_to_change { "→ " } else { "" };
            let number = format!("{}{}", self.shown(mark), line.number);
            let number = format!("{number:>SOURCE_NUMBER$} {} ", self.shown("│"));
            let [one, other] = line.shares.each_ref().map(|share| self.shown(share));
            // Source text keeps its characters, even on an ASCII screen.
            let text = line.text.trim().replace('\t', "    ");
            let text = shown(&text, &Screen::default());
            let room = room - number.width();
            let text = start_of(&text, room);
            // Some characters together are wider than one by one.
            let gap = room.saturating_sub(text.width());
            let number = self.screen.styled(FAINT, &number);
            let line = format!("{number}{text}{:gap$}{}", "", shares([&one, &other]));
            self.indented(line.trim_end())?;
        }
        Ok(())
    }

    pub(super) fn heading(&mut self, title: &str) -> io::Result<()> {
        writeln!(self.output)?;
        for line in self.wrapped(title, self.screen.width) {
            let line = self.screen.styled(HEADING, &line);
            writeln!(self.output, "{line}")?;
        }
        Ok(())
    }

    pub(super) fn table<R>(&mut self, table: TableOf<R>) -> io::Result<()> {
        let (heading, rows) = table.lay_out(&self.screen.with_width(self.columns()));
        for line in heading {
            let line = self.screen.styled(FAINT, &line);
            self.indented(&line)?;
        }
        rows.iter().try_for_each(|line| self.indented(line))
    }

    /// A list of figures.
    pub(super) fn figures(&mut self, figures: Vec<Figure>) -> io::Result<()> {
        let table = TableOf::new(figures);
        let table = table.left("", |figure| figure.name.clone());
        let table = table.right("", |figure| figure.figure.clone());
        self.table(table.words("", |figure| figure.meaning.clone()))
    }

    /// A table whose rows begin with a mark, which is styled.
    pub(super) fn legend<R>(&mut self, table: TableOf<R>, styles: &[Style]) -> io::Result<()> {
        let (_, rows) = table.lay_out(&self.screen.with_width(self.columns()));
        for (line, &style) in rows.iter().zip(styles) {
            let mark = start_of(line, 1);
            let line = format!("{}{}", self.screen.styled(style, mark), &line[mark.len()..]);
            self.indented(&line)?;
        }
        Ok(())
    }

    /// A bar of pieces: the length of each, its mark and its style.
    pub(super) fn bar(&mut self, pieces: &[(usize, &str, Style)]) -> io::Result<()> {
        let pieces = pieces.iter().filter(|(length, ..)| *length > 0);
        let line: String = pieces
            .map(|(length, mark, style)| {
                self.screen
                    .styled(*style, &self.shown(&mark.repeat(*length)))
            })
            .collect();
        self.indented(&line)
    }

    /// Lines that are already laid out.
    pub(super) fn drawing(&mut self, lines: &[String]) -> io::Result<()> {
        lines
            .iter()
            .try_for_each(|line| self.indented(line.trim_end()))
    }

    pub(super) fn sentence(&mut self, text: &str) -> io::Result<()> {
        self.wrapped(text, self.prose(INDENT))
            .iter()
            .try_for_each(|line| self.indented(line))
    }

    pub(super) fn remark(&mut self, text: &str) -> io::Result<()> {
        for line in self.wrapped(text, self.prose(INDENT)) {
            let line = self.screen.styled(FAINT, &line);
            self.indented(&line)?;
        }
        Ok(())
    }

    /// Says that `hidden` entries of a list are left out, what is known `about` them, and what else
    /// writes `all`.
    pub(super) fn more(&mut self, hidden: usize, about: &str, all: &str) -> io::Result<()> {
        if hidden == 0 {
            return Ok(());
        }
        let hidden = grouped(hidden as u64);
        self.remark(&format!(
            "and {hidden} more{about}; --limit all shows them{all}"
        ))
    }

    /// An empty line between tables of one section.
    pub(super) fn gap(&mut self) -> io::Result<()> {
        writeln!(self.output)
    }

    /// A marked paragraph.
    pub(super) fn item(&mut self, mark: &str, text: &str) -> io::Result<()> {
        let mark = self.shown(mark).into_owned();
        let start = format!("{} ", self.screen.styled(WARNING, &mark));
        self.hanging(&start, mark.width() + 1, text)
    }

    /// A line above entries.
    pub(super) fn entry_heading(&mut self, text: &str) -> io::Result<()> {
        let line = format!("{text:>ENTRY_START$}");
        let line = self.screen.styled(FAINT, line.trim_end());
        self.indented(&line)
    }

    /// Figures, and next to them what they describe.
    pub(super) fn entry(&mut self, figures: &str, text: &str) -> io::Result<()> {
        let figures = format!("{:>ENTRY_START$}", self.shown(figures));
        self.hanging(&figures, ENTRY_START, text)
    }

    /// A name and what it stands for.
    pub(super) fn field(&mut self, name: &str, text: &str) -> io::Result<()> {
        let name = self.screen.styled(FAINT, &format!("{name:FIELD_NAME$}"));
        self.hanging(&name, FIELD_NAME, text)
    }

    /// A paragraph that hangs from `start`, which takes `columns`; below it where little room is
    /// left.
    fn hanging(&mut self, start: &str, columns: usize, text: &str) -> io::Result<()> {
        let mut start = start.to_owned();
        let mut columns = columns;
        if self.columns() < columns + LEAST_PROSE {
            self.indented(start.trim_end())?;
            columns = INDENT;
            start = " ".repeat(columns);
        }
        for line in self.wrapped(text, self.prose(INDENT + columns)) {
            self.indented(&format!("{start}{line}"))?;
            start = " ".repeat(columns);
        }
        Ok(())
    }

    /// The columns that prose has after `start` columns of something else.
    fn prose(&self, start: usize) -> usize {
        self.screen.width.min(PROSE_WIDTH) - start
    }

    fn shown<'t>(&self, text: &'t str) -> Cow<'t, str> {
        shown(text, &self.screen)
    }

    fn wrapped(&self, text: &str, width: usize) -> Vec<String> {
        wrap(&self.shown(text), width, self.screen.ellipsis())
    }

    fn indented(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.output, "{:INDENT$}{line}", "")
    }
}
