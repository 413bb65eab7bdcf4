//! What workspan itself says, on standard error, apart from the report.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

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
    // One write a message: parallel compilers share the stream.
    anstream::eprint!("{style}workspan {label}{style:#}: {text}\n");
}
