//! Watches how many threads a process has.

use std::fs;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Threads that live for less than this between two looks are not seen.
const PERIOD: Duration = Duration::from_millis(20);

/// Looks at the threads of a process until it is asked for the most that there were.
pub(super) struct ThreadWatch {
    stop: Sender<()>,
    watching: JoinHandle<u32>,
}

impl ThreadWatch {
    /// Watches the process with this id.
    pub(super) fn of(process: u32) -> Self {
        let (stop, stopped) = channel();
        let watching = thread::spawn(move || {
            let mut most = 0;
            loop {
                most = threads(process).unwrap_or(0).max(most);
                if stopped.recv_timeout(PERIOD) != Err(RecvTimeoutError::Timeout) {
                    return most;
                }
            }
        });
        Self { stop, watching }
    }

    /// The most threads that it was seen with at once; 0 if the system does not say.
    pub(super) fn most(self) -> u32 {
        drop(self.stop);
        self.watching.join().unwrap_or(0)
    }
}

fn threads(process: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("Threads:"))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_the_thread_that_watches_it() {
        assert!(threads(std::process::id()).is_none_or(|threads| threads >= 1));
        assert_eq!(threads(u32::MAX), None);
    }
}
