//! Measures how much processor time others use.

use std::fs;

/// The activity of all processors since the machine was started, in ticks of the kernel's clock.
pub(crate) struct Processors {
    all: u64,
    idle: u64,
    /// Used by this process and by those that it has waited for.
    own: u64,
}

impl Processors {
    pub(crate) fn now() -> Self {
        let text = fs::read_to_string("/proc/stat").unwrap();
        let line = text.lines().next().unwrap();
        // User, nice, system, idle, waiting, interrupts, soft interrupts, stolen. Guests' time is
        // part of these.
        let ticks = numbers(line.strip_prefix("cpu").unwrap());
        let text = fs::read_to_string("/proc/self/stat").unwrap();
        let (_, after_name) = text.rsplit_once(") ").unwrap();
        // Fields 14 to 17 are user and system times. Skips the state, a letter.
        let own = numbers(&after_name[1..]);
        Self {
            all: ticks[..8].iter().sum(),
            idle: ticks[3] + ticks[4],
            own: own[10..14].iter().sum(),
        }
    }

    /// The share of processor time that other processes and virtual machines have used since then.
    pub(crate) fn others_since(&self) -> f64 {
        let now = Self::now();
        let others = (now.all - self.all) as f64
            - (now.idle - self.idle) as f64
            - (now.own - self.own) as f64;
        others / (now.all - self.all).max(1) as f64
    }
}

/// The numbers in `text`. Negative ones count as 0.
fn numbers(text: &str) -> Vec<u64> {
    let words = text.split_whitespace();
    words.map(|word| word.parse().unwrap_or(0)).collect()
}
