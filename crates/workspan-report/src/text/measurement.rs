//! How the figures were measured.

use std::io;

use workspan_model::{
    BurdenSource, CILKVIEW_BURDEN, Machine, Metric, Profile, Runtime, RuntimeKind, TimingKind,
};

use super::page::Page;
use crate::notation::figures::{amount_in_words, cost, counted, duration, grouped};
use crate::notation::program::threads;
use crate::sentences::{filled, words};

pub(super) fn print(page: &mut Page<'_>, profile: &Profile) -> io::Result<()> {
    page.heading("Measurement")?;
    let facts = measurement_facts(profile);
    facts
        .iter()
        .try_for_each(|(name, fact)| page.field(name, fact))
}

/// How the figures were measured: each fact with its name.
pub(crate) fn measurement_facts(profile: &Profile) -> [(&'static str, String); 7] {
    let run = &profile.run;
    let metric = &run.metric;
    let machine = &profile.machine;
    [
        ("Program", run.command.join(" ")),
        ("Machine", machine_words(machine, &cores(machine.cores))),
        (
            "Runtime",
            [Some(runtimes(profile)), threads(profile)]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(", "),
        ),
        ("Assumed", assumed(profile)),
        (
            "Clock",
            format!("{}, {}", clock(&run.clock), timing(profile.timing.kind)),
        ),
        (
            "Taken off",
            if metric.is_time() {
                format!(
                    "{} of the profiler's own cost, {} in which threads were ready but off the processor",
                    duration(run.own_cost),
                    duration(run.off_processor),
                )
            } else {
                format!(
                    "{} of the profiler's own cost",
                    amount_in_words(run.own_cost, metric)
                )
            },
        ),
        (
            "Burden",
            format!(
                "{} to move a task to another core: {}",
                amount_in_words(run.burden, metric),
                burden_source(run.burden_source.as_ref(), metric),
            ),
        ),
    ]
}

/// A machine in words, with its `cores`.
pub(super) fn machine_words(machine: &Machine, cores: &str) -> String {
    let processor = machine.processor.as_deref();
    let processor = processor.unwrap_or("unknown processor");
    format!(
        "{processor}, {cores}, {} {}",
        machine.os, machine.architecture
    )
}

fn burden_source(source: Option<&BurdenSource>, metric: &Metric) -> String {
    let Some(source) = source else {
        return "set by --burden".to_owned();
    };
    let unit = if metric.is_time() {
        "cycles"
    } else {
        "instructions"
    };
    let value = |name: &str| {
        Some(match (name, source) {
            ("steal", BurdenSource::Measured(costs)) => cost(costs.steal.cost.value),
            ("hand_back", BurdenSource::Measured(costs)) => cost(costs.hand_back.cost.value),
            ("wake_up", BurdenSource::Measured(costs)) => cost(costs.wake_up.cost.value),
            ("cycles", _) => format!("{} {unit}", grouped(CILKVIEW_BURDEN)),
            _ => metric.unit.clone(),
        })
    };
    filled(words("burden", source.name()), &value)
}

fn cores(cores: u32) -> String {
    counted(cores.into(), "core", "cores")
}

fn assumed(profile: &Profile) -> String {
    let is_rayon = matches!(profile.runtime(), None | Some(RuntimeKind::Rayon));
    match profile.run.assumed_cores {
        0 if is_rayon => "nothing: no pool was asked for its number of threads".to_owned(),
        0 => "nothing (set by --assume-cores)".to_owned(),
        assumed if is_rayon && assumed == profile.run.threads => {
            format!("{}, as many as there were threads", cores(assumed))
        }
        assumed if is_rayon => format!(
            "{}: rayon cut its work for that many, whatever the number of threads (set by --assume-cores)",
            cores(assumed)
        ),
        assumed => format!("{} (set by --assume-cores)", cores(assumed)),
    }
}

fn timing(kind: TimingKind) -> &'static str {
    match kind {
        TimingKind::Exact => "read at every boundary",
        TimingKind::Shared => "tiny tasks timed in groups (--exact times each)",
    }
}

fn clock(name: &str) -> &str {
    match words("clock", name) {
        "" => name,
        known => known,
    }
}

/// The runtimes of the program. The C interface is named only if it was called for no other one.
fn runtimes(profile: &Profile) -> String {
    let known = &profile.run.runtimes;
    let shown: Vec<String> = known
        .iter()
        .filter(|runtime| known.len() == 1 || runtime.kind != RuntimeKind::C)
        .map(Runtime::to_string)
        .collect();
    match (shown.is_empty(), profile.runtime()) {
        (false, _) => shown.join(", "),
        (true, Some(kind)) => format!("{} of unknown version", kind.noun()),
        (true, None) => "not known".to_owned(),
    }
}
