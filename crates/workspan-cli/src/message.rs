//! Messages of workspan itself, on standard error.

use std::fmt::Display;
use std::io::{self, IsTerminal as _};

use anstyle::{AnsiColor, Style};
use workspan_report::readable_lines;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const NOTE: Style = AnsiColor::Green.on_default().bold();

/// Prints an error with its causes on one line.
pub(crate) fn error(error: &anyhow::Error) {
    print(ERROR, "error", &format!("{error:#}"));
}

/// Prints a warning: something is not as requested, but the work continues.
pub(crate) fn warning(text: impl Display) {
    print(WARNING, "warning", &text);
}

/// Prints a remark.
pub(crate) fn note(text: impl Display) {
    print(NOTE, "note", &text);
}

fn print(style: Style, label: &str, text: &dyn Display) {
    // Names and paths in it may come from an untrusted file.
    let text = readable_lines(&text.to_string());
    // A single write, because parallel compilers share the stream.
    anstream::eprint!("{style}workspan {label}{style:#}: {text}\n");
}

/// Shows progress on a line that the next call overwrites. Does nothing without a terminal.
pub(crate) fn progress(text: impl Display) {
    if io::stderr().is_terminal() {
        let text = readable_lines(&text.to_string());
        eprint!("\rworkspan: {text}\x1b[K");
    }
}

/// Erases the line of [`progress`].
pub(crate) fn clear_progress() {
    if io::stderr().is_terminal() {
        eprint!("\r\x1b[K");
    }
}
