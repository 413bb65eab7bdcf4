//! The JSON of a profile.

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use serde_json::Value;
use tempfile::TempDir;

/// What one profiled run left.
#[derive(Debug)]
pub(crate) struct Profile {
    folder: TempDir,
    /// The report's JSON.
    pub(crate) json: Value,
    /// What the program itself printed.
    pub(crate) printed: String,
}

impl Profile {
    /// Reads what a run has written into `folder`, and takes the folder.
    pub(crate) fn read(folder: TempDir, printed: Vec<u8>) -> anyhow::Result<Self> {
        let json = fs::read(folder.path().join("json")).context("there is no profile")?;
        Ok(Profile {
            folder,
            json: serde_json::from_slice(&json)?,
            printed: String::from_utf8(printed)?,
        })
    }

    /// The kept profile, with its task dag; it goes with this.
    pub(crate) fn kept(&self) -> PathBuf {
        self.folder.path().join("wsp")
    }

    /// The figures of the region, or of the whole program.
    pub(crate) fn figures(&self, region: Option<&str>) -> anyhow::Result<&Value> {
        let Some(name) = region else {
            return Ok(&self.json["totals"]);
        };
        let region = array(&self.json, "/regions")?
            .iter()
            .find(|region| region["name"] == name);
        Ok(&region.with_context(|| format!("no region {name} in the profile"))?["sum"])
    }

    /// The computation of a program of the suite, without the making of its input and the check: the
    /// scope with the most work.
    pub(crate) fn computation(&self) -> anyhow::Result<&Value> {
        let scopes = array(&self.json, "/sites")?
            .iter()
            .filter(|site| site["kind"] == "scope");
        let largest = scopes.max_by_key(|site| site["on_work"]["work_ns"].as_i64());
        Ok(&largest.context("the profile has no scope")?["on_work"])
    }
}

/// The number that a pointer leads to.
pub(crate) fn number(from: &Value, pointer: &str) -> anyhow::Result<f64> {
    let found = from.pointer(pointer).and_then(Value::as_f64);
    found.with_context(|| format!("no {pointer} in {from}"))
}

/// The array that a pointer leads to.
pub(crate) fn array<'a>(from: &'a Value, pointer: &str) -> anyhow::Result<&'a Vec<Value>> {
    let found = from.pointer(pointer).and_then(Value::as_array);
    found.with_context(|| format!("no {pointer} in the document"))
}

/// A text, if there is one.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("(unknown)")
}
