//! One profile of one program.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A run of a program under `cargo workspan`, with default timing.
pub struct Profiled {
    output: Output,
    profile: Value,
}

impl Profiled {
    /// Has cargo build and run a program of this workspace: `target` tells cargo which, the program gets `arguments`.
    pub fn run(target: &[&str], arguments: &[&str]) -> Result<Self, String> {
        let directory = std::env::current_exe()
            .map_err(|error| error.to_string())?
            .with_file_name("");
        let results: PathBuf = directory.join(format!("accuracy-{}.json", std::process::id()));
        let output = Command::new(directory.join("cargo-workspan"))
            .args(["workspan", "run", "--release", "--no-report"])
            .args(target)
            .arg("--json")
            .arg(&results)
            .arg("--")
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("cannot run cargo-workspan: {error}"))?;
        let profile = std::fs::read(&results);
        let _ = std::fs::remove_file(&results);
        let mut profiled = Profiled {
            output,
            profile: Value::Null,
        };
        profiled.profile = profile
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok())
            .filter(|profile| profile["totals"].is_object())
            .ok_or_else(|| profiled.failed("no profile"))?;
        Ok(profiled)
    }

    /// A number among the totals of the profile: the keys that lead to it.
    pub fn total(&self, keys: &[&str]) -> Result<f64, String> {
        keys.iter()
            .fold(&self.profile["totals"], |value, key| &value[key])
            .as_f64()
            .ok_or_else(|| self.failed(&format!("no {}", keys.join("."))))
    }

    /// Parallelism of the site with the most work, which leaves out the program's start and end.
    pub fn parallelism_of_main_site(&self) -> Result<f64, String> {
        let sites = self.profile["sites"].as_array();
        let on_work = sites
            .into_iter()
            .flatten()
            .filter(|site| site["kind"] != "root")
            .map(|site| &site["on_work"]);
        on_work
            .max_by_key(|on_work| on_work["work_ns"].as_u64())
            .and_then(|on_work| on_work["parallelism"].as_f64())
            .ok_or_else(|| self.failed("no site"))
    }

    /// The JSON that the program itself printed.
    pub fn printed(&self) -> Result<Value, String> {
        serde_json::from_slice(&self.output.stdout)
            .map_err(|_| self.failed("no figures of the program's own"))
    }

    fn failed(&self, what: &str) -> String {
        format!(
            "{what}; its standard error was\n{}",
            String::from_utf8_lossy(&self.output.stderr)
        )
    }
}
