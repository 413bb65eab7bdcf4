//! The start of a process that is not profiled.

use crate::idle;
use crate::session::signals;
use crate::state::environment::number;
use crate::state::mode::{self, Mode};
use crate::state::pools::choose_sizes;
use crate::state::watch;
use crate::system::message;

/// Reads `WORKSPAN_ELISION` and `WORKSPAN_IDLE`, and with the latter also `WORKSPAN_ASSUME_CORES`
/// and `WORKSPAN_THREADS` (see [`session`](super)). Removes them, so that processes that the
/// program starts do not inherit them. Called before `main`.
pub(super) fn start_without_profile() {
    let elision = std::env::var_os("WORKSPAN_ELISION");
    let output = std::env::var_os("WORKSPAN_IDLE");
    std::env::remove_var("WORKSPAN_ELISION");
    std::env::remove_var("WORKSPAN_IDLE");
    if std::env::var_os("WORKSPAN_PROFILE").is_some() {
        if elision.is_some() || output.is_some() {
            message::say(format_args!(
                "WORKSPAN_IDLE and WORKSPAN_ELISION do nothing while a profile is taken"
            ));
        }
        return;
    }
    if let Some(output) = output.filter(|output| !output.is_empty()) {
        choose_sizes(number("WORKSPAN_ASSUME_CORES"), number("WORKSPAN_THREADS"));
        std::env::remove_var("WORKSPAN_ASSUME_CORES");
        std::env::remove_var("WORKSPAN_THREADS");
        watch::choose(signals::watch_once);
        idle::start(output.into());
        mode::choose(Mode::Idle);
    }
    if elision.is_some_and(|value| !value.is_empty() && value != "0") {
        mode::choose(Mode::Elision);
    }
}
