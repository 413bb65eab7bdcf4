//! A program of this workspace, built plain and for profiling.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use anyhow::{Context as _, ensure};
use serde_json::Value;
use workspan_gate::Form;

/// A program that can be profiled, run after run, without cargo.
pub struct Program {
    /// Where cargo puts the tools and plain programs.
    folder: PathBuf,
    /// The executable in such a folder.
    file: &'static str,
}

impl Program {
    /// Builds the program for profiling as a user does: `target` names it for cargo, which also
    /// runs it, with `arguments` that give it nothing to do.
    pub fn build(
        target: &[&str],
        file: &'static str,
        arguments: &[&str],
    ) -> anyhow::Result<Program> {
        let folder = std::env::current_exe()?.with_file_name("");
        let mut command = Command::new(folder.join("cargo-workspan"));
        command
            .args(["workspan", "run", "--release", "--no-report"])
            .args(target)
            .arg("--")
            .args(arguments);
        output(&mut command)?;
        Ok(Program { folder, file })
    }

    /// What the plain program prints, with one thread.
    pub fn run_plain(&self, arguments: &[&str]) -> anyhow::Result<Vec<u8>> {
        let mut command = Command::new(self.folder.join(self.file));
        command.args(arguments).env("RAYON_NUM_THREADS", "1");
        Ok(output(&mut command)?.stdout)
    }

    /// Profiles the program once, with default options but for the number of threads.
    pub fn profile(&self, arguments: &[&str], threads: Option<usize>) -> anyhow::Result<Profile> {
        let results = tempfile::NamedTempFile::new()?;
        let mut command = Command::new(self.folder.join("workspan"));
        command
            .args(["run", "--no-report", "--json"])
            .arg(results.path());
        if let Some(threads) = threads {
            command.args(["--threads", &threads.to_string()]);
        }
        command
            .arg("--")
            .arg(
                self.folder
                    .with_file_name("workspan/release")
                    .join(self.file),
            )
            .args(arguments);
        let printed = output(&mut command)?.stdout;
        let results = serde_json::from_slice(&std::fs::read(results.path())?)
            .with_context(|| format!("{command:?} wrote no profile"))?;
        Ok(Profile { results, printed })
    }
}

/// Whether a program is measured: if it is among the `names`, or without names if the form has it.
pub fn is_chosen(name: &str, names: &[String], form: Form, short: &[&str]) -> bool {
    if names.is_empty() {
        form == Form::Full || short.contains(&name)
    } else {
        names.iter().any(|named| named == name)
    }
}

/// The output of a command, if it succeeds.
fn output(command: &mut Command) -> anyhow::Result<Output> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {command:?}"))?;
    ensure!(
        output.status.success(),
        "{command:?} failed:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(output)
}

/// One profile of a program.
pub struct Profile {
    /// The report's JSON.
    pub results: Value,
    /// What the program itself printed.
    pub printed: Vec<u8>,
}

impl Profile {
    /// The figures of the region, or of the whole program.
    pub fn figures(&self, region: Option<&str>) -> anyhow::Result<&Value> {
        let Some(name) = region else {
            return Ok(&self.results["totals"]);
        };
        let regions = self.results["regions"].as_array();
        let found = regions
            .into_iter()
            .flatten()
            .find(|region| region["name"] == name);
        Ok(&found.with_context(|| format!("no region {name} in the profile"))?["sum"])
    }

    /// Parallelism of the site with the most work, which leaves out the program's start and end.
    pub fn parallelism_of_main_site(&self) -> anyhow::Result<f64> {
        let sites = self.results["sites"].as_array();
        let on_work = sites
            .into_iter()
            .flatten()
            .filter(|site| site["kind"] != "root")
            .map(|site| &site["on_work"]);
        let most = on_work.max_by_key(|on_work| on_work["work_ns"].as_u64());
        number(most.context("no site in the profile")?, &["parallelism"])
    }
}

/// The number that `keys` lead to.
pub fn number(from: &Value, keys: &[&str]) -> anyhow::Result<f64> {
    keys.iter()
        .fold(from, |value, key| &value[key])
        .as_f64()
        .with_context(|| format!("no {} in {from}", keys.join(".")))
}
