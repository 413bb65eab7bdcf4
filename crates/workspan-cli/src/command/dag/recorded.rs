//! The record of a run that left no profile.

use std::env::{self, consts};
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use workspan_format::{raw, stream};
use workspan_model::{Dag, Exit, Profile};

use crate::machine;
use crate::message;
use crate::symbols::{self, Places};

/// First bytes of a record.
const BEGINNING: &[u8] = b"workspan-dag ";

/// The signal that no program survives and no engine sees: who leaves a record has got it.
const KILLED: i32 = 9;

/// Whether the file is a record; what cannot be read is none.
pub(super) fn is_record(file: &Path) -> bool {
    let mut beginning = Vec::new();
    let read = File::open(file).and_then(|file| {
        file.take(BEGINNING.len() as u64)
            .read_to_end(&mut beginning)
    });
    read.is_ok() && beginning == BEGINNING
}

/// The profile that follows from the dag in a record, the dag, and the bytes of the record.
///
/// # Errors
/// When it cannot be read.
pub(super) fn read(file: &Path) -> anyhow::Result<(Profile, Dag, u64)> {
    let shown = || file.display().to_string();
    let recording = stream::read(file).with_context(shown)?;
    let metadata = fs::metadata(file).with_context(shown)?;
    let written_at = metadata.modified().ok();
    // The program itself is mapped first.
    let program = recording.modules.first().map(|module| module.path.clone());
    if let Some(program) = &program {
        warn_of_change(program, written_at);
    }
    let since_1970 = written_at.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let launch = raw::Launch {
        command: vec![program.unwrap_or_else(shown)],
        exit: Exit::Signal(KILLED),
        started_at: since_1970.map_or(0, |time| time.as_secs()),
        processor: machine::processor(),
        os: consts::OS.to_owned(),
        architecture: consts::ARCH.to_owned(),
        workspan_version: env!("CARGO_PKG_VERSION").to_owned(),
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

/// Addresses in a record mean nothing in a program that was built anew.
fn warn_of_change(program: &str, written_at: Option<SystemTime>) {
    let changed_at = fs::metadata(program).and_then(|metadata| metadata.modified());
    match changed_at {
        Err(_) => message::warning(format_args!(
            "`{program}`, of which the record is, is not there: its lines may not be known"
        )),
        Ok(changed_at) if written_at.is_some_and(|written_at| written_at < changed_at) => {
            message::warning(format_args!(
                "`{program}` was built after the record was made: wrong lines may be shown"
            ));
        }
        Ok(_) => {}
    }
}
