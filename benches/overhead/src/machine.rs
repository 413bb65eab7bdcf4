//! The machine that measures.

use std::fs;
use std::thread;

/// The processor's name, as the kernel reports it, and the number of cores.
pub fn describe_machine() -> String {
    format!(
        "{} with {} cores",
        processor().unwrap_or_else(|| "an unknown processor".to_owned()),
        thread::available_parallelism().map_or(1, usize::from)
    )
}

fn processor() -> Option<String> {
    let information = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = information
        .lines()
        .find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
