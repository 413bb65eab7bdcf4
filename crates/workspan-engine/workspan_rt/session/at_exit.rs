//! The end of the process: it writes the profile.

use super::closing::finish_as;
use super::file::tell_that_nothing_is_written;
use crate::clock::own_counter;
use crate::state::process::is_ours;
use crate::state::stop;
use crate::system::process_end::Ending;
use crate::system::{message, output};
use std::panic;
use std::sync::{Mutex, PoisonError};

/// For a child of fork(2), which is not measured.
pub(super) extern "C" fn begin_copy() {
    own_counter::stop();
    stop::turn_off();
}

pub(super) extern "C" fn finish_at_exit() {
    // A panic here would end the program by SIGABRT after all its own work.
    let finished = panic::catch_unwind(|| finish_and_write(Ending::Exit));
    if finished.is_err() {
        stop::turn_off();
        tell_that_nothing_is_written();
        message::say(format_args!(
            "there is no profile: the engine has failed (please report it)"
        ));
    }
}

/// Ends the session and writes its file. If that fails, says why on standard error.
pub(crate) fn finish_and_write(ending: Ending) {
    // A child of a fork has nothing to write, and a thread that does not exist there may hold the
    // lock.
    if !is_ours() {
        return;
    }
    // Whoever comes second waits until the file is there, since it may be about to end the process.
    static WRITING: Mutex<()> = Mutex::new(());
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let Some((text, Some(path))) = finish_as(ending) else {
        return;
    };
    if let Err(error) = output::write_whole(&path, &text) {
        tell_that_nothing_is_written();
        message::say(format_args!(
            "the profile could not be written to {}: {error}",
            path.display()
        ));
    }
}
