//! The output of programs: its last lines, and where that of two runs differs.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};

/// The longest part of an output that is shown.
const TAIL_BYTES: u64 = 4096;
const TAIL_LINES: usize = 10;
/// The longest part of a line that is shown.
const LINE_CHARACTERS: usize = 80;

/// The last lines of a file, each indented on a new line; empty if there are none.
pub(super) fn tail(mut file: &File) -> io::Result<String> {
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    let last = &lines[lines.len().saturating_sub(TAIL_LINES)..];
    Ok(last.iter().map(|line| format!("\n    {line}")).collect())
}

/// The first difference between the outputs of two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    /// Counted from 1.
    line: u64,
    one: Option<String>,
    other: Option<String>,
}

/// The first line in which `other` differs from `one`; `None` if they are equal.
pub(super) fn difference(one: &File, other: &File) -> io::Result<Option<Difference>> {
    let (mut one, mut other) = (lines(one)?, lines(other)?);
    let mut line = 0;
    loop {
        line += 1;
        let (left, right) = (next(&mut one)?, next(&mut other)?);
        if left != right {
            return Ok(Some(Difference {
                line,
                one: left.as_deref().map(shortened),
                other: right.as_deref().map(shortened),
            }));
        }
        if left.is_none() {
            return Ok(None);
        }
    }
}

fn lines(mut file: &File) -> io::Result<BufReader<&File>> {
    file.seek(SeekFrom::Start(0))?;
    Ok(BufReader::new(file))
}

/// The next line with its line ending, if any.
fn next(lines: &mut BufReader<&File>) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let read = lines.read_until(b'\n', &mut line)?;
    Ok((read > 0).then_some(line))
}

fn shortened(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let mut shown: String = text.trim_end().chars().take(LINE_CHARACTERS).collect();
    if shown.len() < text.trim_end().len() {
        shown.push('…');
    }
    shown
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line;
        match (&self.one, &self.other) {
            (Some(one), Some(other)) => {
                write!(formatter, "line {line} is `{other}` instead of `{one}`")
            }
            (Some(one), None) => write!(formatter, "line {line}, `{one}`, is missing"),
            (None, Some(other)) => write!(formatter, "line {line}, `{other}`, is added"),
            (None, None) => unreachable!("two ends are no difference"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn file(text: &str) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file
    }

    #[test]
    fn the_last_lines_are_shown() {
        assert_eq!(tail(&file("")).unwrap(), "");
        assert_eq!(tail(&file("a\nb\n")).unwrap(), "\n    a\n    b");
        let many: String = (0..5000).map(|line| format!("line {line}\n")).collect();
        let shown = tail(&file(&many)).unwrap();
        assert_eq!(shown.lines().count(), 1 + TAIL_LINES);
        assert!(shown.ends_with("\n    line 4999"), "{shown}");
    }

    #[test]
    fn the_first_line_that_differs_is_found() {
        let found = |one, other| {
            let difference = difference(&file(one), &file(other)).unwrap()?;
            Some(difference.to_string())
        };
        assert_eq!(found("a\nb\n", "a\nb\n"), None);
        assert_eq!(found("", ""), None);
        assert_eq!(
            found("a\nb\n", "a\nc\n").unwrap(),
            "line 2 is `c` instead of `b`"
        );
        assert_eq!(found("a\nb\n", "a\n").unwrap(), "line 2, `b`, is missing");
        assert_eq!(found("a\n", "a\nb\n").unwrap(), "line 2, `b`, is added");
        assert!(found(&"x".repeat(500), "y").unwrap().contains('…'));
    }
}
