//! The report on a sweep, as text.

mod bandwidth;
mod estimates;
mod factored;
mod idle;
mod speedup;

use std::io;

use super::page::Page;
use crate::sentences::scaling as sentences;
use crate::{ScalingReport, Screen};

impl ScalingReport<'_> {
    /// Writes it as text.
    ///
    /// # Errors
    /// Any error from writing to `output`.
    pub fn text(&self, screen: Screen, output: &mut dyn io::Write) -> io::Result<()> {
        let mut page = Page::new(output, screen);
        if let Some(scaling) = self.scaling {
            speedup::print(&mut page, self, scaling)?;
        }
        if let Some(factored) = self.factored {
            factored::print(&mut page, self, factored)?;
            idle::print(&mut page, self)?;
        }
        if let Some(bandwidth) = self.bandwidth {
            bandwidth::print(&mut page, bandwidth)?;
        }
        measurement(&mut page, self)
    }
}

/// How the figures were measured.
fn measurement(page: &mut Page<'_>, report: &ScalingReport<'_>) -> io::Result<()> {
    let sweep = report.sweep;
    let machine = &sweep.machine;
    page.heading("Measurement")?;
    page.field("Program", &sweep.command.join(" "))?;
    if let Some(baseline) = &sweep.baseline {
        page.field("Baseline", &baseline.join(" "))?;
    }
    if let Some(stand_in) = &sweep.stand_in {
        page.field(
            "OpenMP",
            &format!("{stand_in} in the place of the program's own runtime"),
        )?;
    }
    if let Some(launcher) = &sweep.launcher {
        page.field("Launcher", launcher)?;
    }
    let physical = match machine.physical_cores {
        Some(physical) if physical != machine.cores => {
            format!("{} logical on {physical} physical", machine.cores)
        }
        _ => machine.cores.to_string(),
    };
    let cores = if machine.cores == 1 { "core" } else { "cores" };
    let sockets = match machine.sockets {
        Some(sockets) if sockets > 1 => format!(" on {sockets} sockets"),
        _ => String::new(),
    };
    page.field(
        "Machine",
        &format!(
            "{}, {physical} {cores}{sockets}, {} {}",
            machine.processor.as_deref().unwrap_or("unknown processor"),
            machine.os,
            machine.architecture,
        ),
    )?;
    page.field(
        "Threads",
        &format!(
            "{}; {}",
            sentences::threads_setting(sweep),
            sentences::pinning(sweep.pinning)
        ),
    )?;
    for condition in &machine.conditions {
        page.item("!", &sentences::condition_sentence(condition))?;
    }
    page.remark(
        "Intervals are of 95%: of medians by order statistics, of means and their ratios by a bootstrap, which is too narrow \
         for few runs (of 5 it is rather one of 84%, of 10 of 90%).",
    )
}
