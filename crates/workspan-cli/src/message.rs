//! What workspan itself says, on standard error, apart from the report.

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

/// Prints a warning: something is not as asked, the work goes on.
pub(crate) fn warning(text: impl Display) {
    print(WARNING, "warning", &text);
}

/// Prints a remark.
pub(crate) fn note(text: impl Display) {
    print(NOTE, "note", &text);
}

fn print(style: Style, label: &str, text: &dyn Display) {
    // Names and paths in it may be anybody's.
    let text = readable_lines(&text.to_string());
    // One write a message: parallel compilers share the stream.
    anstream::eprint!("{style}workspan {label}{style:#}: {text}\n");
}

/// Tells how far the work is, on the line where it was told before; only to a terminal.
pub(crate) fn progress(text: impl Display) {
    if io::stderr().is_terminal() {
        let text = readable_lines(&text.to_string());
        eprint!("\rworkspan: {text}\x1b[K");
    }
}

/// Takes the line of [`progress`] away.
pub(crate) fn progress_ended() {
    if io::stderr().is_terminal() {
        eprint!("\r\x1b[K");
    }
}
