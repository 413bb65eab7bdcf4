//! The file of runs to compare.

use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use workspan_format::read_file;
use workspan_model::{DIFFERENTIAL_VERSION, Differential};

use crate::stored::begins_with;

/// The beginning of such a file, and of no other.
const BEGINNING: &[u8] = b"{\"differential_version\":";

/// Whether `file` holds runs to compare.
pub(crate) fn is_kept(file: &Path) -> bool {
    begins_with(file, BEGINNING)
}

/// The runs in `file`.
///
/// # Errors
/// When the file cannot be read, or holds no runs of this version.
pub(crate) fn read(file: &Path) -> anyhow::Result<Differential> {
    let text = read_file(file).map_err(anyhow::Error::from);
    text.and_then(|text| decode(&text))
        .with_context(|| file.display().to_string())
}

/// The runs in the contents of their file.
///
/// # Errors
/// When they hold no runs of this version.
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
