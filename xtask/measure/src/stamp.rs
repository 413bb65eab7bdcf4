//! How figures were measured.

use std::fs;
use std::thread;
use std::time::Instant;

use crate::run::output;

/// What is known before a measurement.
pub(crate) struct Stamp {
    described: String,
    started: Instant,
}

impl Stamp {
    pub(crate) fn begin() -> anyhow::Result<Self> {
        let date = output("date --utc +%Y-%m-%d")?;
        let commit = output("git describe --always --dirty --abbrev=12")?;
        // What a profiled program runs in addition to its own code.
        let engine = output("git log -1 --format=%h -- crates/workspan-engine")?;
        let machine = machine()?;
        Ok(Stamp {
            described: format!("{date}, commit {commit}, engine of {engine}; {machine}"),
            started: Instant::now(),
        })
    }

    /// The line for a page, at the end of the measurement.
    pub(crate) fn end(self) -> anyhow::Result<String> {
        let minutes = self.started.elapsed().as_secs_f64() / 60.0;
        let load = fs::read_to_string("/proc/loadavg")?;
        let load = load.split(' ').next().unwrap_or_default();
        let described = self.described;
        Ok(format!(
            "Measured {described}; {minutes:.0} minutes, load {load} at the end."
        ))
    }
}

fn machine() -> anyhow::Result<String> {
    let information = fs::read_to_string("/proc/cpuinfo")?;
    let field = |name: &str| {
        let line = information.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim())
    };
    let is_virtual = field("flags").is_some_and(|flags| flags.contains("hypervisor"));
    let kind = if is_virtual { " (virtual machine)" } else { "" };
    let processor = field("model name").unwrap_or("an unknown processor");
    let cores = thread::available_parallelism()?;
    let (kernel, rustc) = (output("uname -sr")?, output("rustc --version")?);
    let rustc = rustc.split(" (").next().unwrap_or_default();
    Ok(format!(
        "{processor}{kind}, {cores} cores, {kernel}, {rustc}"
    ))
}
