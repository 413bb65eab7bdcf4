//! How text looks: the options, the terminal and the locale.

use std::env;
use std::io;

use anstream::{AutoStream, ColorChoice};
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches as _, ValueEnum};
use serde::{Deserialize, Serialize};
use terminal_size::{Width, terminal_size_of};
use workspan_report::{Charset, Screen};

use crate::message;
use crate::sink::Sink;

/// The id of the option that [`quiet`] declares.
const QUIET: &str = "quiet";

/// Options for how text looks, and whether there is any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
pub(crate) struct ScreenOptions {
    /// Colours: auto is on a terminal, unless NO_COLOR is set, or where CLICOLOR_FORCE is
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    color: When,
    /// Draw bars and plots with ASCII characters alone [default: where the locale is not of UTF-8]
    #[arg(long)]
    ascii: bool,
    /// Whether to print errors alone, as the command that parses this does.
    #[arg(skip = message::is_quiet())]
    quiet: bool,
}

/// When to print colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
enum When {
    #[default]
    Auto,
    Always,
    Never,
}

impl When {
    const fn choice(self) -> ColorChoice {
        match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::Always,
            Self::Never => ColorChoice::Never,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }
}

impl ScreenOptions {
    /// The options of a command; the defaults if it has none.
    fn of(matches: &ArgMatches) -> Self {
        let has_any = matches.try_contains_id("color").is_ok_and(|has| has);
        let options = has_any.then(|| Self::from_arg_matches(matches).ok());
        options.flatten().unwrap_or_default()
    }

    /// Applies the options to everything that this process prints, messages included.
    pub(crate) fn apply(&self) {
        self.color.choice().write_global();
        if self.quiet {
            message::silence();
        }
    }

    /// The screen to lay out text for `sink` on. Its width is that of the terminal; without one it
    /// is `default_width`.
    pub(crate) fn screen_of_width(&self, sink: &Sink, default_width: usize) -> Screen {
        let (choice, size) = match sink {
            Sink::Stdout => (
                AutoStream::choice(&io::stdout()),
                terminal_size_of(io::stdout()),
            ),
            Sink::Stderr => (
                AutoStream::choice(&io::stderr()),
                terminal_size_of(io::stderr()),
            ),
            Sink::File(_) => (self.color.choice(), None),
        };
        let is_coloured = match sink {
            Sink::File(_) => choice == ColorChoice::Always,
            Sink::Stdout | Sink::Stderr => choice != ColorChoice::Never,
        };
        Screen {
            width: size.map_or(default_width, |(Width(width), _)| width.into()),
            colour: is_coloured,
            charset: self.charset(),
        }
    }

    /// The screen to lay out text for `sink` on, with the default width of a report.
    pub(crate) fn screen(&self, sink: &Sink) -> Screen {
        self.screen_of_width(sink, Screen::default().width)
    }

    /// The characters to draw with.
    pub(crate) fn charset(&self) -> Charset {
        if self.ascii || !is_utf8(|variable| env::var(variable).ok()) {
            Charset::Ascii
        } else {
            Charset::Unicode
        }
    }
}

/// The option that every command has.
pub(crate) fn quiet() -> Arg {
    Arg::new(QUIET)
        .short('q')
        .long(QUIET)
        .action(ArgAction::SetTrue)
        .global(true)
        .hide_short_help(true)
        .help("Print errors alone: no report, warnings, hints or progress")
}

/// Applies the options of a command to everything that this process prints.
pub(crate) fn apply(matches: &ArgMatches) {
    if matches.get_flag(QUIET) {
        message::silence();
    }
    ScreenOptions::of(matches).apply();
}

/// The options to forward to cargo, which has the same ones.
pub(crate) fn for_cargo(matches: &ArgMatches) -> impl Iterator<Item = String> {
    let options = ScreenOptions::of(matches);
    let color = (options.color != When::Auto).then(|| format!("--color={}", options.color.name()));
    let quiet = options.quiet.then(|| format!("--{QUIET}"));
    color.into_iter().chain(quiet)
}

/// Whether the locale of the environment variables uses UTF-8 (POSIX.1-2017, 8.2). True if none is
/// set, as in containers: nearly all terminals use UTF-8.
fn is_utf8(variable: impl Fn(&str) -> Option<String>) -> bool {
    let locales = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter();
    let mut locales = locales.filter_map(variable);
    let Some(locale) = locales.find(|locale| !locale.is_empty()) else {
        return true;
    };
    let charset = locale.split_once('.').map_or("", |(_, charset)| charset);
    let charset = charset.split('@').next().unwrap_or_default();
    ["utf-8", "utf8"].contains(&charset.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_names_the_locale() {
        let is_utf8_with = |set: &[(&str, &str)]| {
            is_utf8(|variable| {
                let found = set.iter().find(|(name, _)| *name == variable);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert!(is_utf8_with(&[]) && is_utf8_with(&[("LANG", "")]));
        for utf8 in ["de_AT.UTF-8", "sr_RS.utf8@latin"] {
            assert!(is_utf8_with(&[("LANG", utf8)]), "{utf8}");
        }
        assert!(is_utf8_with(&[("LANG", "C"), ("LC_CTYPE", "C.UTF-8")]));
        assert!(!is_utf8_with(&[("LANG", "C.UTF-8"), ("LC_ALL", "C")]));
        for other in ["POSIX", "de_AT", "de_AT.ISO-8859-1", "ja_JP.eucJP"] {
            assert!(!is_utf8_with(&[("LC_ALL", other)]), "{other}");
        }
    }
}
