//! Counts how often the kernel has taken a thread off its processor.

use std::fs;

/// The context switches of a thread so far. If they have not changed, the thread has kept running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Switches {
    /// Because it went to sleep.
    pub(super) voluntary: u64,
    /// Because another thread had to run.
    pub(super) involuntary: u64,
}

impl Switches {
    /// Those of the calling thread; always 0 if the kernel does not count them.
    pub(super) fn of_this_thread() -> Self {
        let status = fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
        let count = |name| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim().parse().ok()
        };
        Self {
            voluntary: count("voluntary_ctxt_switches:").unwrap_or(0),
            involuntary: count("nonvoluntary_ctxt_switches:").unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn sleeping_is_a_voluntary_switch() {
        let before = Switches::of_this_thread();
        thread::sleep(Duration::from_millis(2));
        let after = Switches::of_this_thread();
        assert!(after.voluntary > before.voluntary, "{before:?} {after:?}");
    }
}
