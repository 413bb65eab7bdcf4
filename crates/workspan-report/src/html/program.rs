//! What was run, where, and how it was measured.

use serde::Serialize;
use workspan_model::{Exit, Profile};

use crate::program;
use crate::readable::readable;

#[derive(Serialize)]
pub(super) struct ProgramView<'a> {
    name: String,
    command: String,
    started_at: u64,
    workspan_version: &'a str,
    threads: u32,
    assumed_cores: u32,
    facts: Vec<Fact>,
}

/// A line of the section on the measurement.
#[derive(Serialize)]
struct Fact {
    name: &'static str,
    text: String,
}

impl<'a> ProgramView<'a> {
    pub(super) fn of(profile: &'a Profile) -> Self {
        let run = &profile.run;
        let facts = crate::text::measurement_facts(profile);
        let mut facts: Vec<Fact> = facts
            .into_iter()
            .map(|(name, text)| Fact {
                name,
                text: readable(&text),
            })
            .collect();
        let ended = match run.exit {
            Exit::Code(0) => None,
            Exit::Code(code) => Some(format!("exit code {code}")),
            Exit::Signal(signal) => Some(format!("signal {signal}")),
        };
        facts.extend(ended.map(|text| Fact {
            name: "Ended by",
            text,
        }));
        Self {
            name: readable(program::name(&run.command)),
            command: readable(&run.command.join(" ")),
            started_at: run.started_at,
            workspan_version: &run.workspan_version,
            threads: run.threads,
            assumed_cores: run.assumed_cores,
            facts,
        }
    }
}
