//! Where this checkout and its builds are.

use std::env;
use std::path::PathBuf;

use anyhow::Context as _;

/// The checkout that contains the current folder.
pub(crate) fn root() -> anyhow::Result<PathBuf> {
    let here = env::current_dir().context("there is no present folder")?;
    let mut folders = here.ancestors();
    let root = folders.find(|folder| folder.join("ci/goals.toml").exists());
    Ok(root.context("no ci/goals.toml here or above")?.to_owned())
}

/// Its target folder.
pub(crate) fn target() -> anyhow::Result<PathBuf> {
    Ok(match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => env::current_dir()?.join(folder),
        None => root()?.join("target"),
    })
}
