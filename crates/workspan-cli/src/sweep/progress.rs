//! Says how far a sweep is: a bar on a terminal, a line for each round elsewhere.

use std::fmt;
use std::io::{self, IsTerminal as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use workspan_model::Nanos;

use crate::message;

/// How often the bar moves while a run lasts: seldom, for it takes the run's time.
const REDRAWN: Duration = Duration::from_secs(1);

/// How far a sweep is.
pub(super) struct Shown {
    bar: Option<ProgressBar>,
}

impl Shown {
    /// Begins to show that `runs` runs at most are to come.
    pub(super) fn begin(runs: u32) -> Self {
        if !io::stderr().is_terminal() {
            return Self { bar: None };
        }
        let target = ProgressDrawTarget::stderr_with_hz(5);
        let style = ProgressStyle::with_template(
            "workspan: [{bar:32}] {pos}/{len} runs, {elapsed}, {wide_msg}",
        );
        let bar = ProgressBar::with_draw_target(Some(runs.into()), target)
            .with_style(style.expect("it is well-formed").progress_chars("=> "));
        bar.enable_steady_tick(REDRAWN);
        Self { bar: Some(bar) }
    }

    /// A run of `name` begins; `left` runs at most are to come with it, which take so long.
    pub(super) fn next(&self, name: &str, done: u32, left: u32, remaining: Option<Nanos>) {
        if let Some(bar) = &self.bar {
            bar.set_length((done + left).into());
            bar.set_position(done.into());
            bar.set_message(match remaining {
                Some(remaining) => format!("{} left at most, now {name}", Rounded(remaining)),
                None => format!("now {name}"),
            });
        }
    }

    /// A round has ended.
    pub(super) fn round(&self, text: impl fmt::Display) {
        if self.bar.is_none() {
            message::note(text);
        }
    }

    /// Says something beside.
    pub(super) fn warn(&self, text: impl fmt::Display) {
        match &self.bar {
            Some(bar) => bar.suspend(|| message::warning(text)),
            None => message::warning(text),
        }
    }

    /// Takes the bar away.
    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A time to wait, as people tell it.
pub(super) struct Rounded(pub(super) Nanos);

impl fmt::Display for Rounded {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.shown().div_ceil(1_000_000_000);
        match seconds {
            0..=90 => write!(formatter, "{seconds} s"),
            91..=5400 => write!(formatter, "{} min", seconds.div_ceil(60)),
            _ => write!(
                formatter,
                "{} h {} min",
                seconds / 3600,
                seconds % 3600 / 60
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_to_wait_are_rounded_up() {
        let shown = |seconds: f64| Rounded(Nanos::from_nanos_f64(seconds * 1e9)).to_string();
        assert_eq!(shown(0.2), "1 s");
        assert_eq!(shown(90.0), "90 s");
        assert_eq!(shown(121.0), "3 min");
        assert_eq!(shown(7300.0), "2 h 1 min");
    }
}
