//! Runs a command.

use std::process::Command;

use anyhow::{Context as _, ensure};

/// Runs a command to its end. Returns what it writes to standard output.
///
/// # Errors
/// It cannot be started or fails; the error includes what it writes to standard error.
pub fn run_silently(command: &mut Command) -> anyhow::Result<Vec<u8>> {
    let output = command
        .output()
        .with_context(|| format!("cannot start {command:?}"))?;
    ensure!(
        output.status.success(),
        "{command:?} ended with {}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(output.stdout)
}
