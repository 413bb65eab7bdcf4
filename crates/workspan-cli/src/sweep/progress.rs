//! Shows the progress of a sweep: a bar on a terminal, a line for each round elsewhere.

use std::fmt;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use workspan_model::Nanos;

use crate::message;

/// How often the bar is redrawn during a run. Rarely, since it takes processor time from the run.
const REDRAWN: Duration = Duration::from_secs(1);

/// The display of a sweep's progress.
pub(super) struct ProgressDisplay {
    bar: Option<ProgressBar>,
}

impl ProgressDisplay {
    /// Shows that at most `runs` runs are to come.
    pub(super) fn begin(runs: u32) -> Self {
        if !message::shows_progress() {
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

    /// Shows that a run of `name` begins. `done` runs have ended; at most `left`, this one
    /// included, are to come, and are expected to take `remaining`.
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

    /// Notes the end of a round, unless there is a bar.
    pub(super) fn round(&self, text: impl fmt::Display) {
        if self.bar.is_none() {
            message::note(text);
        }
    }

    /// Prints a warning without disturbing the bar.
    pub(super) fn warn(&self, text: impl fmt::Display) {
        match &self.bar {
            Some(bar) => bar.suspend(|| message::warning(text)),
            None => message::warning(text),
        }
    }

    /// Removes the bar.
    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Displays a time to wait, rounded up.
struct Rounded(Nanos);

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
