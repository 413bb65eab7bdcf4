//! Errors about what is missing in a file for a format, with how to get it.

use std::fmt::Display;
use std::path::Path;

use anyhow::anyhow;

use crate::exit_code::{Failure, PROFILE};

/// How to measure when workers were idle.
const MEASURE_IDLE: &str = "measure when workers were idle by `cargo workspan scale --factored`, and export the FILE.sweep.json that it \
                            keeps beside the profile";

/// A profile does not record when and where strands ran.
pub(super) fn timeline(file: &Path) -> Failure {
    let error = anyhow!(
        "{} has no timeline: a profile holds how long strands took and what they waited for, not when and on \
         which thread each of them ran; {MEASURE_IDLE}",
        file.display()
    );
    Failure::new(PROFILE, error)
}

/// The sweep was measured without idle time.
pub(super) fn idle_runs(file: &Path) -> Failure {
    let error = anyhow!(
        "{} has no run of which idle time was measured; {MEASURE_IDLE}",
        file.display()
    );
    Failure::new(PROFILE, error)
}

/// The sweep does not record when workers were idle.
pub(super) fn phases(file: &Path) -> Failure {
    let error = anyhow!(
        "{} was measured by a workspan that kept how long workers were idle, but not when; {MEASURE_IDLE}",
        file.display()
    );
    Failure::new(PROFILE, error)
}

/// The format needs a profile, not a sweep.
pub(super) fn profile(file: &Path, format: impl Display) -> Failure {
    let error = anyhow!(
        "{} holds a sweep, and {format} is made of a profile, FILE.wsp, as `cargo workspan run` keeps it",
        file.display()
    );
    Failure::new(PROFILE, error)
}

/// The profile does not have the quantity `by`, for the reason `why`.
pub(super) fn quantity(file: &Path, by: impl Display, why: &str) -> Failure {
    let file = file.display();
    Failure::new(
        PROFILE,
        anyhow!("{file} has nothing to show by {by}: {why}"),
    )
}
