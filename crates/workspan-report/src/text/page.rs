//! A page of a given width, coloured or not.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

use super::table::Table;

const HEADING: Style = Style::new().bold().underline();
const STRONG: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Space before everything but headings.
const INDENT: usize = 2;

/// The widest that sentences get: longer lines are hard to read.
const PROSE_WIDTH: usize = 100;

/// Width of the names in a list of fields.
const FIELD_NAME: usize = 11;

/// Width of the figures before an entry.
const ENTRY_START: usize = 20;

/// Width of the numbers before lines of source.
const SOURCE_NUMBER: usize = 6;

/// A page that is written from top to bottom.
pub(super) struct Page<'a> {
    output: &'a mut dyn Write,
    width: usize,
    colour: bool,
}

impl<'a> Page<'a> {
    pub(super) fn new(output: &'a mut dyn Write, width: usize, colour: bool) -> Self {
        Self {
            output,
            width,
            colour,
        }
    }

    /// A line across the page that carries a title: where the program's own output ends.
    pub(super) fn rule(&mut self, title: &str) -> io::Result<()> {
        let rest = "─".repeat(self.width.saturating_sub(4 + title.width()));
        let line = self.styled(FAINT, &format!("── {title} {rest}"));
        writeln!(self.output, "{line}")
    }

    pub(super) fn verdict(&mut self, text: &str) -> io::Result<()> {
        for line in wrap(text, self.prose(0)) {
            let line = self.styled(STRONG, &line);
            writeln!(self.output, "{line}")?;
        }
        Ok(())
    }

    /// A line that stands out, in a section.
    pub(super) fn strong(&mut self, text: &str) -> io::Result<()> {
        let line = self.styled(STRONG, text);
        self.indented(&line)
    }

    /// A line of source with its number; `None` stands for lines left out.
    pub(super) fn source(&mut self, line: Option<(u32, &str)>) -> io::Result<()> {
        let (number, text) = match line {
            Some((number, text)) => (number.to_string(), text),
            None => ("⋮".to_owned(), ""),
        };
        let number = self.styled(FAINT, &format!("{number:>SOURCE_NUMBER$}"));
        let text = text.replace('\t', "    ");
        let line = format!("{number}  {text}");
        self.indented(line.trim_end())
    }

    pub(super) fn heading(&mut self, title: &str) -> io::Result<()> {
        let title = self.styled(HEADING, title);
        writeln!(self.output, "\n{title}")
    }

    pub(super) fn table(&mut self, table: &Table) -> io::Result<()> {
        let (heading, rows) = table.lay_out(self.width - INDENT);
        for line in heading {
            let line = self.styled(FAINT, &line);
            self.indented(&line)?;
        }
        rows.iter().try_for_each(|line| self.indented(line))
    }

    pub(super) fn sentence(&mut self, text: &str) -> io::Result<()> {
        wrap(text, self.prose(INDENT))
            .iter()
            .try_for_each(|line| self.indented(line))
    }

    pub(super) fn remark(&mut self, text: &str) -> io::Result<()> {
        for line in wrap(text, self.prose(INDENT)) {
            let line = self.styled(FAINT, &line);
            self.indented(&line)?;
        }
        Ok(())
    }

    /// An empty line between tables of one section.
    pub(super) fn gap(&mut self) -> io::Result<()> {
        writeln!(self.output)
    }

    /// A marked paragraph.
    pub(super) fn item(&mut self, mark: &str, text: &str) -> io::Result<()> {
        let mark_width = mark.width() + 1;
        let mut start = format!("{} ", self.styled(WARNING, mark));
        for line in wrap(text, self.prose(INDENT + mark_width)) {
            self.indented(&format!("{start}{line}"))?;
            start = " ".repeat(mark_width);
        }
        Ok(())
    }

    /// A line above entries.
    pub(super) fn entry_heading(&mut self, text: &str) -> io::Result<()> {
        let line = format!("{text:>ENTRY_START$}");
        let line = self.styled(FAINT, line.trim_end());
        self.indented(&line)
    }

    /// Figures, and beside them what they are of.
    pub(super) fn entry(&mut self, figures: &str, text: &str) -> io::Result<()> {
        let mut start = format!("{figures:>ENTRY_START$}");
        for line in wrap(text, self.prose(INDENT + ENTRY_START)) {
            self.indented(&format!("{start}{line}"))?;
            start = " ".repeat(ENTRY_START);
        }
        Ok(())
    }

    /// A name and what it stands for.
    pub(super) fn field(&mut self, name: &str, text: &str) -> io::Result<()> {
        let mut start = self.styled(FAINT, &format!("{name:FIELD_NAME$}"));
        for line in wrap(text, self.prose(INDENT + FIELD_NAME)) {
            self.indented(&format!("{start}{line}"))?;
            start = " ".repeat(FIELD_NAME);
        }
        Ok(())
    }

    /// Columns for sentences after `start` columns of something else.
    fn prose(&self, start: usize) -> usize {
        self.width.min(PROSE_WIDTH) - start
    }

    fn indented(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.output, "{:INDENT$}{line}", "")
    }

    fn styled(&self, style: Style, text: &str) -> String {
        if self.colour {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }
}

/// The words of `text` in lines of at most `width` columns; a longer word has a line for itself.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.width() + 1 + word.width() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn wraps_at_words_and_never_within() {
        assert_eq!(wrap("span of the whole", 9), ["span of", "the whole"]);
        assert_eq!(
            wrap("at /a/very/long/path:1:2 it", 6),
            ["at", "/a/very/long/path:1:2", "it"]
        );
        assert_eq!(wrap("", 6), [""]);
    }
}
