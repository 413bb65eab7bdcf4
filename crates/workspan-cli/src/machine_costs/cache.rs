//! The file that keeps the costs of a machine.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use workspan_format::replace_file;
use workspan_model::MachineCosts;

use crate::{cache, machine};

/// The version of the file.
const VERSION: u32 = 1;

/// The contents of the file, which `docs/format.md` describes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct KnownCosts {
    version: u32,
    machine: MachineKey,
    /// In seconds since 1970-01-01 UTC.
    pub(crate) measured_at: u64,
    /// Times are nanoseconds.
    pub(crate) costs: MachineCosts,
}

/// Identifies a machine by what its costs depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct MachineKey {
    processor: Option<String>,
    cores: u32,
    kernel: Option<String>,
}

/// Only the version of a file, which may be another one.
#[derive(Deserialize)]
struct AnyVersion {
    version: u32,
}

/// What the cache knows of this machine.
#[derive(Debug, PartialEq)]
pub(super) enum Known {
    Costs(Box<KnownCosts>),
    /// Nothing, for the given reason.
    Nothing(&'static str),
}

impl MachineKey {
    fn of_this_machine() -> Self {
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").ok();
        Self {
            processor: machine::processor(),
            cores: machine::cores(),
            kernel: kernel.map(|release| release.trim().to_owned()),
        }
    }
}

impl KnownCosts {
    pub(super) fn of_this_machine(costs: MachineCosts, measured_at: u64) -> Self {
        Self {
            version: VERSION,
            machine: MachineKey::of_this_machine(),
            measured_at,
            costs,
        }
    }

    pub(crate) fn to_json(&self) -> anyhow::Result<Vec<u8>> {
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        Ok(text)
    }
}

/// The file: `workspan/machine-costs.json` in the user's cache folder (`XDG_CACHE_HOME`,
/// `~/.cache`).
pub(super) fn file() -> anyhow::Result<PathBuf> {
    Ok(cache::folder()?.join("machine-costs.json"))
}

/// What `file` knows of this machine.
pub(super) fn read(file: &Path) -> anyhow::Result<Known> {
    let text = match fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Known::Nothing("nothing was measured on this machine yet"));
        }
        text => text.with_context(|| file.display().to_string())?,
    };
    Ok(parse(&text, &MachineKey::of_this_machine()))
}

fn parse(text: &str, machine: &MachineKey) -> Known {
    match serde_json::from_str(text).map(|AnyVersion { version }| version) {
        Ok(VERSION) => {}
        Ok(_) => return Known::Nothing("what is kept is of another version of workspan"),
        Err(_) => return Known::Nothing("what is kept cannot be read"),
    }
    match serde_json::from_str::<KnownCosts>(text) {
        Ok(known) if known.machine == *machine => Known::Costs(Box::new(known)),
        Ok(_) => Known::Nothing("what is kept is of another machine, or of another kernel"),
        Err(_) => Known::Nothing("what is kept cannot be read"),
    }
}

pub(super) fn write(file: &Path, known: &KnownCosts) -> anyhow::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    replace_file(file, &known.to_json()?).with_context(|| file.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_costs_of_this_machine_are_known() {
        let known = KnownCosts::of_this_machine(MachineCosts::default(), 7);
        let text = String::from_utf8(known.to_json().unwrap()).unwrap();
        let here = MachineKey::of_this_machine();
        assert_eq!(parse(&text, &here), Known::Costs(Box::new(known.clone())));
        let elsewhere = [
            MachineKey {
                processor: Some("Another CPU".to_owned()),
                ..here.clone()
            },
            MachineKey {
                cores: here.cores + 1,
                ..here.clone()
            },
            MachineKey {
                kernel: None,
                ..here.clone()
            },
        ];
        for machine in elsewhere {
            let Known::Nothing(why) = parse(&text, &machine) else {
                panic!("{machine:?}");
            };
            assert!(why.contains("another machine"), "{why}");
        }
        let reason = |text: &str| match parse(text, &here) {
            Known::Nothing(why) => why,
            Known::Costs(_) => panic!("{text}"),
        };
        assert!(reason("{\"version\": 2}").contains("another version"));
        assert!(reason("{\"version\": 1}").contains("cannot be read"));
        assert!(reason("").contains("cannot be read"));
    }
}
