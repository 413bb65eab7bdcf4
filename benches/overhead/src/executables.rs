//! Building the programs twice, plain and profiled, and where the results lie.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

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
    /// The target directory of both builds; the profiled one lies in its folder `workspan`.
    target: PathBuf,
}

impl Executables {
    /// Builds the `workspan` commands of this repository, and with them the suite, in the folder
    /// `overhead` of this repository's target directory.
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
        run(
            Command::new(env!("CARGO"))
                .args(["build", "--release", "--quiet", "--package", "workspan-cli"])
                .arg("--target-dir")
                .arg(&executables.base),
            "building workspan",
        )?;
        run(
            Command::new(env!("CARGO"))
                .args(["build", "--release", "--quiet"])
                .args(["--package", "workspan-suite", "--bins", "--target-dir"])
                .arg(&executables.target),
            "building the suite",
        )?;
        // The suite's integration test needs all its programs.
        run(
            Command::new(executables.cargo_workspan())
                .args(["workspan", "test", "--release", "--quiet", "--no-run"])
                .args(["--package", "workspan-suite", "--test", "answers"])
                .arg("--target-dir")
                .arg(&executables.target),
            "building the suite with the profiler",
        )?;
        Ok(executables)
    }

    /// Builds one of the case studies too. There is no `cargo workspan build` for an example, so
    /// it is run, with arguments that leave it nothing to do.
    ///
    /// # Errors
    /// A build fails, or the profiled program does.
    pub fn build_example(&self, example: &str, least: &[&str]) -> anyhow::Result<()> {
        self.build_plain_example(example)?;
        run(
            Command::new(self.cargo_workspan())
                .args(["workspan", "run", "--release", "--quiet", "--no-report"])
                .args(["--package", "workspan-examples", "--example", example])
                .arg("--target-dir")
                .arg(&self.target)
                .arg("--")
                .args(least),
            &format!("building {example} with the profiler"),
        )
    }

    /// Builds one of the case studies, without the profiler only.
    ///
    /// # Errors
    /// The build fails.
    pub fn build_plain_example(&self, example: &str) -> anyhow::Result<()> {
        run(
            Command::new(env!("CARGO"))
                .args(["build", "--release", "--quiet"])
                .args(["--package", "workspan-examples", "--example", example])
                .arg("--target-dir")
                .arg(&self.target),
            &format!("building {example}"),
        )
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

/// Runs a command to its end; what it prints is shown only if it fails.
fn run(command: &mut Command, doing: &str) -> anyhow::Result<()> {
    let output = command
        .current_dir(root())
        .output()
        .with_context(|| format!("{doing}: cannot start {command:?}"))?;
    ensure!(
        output.status.success(),
        "{doing} failed with {}; the command was {command:?}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}
