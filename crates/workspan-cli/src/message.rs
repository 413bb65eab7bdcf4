//! Messages of workspan itself, on standard error.

use std::env;
use std::fmt::Display;
use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};
use workspan_report::readable_lines;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const NOTE: Style = AnsiColor::Green.on_default().bold();

/// Whether to print errors alone.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// From now on, this process prints errors alone.
pub(crate) fn silence() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Whether this process prints errors alone.
pub(crate) fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}

/// Prints an error with its causes on one line.
pub(crate) fn error(error: &anyhow::Error) {
    print(ERROR, "error", &format!("{error:#}"));
}

/// Prints a warning: something is not as requested, but the work continues.
pub(crate) fn warning(text: impl Display) {
    print_unless_quiet(WARNING, "warning", &text);
}

/// Prints a remark.
pub(crate) fn note(text: impl Display) {
    print_unless_quiet(NOTE, "note", &text);
}

fn print_unless_quiet(style: Style, label: &str, text: &dyn Display) {
    if !is_quiet() {
        print(style, label, text);
    }
}

fn print(style: Style, label: &str, text: &dyn Display) {
    // Names and paths in it may come from an untrusted file.
    let text = readable_lines(&text.to_string());
    // A single write, because parallel compilers share the stream.
    anstream::eprint!("{style}workspan {label}{style:#}: {text}\n");
}

/// Whether progress is shown: on a terminal, unless errors alone are printed.
pub(crate) fn shows_progress() -> bool {
    !is_quiet() && io::stderr().is_terminal()
}

/// Shows progress, if at all, on a line that the next call overwrites.
pub(crate) fn progress(text: impl Display) {
    if shows_progress() {
        let text = readable_lines(&text.to_string());
        eprint!("\rworkspan: {text}\x1b[K");
    }
}

/// Erases the line of [`progress`].
pub(crate) fn clear_progress() {
    if shows_progress() {
        eprint!("\r\x1b[K");
    }
}

/// The file as the user types it in a shell.
pub(crate) fn in_shell(file: &Path) -> String {
    in_shell_of(env::home_dir().as_deref(), file)
}

fn in_shell_of(home: Option<&Path>, file: &Path) -> String {
    let below_home = home.and_then(|home| file.strip_prefix(home).ok());
    let (start, rest) = below_home.map_or(("", file), |rest| ("~/", rest));
    let rest = rest.to_string_lossy();
    let quoted = shlex::try_quote(&rest).unwrap_or_else(|_| rest.clone());
    format!("{start}{quoted}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_shown_as_shells_take_them() {
        let shown = |file: &str| in_shell_of(Some(Path::new("/home/me")), Path::new(file));
        assert_eq!(shown("target/workspan/a.wsp"), "target/workspan/a.wsp");
        assert_eq!(shown("/home/me/.cache/a b.wsp"), "~/'.cache/a b.wsp'");
        assert_eq!(shown("/home/others/a.wsp"), "/home/others/a.wsp");
    }
}
