//! The goals of all gates, `ci/goals.toml`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};

use crate::figure::short;
use crate::{Form, Limits};

/// The bounds of a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// The least that it may be.
    pub least: f64,
    /// The most that it may be.
    pub most: f64,
    /// Its unit, for a reader.
    #[serde(default)]
    pub unit: String,
    /// What the figure is, for a reader.
    #[serde(default)]
    pub what: String,
    /// The only form that has the figure; `None` if both have it.
    #[serde(default)]
    pub only: Option<Form>,
    /// Whether there is a figure depends on another goal.
    #[serde(default)]
    pub depends: bool,
}

impl Bounds {
    /// Whether the figure is within the bounds.
    pub fn hold(&self, figure: f64) -> bool {
        (self.least..=self.most).contains(&figure)
    }

    /// How far a figure is out of bounds.
    pub(crate) fn distance(&self, figure: f64) -> f64 {
        (figure - self.most).max(self.least - figure).max(0.0)
    }

    /// Both bounds with their unit.
    pub(crate) fn shown(&self) -> String {
        let bounds = if self.least == self.most {
            short(self.least)
        } else {
            format!("{} … {}", short(self.least), short(self.most))
        };
        format!("{bounds} {}", self.unit).trim_end().to_owned()
    }
}

/// All goals, by gate. A part of a gate's name may be `*`, which stands for any one part.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Goals {
    /// When a machine counts as disturbed.
    pub machine: Limits,
    /// The share of all gates that may be unknown.
    pub(crate) most_unknown: f64,
    /// The suites that continuous integration measures.
    pub(crate) short: Vec<String>,
    /// The page with each suite's figures.
    page: BTreeMap<String, String>,
    goal: BTreeMap<String, Bounds>,
}

impl Goals {
    /// Reads `ci/goals.toml` below `root`.
    ///
    /// # Errors
    /// It cannot be read, or the bounds of a goal are the wrong way round.
    pub fn read(root: &Path) -> anyhow::Result<Self> {
        let path = root.join("ci/goals.toml");
        let text = fs::read_to_string(&path)
            .with_context(|| format!("{} cannot be read", path.display()))?;
        Self::parse(&text).with_context(|| format!("{} is damaged", path.display()))
    }

    pub(crate) fn parse(text: &str) -> anyhow::Result<Self> {
        let goals: Goals = toml::from_str(text)?;
        for suite in &goals.short {
            goals.page(suite)?;
        }
        for (gate, bounds) in &goals.goal {
            goals.page(gate.split('/').next().unwrap_or_default())?;
            ensure!(
                bounds.least <= bounds.most,
                "{gate}: no figure lies between {} and {}",
                bounds.least,
                bounds.most
            );
            ensure!(
                !bounds.what.is_empty(),
                "{gate}: `what` does not say what it is"
            );
        }
        Ok(goals)
    }

    /// The names of the goals for which a form must have a figure.
    pub(crate) fn wanted(&self, form: Form) -> impl Iterator<Item = &str> {
        let is_measured = move |name: &str| {
            let suite = name.split('/').next().unwrap_or_default();
            form == Form::Full || self.short.iter().any(|short| short == suite)
        };
        let has_figure =
            move |goal: &Bounds| !goal.depends && goal.only.is_none_or(|only| only == form);
        self.goal
            .iter()
            .filter(move |(name, goal)| is_measured(name) && has_figure(goal))
            .map(|(name, _)| name.as_str())
    }

    /// The page with a suite's figures, relative to the root of the checkout.
    ///
    /// # Errors
    /// The suite has none.
    pub(crate) fn page(&self, suite: &str) -> anyhow::Result<&str> {
        let page = self.page.get(suite);
        Ok(page.with_context(|| format!("{suite} has no page in ci/goals.toml"))?)
    }

    /// The goal of a gate: of all names that match, the one with the fewest `*`.
    ///
    /// # Errors
    /// The gate has none.
    pub fn of_gate(&self, gate: &str) -> anyhow::Result<&Bounds> {
        Ok(self.named(gate)?.1)
    }

    /// Like [`of_gate`](Self::of_gate), with the goal's name.
    pub(crate) fn named(&self, gate: &str) -> anyhow::Result<(&str, &Bounds)> {
        let matching = self.goal.iter().filter(|(name, _)| matches(name, gate));
        let most_specific = matching.min_by_key(|(name, _)| name.matches('*').count());
        let (name, bounds) =
            most_specific.with_context(|| format!("{gate} has no goal in ci/goals.toml"))?;
        Ok((name, bounds))
    }
}

fn matches(name: &str, gate: &str) -> bool {
    let (mut parts, mut actual) = (name.split('/'), gate.split('/'));
    loop {
        match (parts.next(), actual.next()) {
            (None, None) => return true,
            (Some(part), Some(actual)) if part == "*" || part == actual => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACHINE: &str = "most_unknown = 0.3\nshort = []\n[machine]\nslower = 1.2\nothers = 0.1\n[page]\ncost = \"p\"\na = \"p\"\n";

    #[test]
    fn a_specific_goal_goes_before_a_general_one() {
        let text = format!(
            "{MACHINE}[goal]\n\"cost/*/ratio\" = {{ least = 0.9, most = 1.1, what = \"t\" }}\n\
             \"cost/fib/ratio\" = {{ least = 0.9, most = 1.3, what = \"t\" }}"
        );
        let goals = Goals::parse(&text).unwrap();
        assert_eq!(goals.of_gate("cost/fib/ratio").unwrap().most, 1.3);
        assert_eq!(goals.of_gate("cost/lu/ratio").unwrap().most, 1.1);
        assert!(goals.of_gate("cost/lu/memory").is_err());
        assert!(goals.of_gate("cost/lu").is_err());
    }

    #[test]
    fn a_form_only_wants_goals_that_it_can_judge() {
        let machine = MACHINE.replace("short = []", "short = [\"cost\"]");
        let text = format!(
            "{machine}[goal]\n\"cost/a\" = {{ least = 0.9, most = 1.1, what = \"t\" }}\n\
             \"cost/b\" = {{ least = 0.9, most = 1.3, what = \"t\", only = \"full\" }}\n\
             \"cost/c\" = {{ least = 0.9, most = 1.3, what = \"t\", depends = true }}\n\
             \"a/a\" = {{ least = 0.9, most = 1.3, what = \"t\" }}"
        );
        let goals = Goals::parse(&text).unwrap();
        assert_eq!(goals.wanted(Form::Short).collect::<Vec<_>>(), ["cost/a"]);
        assert_eq!(
            goals.wanted(Form::Full).collect::<Vec<_>>(),
            ["a/a", "cost/a", "cost/b"]
        );
    }

    #[test]
    fn a_goal_that_nothing_meets_is_refused() {
        let text = format!("{MACHINE}[goal]\n\"a/b/c\" = {{ least = 2.0, most = 1.0 }}");
        assert!(Goals::parse(&text).is_err());
    }
}
