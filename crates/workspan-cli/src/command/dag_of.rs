//! Reads profiles that must have a task dag.

use std::path::Path;

use anyhow::anyhow;
use workspan_model::{Dag, Profile};

use crate::exit_code::{Failure, OrExit as _, PROFILE};
use crate::stored;

/// The profile in `file` and its task dag.
///
/// # Errors
/// If the file cannot be read, or has no dag.
pub(super) fn dag_of(file: &Path) -> Result<(Profile, Dag), Failure> {
    let (profile, dag) = stored::read(file).or_exit(PROFILE)?;
    let dag = dag.ok_or_else(|| missing(file))?;
    Ok((profile, dag))
}

/// The error that the profile in `file` has no dag.
pub(super) fn missing(file: &Path) -> Failure {
    let error = anyhow!(
        "{} holds no task dag; profile with `--record` (the default) instead of `--no-record`",
        file.display()
    );
    Failure::new(PROFILE, error)
}
