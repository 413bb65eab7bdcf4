//! Reads the record of a run that left no profile.

use std::env;
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use anyhow::Context as _;
use workspan_format::{raw, stream};
use workspan_model::{Dag, Exit, Profile};

use crate::machine;
use crate::stored::{self, launch_on_this_machine, warn_if_changed};
use crate::symbols::{self, Places};

/// First bytes of a record.
const BEGINNING: &[u8] = b"workspan-dag ";

/// SIGKILL, which the engine cannot handle. A run that left only a record was ended by it.
const KILLED: i32 = 9;

/// Whether the file is a record. False if it cannot be read.
pub(super) fn is_record(file: &Path) -> bool {
    stored::begins_with(file, BEGINNING)
}

/// The profile that follows from the dag in a record, the dag, and the size of the record in bytes.
///
/// # Errors
/// If the file cannot be read.
pub(super) fn read(file: &Path) -> anyhow::Result<(Profile, Dag, u64)> {
    let shown = || file.display().to_string();
    let recording = stream::read(file).with_context(shown)?;
    let metadata = fs::metadata(file).with_context(shown)?;
    let written_at = metadata.modified().ok();
    // The first module is the program itself.
    let program = recording.modules.first().map(|module| module.path.clone());
    if let Some(program) = &program {
        warn_if_changed(program, written_at);
    }
    let since_1970 = written_at.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let launch = raw::Launch {
        command: vec![program.unwrap_or_else(shown)],
        started_at: since_1970.map_or(0, |time| time.as_secs()),
        ..launch_on_this_machine(Exit::Signal(KILLED))
    };
    let places = Places {
        folder: env::current_dir()?,
        workspace: None,
    };
    let (mut raw, dag) = recording.into_raw_profile();
    raw.machine_cores = machine::cores();
    let named = symbols::name(&raw, &places);
    let profile = raw.into_profile(launch, named.sites);
    Ok((profile, dag, metadata.len()))
}
