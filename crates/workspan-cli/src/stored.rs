//! Reads profiles from files: `.wsp`, and snapshots that a program writes while it runs
//! (`workspan_dump` of `workspan.h`).

use std::env::{self, consts};
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context as _;
use workspan_format::{raw, stream, wsp};
use workspan_model::{Dag, Exit, Profile};

use crate::machine;
use crate::message;
use crate::symbols::{self, Places};

/// First bytes of a snapshot.
const SNAPSHOT: &[u8] = b"workspan-raw ";

/// The profile in `file`, and its task dag if there is one.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn read(file: &Path) -> anyhow::Result<(Profile, Option<Dag>)> {
    if begins_with(file, SNAPSHOT) {
        read_snapshot(file)
    } else {
        Ok(wsp::read_with_dag(file)?)
    }
}

/// Size in bytes of the task dag of the profile in `file`, as stored; none if it has no dag.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn dag_bytes(file: &Path) -> anyhow::Result<Option<u64>> {
    if !begins_with(file, SNAPSHOT) {
        return Ok(wsp::dag_bytes(file)?);
    }
    let record = record_of(file);
    Ok(fs::metadata(record).ok().map(|metadata| metadata.len()))
}

/// The record of the task dag that belongs to the snapshot in `file` (`workspan_rt::snapshot`).
fn record_of(file: &Path) -> PathBuf {
    if file.extension().is_some_and(|extension| extension == "raw") {
        return file.with_extension("dag");
    }
    let mut name = file.as_os_str().to_owned();
    name.push(".dag");
    name.into()
}

/// Whether the file begins with these bytes. False if it cannot be read.
pub(crate) fn begins_with(file: &Path, bytes: &[u8]) -> bool {
    let mut beginning = Vec::new();
    let read =
        File::open(file).and_then(|file| file.take(bytes.len() as u64).read_to_end(&mut beginning));
    read.is_ok() && beginning == bytes
}

/// Reads a snapshot with its record, and resolves the addresses in it.
fn read_snapshot(file: &Path) -> anyhow::Result<(Profile, Option<Dag>)> {
    let raw = raw::read(file).with_context(|| file.display().to_string())?;
    // The first module is the program itself.
    if let Some(program) = raw.modules.first() {
        let written_at = fs::metadata(file).and_then(|metadata| metadata.modified());
        warn_if_changed(&program.path, written_at.ok());
    }
    let launch = raw::Launch {
        command: raw.command.clone(),
        started_at: raw.started_at,
        ..launch_on_this_machine(Exit::Code(0))
    };
    let places = Places {
        folder: env::current_dir()?,
        workspace: None,
    };
    let named = symbols::name(&raw, &places);
    let mut profile = raw.into_profile(launch, named.sites);
    profile.samples = named.samples;
    profile.waits = named.waits;
    let dag = read_dag(&record_of(file), &profile);
    Ok((profile, dag))
}

/// The task dag in `record`, which belongs to `profile`. None if there is no such file, or, with a
/// warning, if it cannot be used.
pub(crate) fn read_dag(record: &Path, profile: &Profile) -> Option<Dag> {
    if !record.exists() {
        return None;
    }
    let read = || {
        let dag = stream::read(record)?.dag;
        dag.check(profile.tree.len(), profile.sites.len())?;
        anyhow::Ok(dag)
    };
    read()
        .inspect_err(|error| message::warning(format_args!("there is no task dag: {error:#}")))
        .ok()
}

/// The facts about a program that ran on this machine and ended with `exit`, without its command
/// and the time of its start.
pub(crate) fn launch_on_this_machine(exit: Exit) -> raw::Launch {
    raw::Launch {
        command: Vec::new(),
        exit,
        started_at: 0,
        processor: machine::processor(),
        os: consts::OS.to_owned(),
        architecture: consts::ARCH.to_owned(),
        workspan_version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// Warns if the program is missing or was rebuilt after it wrote its record: the addresses in the
/// record are then wrong.
pub(crate) fn warn_if_changed(program: &str, written_at: Option<SystemTime>) {
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
