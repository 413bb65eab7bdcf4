//! The rustc wrapper and the runners in the user's cargo configuration. Workspan's own replace
//! them, and then start them.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use cargo_config2::{Config, TargetTripleRef};
use serde::Deserialize;

/// The user's own wrapper and runners.
#[derive(Debug, Default)]
pub(super) struct UserConfig {
    /// Program that cargo would start in place of rustc.
    pub(super) wrapper: Option<PathBuf>,
    /// Target triples of the build.
    pub(super) triples: Vec<String>,
    /// Program and arguments that cargo would run programs with, by target triple.
    pub(super) runners: BTreeMap<String, Vec<String>>,
}

/// The part of a `--config` argument that is read here.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct CommandLineConfig {
    build: CommandLineBuild,
    target: BTreeMap<String, CommandLineTarget>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct CommandLineBuild {
    rustc_wrapper: Option<PathBuf>,
    target: Option<OneOrMany>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CommandLineTarget {
    runner: Option<OneOrMany>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    /// A program and its arguments. A single string is split at spaces, as cargo does.
    fn into_words(self) -> Vec<String> {
        match self {
            Self::One(text) => text.split_whitespace().map(str::to_owned).collect(),
            Self::Many(words) => words,
        }
    }
}

impl UserConfig {
    /// Reads cargo's configuration for the current folder, from files and environment variables.
    ///
    /// `targets` are the values of `--target`, `overrides` those of `--config`.
    ///
    /// # Errors
    /// If a configuration file cannot be read.
    pub(super) fn load(targets: &[String], overrides: &[OsString]) -> anyhow::Result<Self> {
        let config = Config::load().context("cannot read cargo's configuration")?;
        let mut user = Self {
            wrapper: config.build.rustc_wrapper.clone(),
            triples: Vec::new(),
            runners: BTreeMap::new(),
        };
        let overrides: Vec<CommandLineConfig> =
            overrides.iter().filter_map(|value| parse(value)).collect();
        let mut targets = targets.to_owned();
        for config in overrides {
            // The variable RUSTC_WRAPPER overrides every configuration.
            if env::var_os("RUSTC_WRAPPER").is_none() {
                user.wrapper = config.build.rustc_wrapper.or(user.wrapper);
            }
            if let (Some(chosen), true) = (config.build.target, targets.is_empty()) {
                targets = match chosen {
                    OneOrMany::One(triple) => vec![triple],
                    OneOrMany::Many(triples) => triples,
                };
            }
            for (triple, target) in config.target {
                if let Some(runner) = target.runner {
                    user.runners.insert(triple, runner.into_words());
                }
            }
        }
        user.wrapper = user.wrapper.filter(|path| !path.as_os_str().is_empty());

        let triples = targets.iter().map(|triple| match triple.as_str() {
            "host-tuple" => config.host_triple().map(TargetTripleRef::from),
            triple => Ok(TargetTripleRef::from(triple)),
        });
        let triples = config.build_target_for_config(triples.collect::<Result<Vec<_>, _>>()?)?;
        for triple in triples {
            let name = triple.triple().to_owned();
            if !user.runners.contains_key(&name)
                && let Some(runner) = config.runner(&triple)?
            {
                user.runners
                    .insert(name.clone(), words(&runner.path, &runner.args));
            }
            user.triples.push(name);
        }
        Ok(user)
    }
}

/// Parses a `--config` argument: a file, or `key = value`. Cargo refuses anything else.
fn parse(argument: &OsStr) -> Option<CommandLineConfig> {
    let text = if Path::new(argument).is_file() {
        fs::read_to_string(argument).ok()?
    } else {
        argument.to_str()?.to_owned()
    };
    toml::from_str(&text).ok()
}

fn words(program: &Path, arguments: &[OsString]) -> Vec<String> {
    std::iter::once(program.as_os_str())
        .chain(arguments.iter().map(OsString::as_os_str))
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_configuration_is_parsed() {
        let config = parse(OsStr::new(
            "target.x86_64-unknown-linux-gnu.runner = 'env -i'",
        ))
        .unwrap();
        let runner = config.target.into_values().next().unwrap().runner.unwrap();
        assert_eq!(runner.into_words(), ["env", "-i"]);
        let config = parse(OsStr::new("build.rustc-wrapper = 'sccache'")).unwrap();
        assert_eq!(config.build.rustc_wrapper, Some("sccache".into()));
        assert!(parse(OsStr::new("net.retry = 3")).is_some());
        assert!(parse(OsStr::new("not toml")).is_none());
    }
}
