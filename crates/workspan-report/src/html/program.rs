//! What was run, where, and how it was measured.

use serde::Serialize;
use workspan_model::{Exit, Profile};

use crate::object::object;
use crate::program;
use crate::readable::readable;

pub(super) fn program(profile: &Profile) -> impl Serialize {
    let run = &profile.run;
    let ended = match run.exit {
        Exit::Code(0) => None,
        Exit::Code(code) => Some(format!("exit code {code}")),
        Exit::Signal(signal) => Some(format!("signal {signal}")),
    };
    let facts = crate::text::measurement_facts(profile).into_iter();
    let facts = facts.map(|(name, text)| (name, readable(&text)));
    // The lines of the section on the measurement.
    let facts = facts.chain(ended.map(|ended| ("Ended by", ended)));
    object! {
        name: readable(program::name(&run.command)),
        command: readable(&run.command.join(" ")),
        started_at: run.started_at,
        workspan_version: &run.workspan_version,
        threads: run.threads,
        assumed_cores: run.assumed_cores,
        facts: facts
            .map(|(heading, line)| object! { name: heading, text: line })
            .collect::<Vec<_>>(),
    }
}
