//! The figures that are known to miss their goals, `ci/misses.toml`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use serde::Deserialize;

use crate::{Form, Goals};

/// An accepted miss.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Miss {
    /// The figure of the full form.
    full: Option<f64>,
    /// The figure of the short form.
    short: Option<f64>,
    /// Some machines, or a quiet hour, meet the goal, so the entry stays even if it is met.
    #[serde(default)]
    pub sometimes: bool,
    /// When it was measured, YYYY-MM-DD.
    pub date: String,
    /// Why it misses.
    pub reason: String,
}

impl Miss {
    /// The known figure of a form; `None` if that form must meet the goal.
    pub fn figure(&self, form: Form) -> Option<f64> {
        form.select(self.full, self.short)
    }

    /// The figure to show: that of the full form, if it is known.
    pub(crate) fn shown(&self) -> Option<f64> {
        self.full.or(self.short)
    }
}

/// All accepted misses, by gate.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct Misses(BTreeMap<String, Miss>);

impl Misses {
    /// Reads `ci/misses.toml` below `root`.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(root: &Path) -> anyhow::Result<Self> {
        let path = root.join("ci/misses.toml");
        let text = fs::read_to_string(&path)
            .with_context(|| format!("{} cannot be read", path.display()))?;
        Self::parse(&text).with_context(|| format!("{} is damaged", path.display()))
    }

    pub(crate) fn parse(text: &str) -> anyhow::Result<Self> {
        Ok(toml::from_str(text)?)
    }

    /// The accepted miss of a gate.
    pub fn of_gate(&self, gate: &str) -> Option<&Miss> {
        self.0.get(gate)
    }

    /// All accepted misses, with their gates.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Miss)> {
        self.0.iter().map(|(gate, miss)| (gate.as_str(), miss))
    }

    /// Checks every miss against its goal.
    ///
    /// # Errors
    /// A miss has no goal, no figure, a figure that meets the goal, no reason, or no date.
    pub fn check(&self, goals: &Goals) -> anyhow::Result<()> {
        for (gate, miss) in self.all() {
            let goal = goals.of_gate(gate)?;
            let figures: Vec<f64> = [miss.full, miss.short].into_iter().flatten().collect();
            ensure!(!figures.is_empty(), "{gate}: a miss without a figure");
            if let Some(met) = figures.iter().find(|&&figure| goal.hold(figure)) {
                bail!("{gate}: {met} meets the goal, so it is no miss");
            }
            let has_reason = !matches!(miss.reason.as_str(), "" | "…");
            ensure!(has_reason, "{gate}: a miss without a reason");
            let is_date = miss.date.len() == 10 && miss.date.split('-').count() == 3;
            ensure!(is_date, "{gate}: {:?} is no date", miss.date);
        }
        Ok(())
    }
}
