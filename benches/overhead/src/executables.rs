//! Builds the programs twice, plain and profiled, and knows where the results are.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use crate::run_silently;

/// Where programs come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The benchmark suite, `benches/suite`.
    Suite,
    /// The case studies, `examples`.
    Examples,
}

/// The executables of the benchmark suite and, on demand, of the case studies.
#[derive(Debug)]
pub struct Executables {
    /// The target directory of workspan itself.
    base: PathBuf,
    /// The target directory of both builds; the profiled one is in its folder `workspan`.
    target: PathBuf,
}

impl Executables {
    /// Builds the `workspan` commands of this repository, and with them the suite, the latter in
    /// the folder `overhead` of the repository's target directory.
    ///
    /// # Errors
    /// A build fails.
    pub fn build() -> anyhow::Result<Self> {
        let base = match env::var_os("CARGO_TARGET_DIR") {
            Some(directory) => env::current_dir()?.join(directory),
            None => root().join("target"),
        };
        let executables = Executables {
            target: base.join("overhead"),
            base,
        };
        run(Command::new(env!("CARGO"))
            .args(["build", "--release", "--quiet", "--package", "workspan-cli"])
            .arg("--target-dir")
            .arg(&executables.base))?;
        run(Command::new(env!("CARGO"))
            .args(["build", "--release", "--quiet"])
            .args(["--package", "workspan-suite", "--bins", "--target-dir"])
            .arg(&executables.target))?;
        // The suite's integration test needs all its programs.
        run(Command::new(executables.cargo_workspan())
            .args(["workspan", "test", "--release", "--quiet", "--no-run"])
            .args(["--package", "workspan-suite", "--test", "answers"])
            .arg("--target-dir")
            .arg(&executables.target))?;
        Ok(executables)
    }

    /// Builds one of the case studies, plain and profiled. There is no `cargo workspan build` for
    /// an example, so it is run, with arguments `least` that leave it nothing to do.
    ///
    /// # Errors
    /// A build fails, or the profiled program does.
    pub fn build_example(&self, example: &str, least: &[&str]) -> anyhow::Result<()> {
        self.build_plain_example(example)?;
        run(Command::new(self.cargo_workspan())
            .args(["workspan", "run", "--release", "--quiet", "--no-report"])
            .args(["--package", "workspan-examples", "--example", example])
            .arg("--target-dir")
            .arg(&self.target)
            .arg("--")
            .args(least))
    }

    /// Builds one of the case studies, only without the profiler.
    ///
    /// # Errors
    /// The build fails.
    pub fn build_plain_example(&self, example: &str) -> anyhow::Result<()> {
        run(Command::new(env!("CARGO"))
            .args(["build", "--release", "--quiet"])
            .args(["--package", "workspan-examples", "--example", example])
            .arg("--target-dir")
            .arg(&self.target))
    }

    /// The target directory of the plain builds.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The `cargo workspan` command.
    pub fn cargo_workspan(&self) -> PathBuf {
        self.base.join("release/cargo-workspan")
    }

    /// The `workspan` command.
    pub fn workspan(&self) -> PathBuf {
        self.base.join("release/workspan")
    }

    /// The plain build of a program.
    pub fn plain(&self, group: Group, name: &str) -> PathBuf {
        self.target.join(folder(group)).join(name)
    }

    /// The profiled build of a program.
    pub fn profiled(&self, group: Group, name: &str) -> PathBuf {
        self.target.join("workspan").join(folder(group)).join(name)
    }
}

fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    folder
        .expect("this package is two folders below the root")
        .to_owned()
}

fn folder(group: Group) -> &'static str {
    match group {
        Group::Suite => "release",
        Group::Examples => "release/examples",
    }
}

/// Runs a command that builds something. What it prints is only shown if it fails.
fn run(command: &mut Command) -> anyhow::Result<()> {
    run_silently(command.current_dir(root()))
        .map(drop)
        .context("a build failed")
}
