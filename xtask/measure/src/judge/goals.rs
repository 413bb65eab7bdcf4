//! What figures have to be, `ci/goals.toml`, and which are known to miss that, `ci/misses.toml`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::Limits;

/// A form of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// On inputs of full size.
    Full,
    /// On smaller inputs, with fewer runs.
    Short,
}

impl Form {
    /// What this form has of two values.
    pub(crate) fn select<T>(self, full: T, short: T) -> T {
        match self {
            Form::Full => full,
            Form::Short => short,
        }
    }
}

/// The bounds of a figure.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bounds {
    pub(crate) least: f64,
    pub(crate) most: f64,
    /// Its unit, for a reader.
    #[serde(default)]
    pub(crate) unit: String,
    /// What the figure is, for a reader.
    pub(crate) what: String,
    /// The form, the machine or another figure decides whether there is a figure.
    #[serde(default)]
    pub(crate) optional: bool,
}

impl Bounds {
    #[cfg(test)]
    pub(crate) fn of_percent(least: f64, most: f64) -> Self {
        let (unit, what) = ("%".to_owned(), "test".to_owned());
        Bounds {
            least,
            most,
            unit,
            what,
            optional: false,
        }
    }

    /// Whether the figure is within the bounds.
    pub(crate) fn hold(&self, figure: f64) -> bool {
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
pub(crate) struct Goals {
    /// When a machine counts as disturbed.
    pub(crate) machine: Limits,
    /// The share of a program's gates that may be unknown or undecided.
    pub(crate) most_unknown: f64,
    goal: BTreeMap<String, Bounds>,
}

impl Goals {
    /// Reads `ci/goals.toml` below `root`.
    pub(crate) fn read(root: &Path) -> anyhow::Result<Self> {
        let goals: Goals = read(root, "ci/goals.toml")?;
        for (gate, Bounds { least, most, .. }) in &goals.goal {
            ensure!(
                least <= most,
                "{gate}: nothing is between {least} and {most}"
            );
        }
        Ok(goals)
    }

    /// The goal of a gate and its name: of all names that match, the one with the fewest `*`.
    pub(crate) fn of_gate(&self, gate: &str) -> anyhow::Result<(&str, &Bounds)> {
        let matching = self.goal.iter().filter(|(name, _)| matches(name, gate));
        let most_specific = matching.min_by_key(|(name, _)| name.matches('*').count());
        let (name, bounds) =
            most_specific.with_context(|| format!("{gate} has no goal in ci/goals.toml"))?;
        Ok((name, bounds))
    }

    /// The goals for which a program must have a figure in every form.
    pub(crate) fn wanted(&self, program: &str) -> impl Iterator<Item = &str> {
        let is_of_program = move |name: &str| name.split('/').next() == Some(program);
        let goals = self.goal.iter();
        goals
            .filter(move |(name, goal)| is_of_program(name) && !goal.optional)
            .map(|(name, _)| name.as_str())
    }
}

fn matches(name: &str, gate: &str) -> bool {
    let (name, gate) = (name.split('/'), gate.split('/'));
    name.clone().count() == gate.clone().count()
        && name
            .zip(gate)
            .all(|(part, actual)| part == "*" || part == actual)
}

/// An accepted miss.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Miss {
    full: Option<f64>,
    short: Option<f64>,
    /// Some machines, or a quiet hour, meet the goal, so the entry stays even if it is met.
    #[serde(default)]
    pub(crate) sometimes: bool,
    /// When it was measured, YYYY-MM-DD.
    date: String,
    /// Why it misses.
    pub(crate) reason: String,
}

impl Miss {
    /// The known figure of a form; `None` if that form must meet the goal.
    pub(crate) fn figure(&self, form: Form) -> Option<f64> {
        form.select(self.full, self.short)
    }
}

/// All accepted misses, by gate.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct Misses(pub(crate) BTreeMap<String, Miss>);

impl Misses {
    /// Reads `ci/misses.toml` below `root`, and checks every miss against its goal.
    pub(crate) fn read(root: &Path, goals: &Goals) -> anyhow::Result<Self> {
        let misses: Misses = read(root, "ci/misses.toml")?;
        for (gate, miss) in &misses.0 {
            let (_, goal) = goals.of_gate(gate)?;
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
        Ok(misses)
    }
}

fn read<T: DeserializeOwned>(root: &Path, name: &str) -> anyhow::Result<T> {
    let text = fs::read_to_string(root.join(name)).with_context(|| name.to_owned())?;
    toml::from_str(&text).with_context(|| format!("{name} is damaged"))
}

/// A figure with three significant digits, and at most three after the point.
pub(crate) fn short(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude >= 100.0 || value == value.trunc() {
        format!("{value:.0}")
    } else if magnitude >= 10.0 {
        format!("{value:.1}")
    } else if magnitude >= 1.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.3}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_specific_goal_goes_before_a_general_one() {
        let goals: Goals = toml::from_str(
            r#"most_unknown = 0.3
            [machine]
            slower = 1.2
            others = 0.1
            [goal]
            "cost/*/ratio" = { least = 0.9, most = 1.1, what = "t" }
            "cost/fib/ratio" = { least = 0.9, most = 1.3, what = "t", optional = true }"#,
        )
        .unwrap();
        assert_eq!(goals.of_gate("cost/fib/ratio").unwrap().1.most, 1.3);
        assert_eq!(goals.of_gate("cost/lu/ratio").unwrap().1.most, 1.1);
        assert!(goals.of_gate("cost/lu/memory").is_err());
        assert!(goals.of_gate("cost/lu").is_err());
        assert_eq!(goals.wanted("cost").collect::<Vec<_>>(), ["cost/*/ratio"]);
        assert_eq!(goals.wanted("truth").count(), 0);
    }

    #[test]
    fn goals_and_misses_of_this_repository_agree() {
        let root = crate::checkout::root().unwrap();
        Misses::read(&root, &Goals::read(&root).unwrap()).unwrap();
    }
}
