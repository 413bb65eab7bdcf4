//! The file of the runs that are compared.

use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use workspan_format::{read_file, replace_file};
use workspan_model::{DIFFERENTIAL_VERSION, Differential};

use crate::stored::begins_with;
pub(super) use crate::sweep::check_writable;

/// What such a file begins with, and no other.
const BEGINNING: &[u8] = b"{\"differential_version\":";

/// Whether it is such a file.
pub(crate) fn is_kept(file: &Path) -> bool {
    begins_with(file, BEGINNING)
}

/// The runs in `file`.
///
/// # Errors
/// When the file cannot be read, or holds none that this version knows.
pub(crate) fn read(file: &Path) -> anyhow::Result<Differential> {
    let text = read_file(file).map_err(anyhow::Error::from);
    text.and_then(|text| decode(&text))
        .with_context(|| file.display().to_string())
}

/// The runs in the contents of their file.
///
/// # Errors
/// When they hold none that this version knows.
pub(crate) fn decode(text: &[u8]) -> anyhow::Result<Differential> {
    #[derive(serde::Deserialize)]
    struct Version {
        differential_version: u32,
    }
    let Version {
        differential_version: version,
    } = serde_json::from_slice(text).context("it holds no runs to compare")?;
    if version != DIFFERENTIAL_VERSION {
        bail!("it is of version {version}, and this workspan knows version {DIFFERENTIAL_VERSION}");
    }
    let differential: Differential = serde_json::from_slice(text).context("it is damaged")?;
    differential
        .check()
        .map_err(|problem| anyhow!("it is damaged: {problem}"))?;
    Ok(differential)
}

/// Writes the runs, so that the file is whole at any time.
pub(super) fn write(file: &Path, differential: &Differential) -> anyhow::Result<()> {
    let text = serde_json::to_vec(differential)?;
    replace_file(file, &text).with_context(|| format!("cannot write {}", file.display()))
}
