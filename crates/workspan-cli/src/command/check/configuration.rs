//! Reads `workspan.toml`.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use serde::de::{Deserialize, Deserializer, Error as _};
use workspan_model::{Profile, Quantity, Threshold};

use super::limit::Limit;
use super::limits::{self, Limits};
use crate::baselines::{CONFIGURATION, Stored};

/// The configuration of `workspan check`.
#[derive(Debug, Default)]
pub(super) struct Configuration {
    file: PathBuf,
    contents: Contents,
}

fn parse(text: &str) -> anyhow::Result<Contents> {
    toml::from_str(text).map_err(|error| anyhow!("{error}"))
}

/// Parses the text alone, for `fuzzing.rs`.
#[cfg(any(fuzzing, test))]
pub(crate) fn parse_configuration(text: &str) {
    let _ = parse(text);
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Contents {
    check: Check,
    /// The limits of the program.
    thresholds: Limits,
    /// The limits of sites and regions, by words that refer to them.
    site: BTreeMap<String, Limits>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Check {
    #[serde(deserialize_with = "stored")]
    baseline: Option<Stored>,
    strict: bool,
}

fn stored<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Stored>, D::Error> {
    let words = String::deserialize(deserializer)?;
    words.parse().map(Some).map_err(D::Error::custom)
}

impl Configuration {
    /// Reads the file `given`, or else `workspan.toml` in the nearest folder from the current one
    /// upwards. Empty if there is none.
    ///
    /// # Errors
    /// If the file cannot be read, or has an unknown key or a malformed value; with the line.
    pub(super) fn find(given: Option<&Path>) -> anyhow::Result<Self> {
        let file = match given {
            Some(file) => Some(file.to_owned()),
            None => {
                let current = env::current_dir()?;
                let mut files = current.ancestors().map(|folder| folder.join(CONFIGURATION));
                files.find(|file| file.is_file())
            }
        };
        let Some(file) = file else {
            return Ok(Self::default());
        };
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let mut contents = parse(&text).with_context(|| file.display().to_string())?;
        // The path of a file is relative to the configuration.
        if let Some(Stored::File(path)) = &mut contents.check.baseline {
            let folder = file.parent().unwrap_or(Path::new(""));
            *path = folder.join(&path);
        }
        Ok(Self { file, contents })
    }

    pub(super) const fn baseline(&self) -> Option<&Stored> {
        self.contents.check.baseline.as_ref()
    }

    /// Whether a threshold also fails if it is only possibly exceeded.
    pub(super) const fn is_strict(&self) -> bool {
        self.contents.check.strict
    }

    /// The thresholds for `profile`. `options` replace those of the program with the same name.
    ///
    /// # Errors
    /// If a limit does not suit its figure; with the name of the figure.
    pub(super) fn thresholds(
        &self,
        options: &Limits,
        profile: &Profile,
    ) -> anyhow::Result<Vec<Threshold>> {
        let is_time = profile.run.is_of_time();
        let threshold = |site: Option<&String>, quantity: Quantity, limit: Limit| {
            let limit = limit.for_quantity(quantity, is_time);
            let limit = limit.map_err(|error| anyhow!("{}: {error}", limits::name(quantity)))?;
            anyhow::Ok(Threshold {
                quantity,
                site: site.cloned(),
                limit,
            })
        };
        let mut thresholds = Vec::new();
        for quantity in Quantity::ALL {
            if let Some(limit) = options.get(quantity) {
                thresholds.push(threshold(None, quantity, limit)?);
            } else if let Some(limit) = self.contents.thresholds.get(quantity) {
                let configured = threshold(None, quantity, limit);
                thresholds.push(configured.with_context(|| self.file.display().to_string())?);
            }
        }
        for (site, limits) in &self.contents.site {
            for (quantity, limit) in limits.given() {
                let of_site = threshold(Some(site), quantity, limit);
                let place = || format!("{}: site `{site}`", self.file.display());
                thresholds.push(of_site.with_context(place)?);
            }
        }
        Ok(thresholds)
    }
}
