//! Building the case studies twice, plain and profiled, and where the results lie.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

use crate::programs::PROGRAMS;

/// The executables of the case studies, all built.
#[derive(Debug)]
pub(crate) struct Executables {
    /// The target directory of both builds; the profiled one lies in its folder `workspan`.
    target: PathBuf,
}

impl Executables {
    /// Builds them in the folder `overhead` of this repository's target directory, with the
    /// `cargo-workspan` of this repository.
    ///
    /// # Errors
    /// A build fails, or a profiled program does.
    pub(crate) fn build() -> anyhow::Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let base = match env::var_os("CARGO_TARGET_DIR") {
            Some(directory) => env::current_dir()?.join(directory),
            None => root.join("target"),
        };
        let executables = Executables {
            target: base.join("overhead"),
        };
        let cargo = |arguments: &[&str]| {
            let mut command = Command::new(env!("CARGO"));
            command.arg(arguments[0]).arg("--release").arg("--quiet");
            command.args(&arguments[1..]).current_dir(&root);
            command
        };
        succeed(
            cargo(&["build", "--package", "workspan-cli", "--target-dir"]).arg(&base),
            "building cargo-workspan",
        )?;
        succeed(
            cargo(&["build", "--package", "workspan-examples", "--examples"])
                .arg("--target-dir")
                .arg(&executables.target),
            "building the examples",
        )?;
        let scratch = tempfile::tempdir().context("cannot make a folder for profiles")?;
        for program in &PROGRAMS {
            // There is no `cargo workspan build`: a run without work to do leaves the program.
            let mut command = Command::new(base.join("release/cargo-workspan"));
            command
                .args(["workspan", "run", "--release", "--quiet"])
                .args(["--package", "workspan-examples"])
                .args(["--example", program.example, "--target-dir"])
                .arg(&executables.target)
                .arg("-o")
                .arg(scratch.path().join("profile.wsp"))
                .arg("--")
                .args(program.least)
                .current_dir(&root);
            succeed(&mut command, &format!("profiling {}", program.name))?;
        }
        Ok(executables)
    }

    /// The plain build of an example.
    pub(crate) fn plain(&self, example: &str) -> PathBuf {
        self.target.join("release/examples").join(example)
    }

    /// The profiled build of an example.
    pub(crate) fn profiled(&self, example: &str) -> PathBuf {
        self.target.join("workspan/release/examples").join(example)
    }
}

/// Runs a command to its end; what it prints is shown only if it fails.
fn succeed(command: &mut Command, doing: &str) -> anyhow::Result<()> {
    let output = command
        .output()
        .with_context(|| format!("{doing}: cannot start {command:?}"))?;
    ensure!(
        output.status.success(),
        "{doing} failed with {}:\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}
