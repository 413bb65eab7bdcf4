//! All gates of one measuring program.

use std::collections::HashSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, ensure};

use crate::machine::Watch;
use crate::{Estimate, Form, Goals, Machine, Miss, Misses, Row, Verdict, print, write_limits};

/// The gates of one measuring program, and the verdicts on those that it has read.
#[derive(Debug)]
pub struct Gates {
    root: PathBuf,
    suite: String,
    form: Form,
    goals: Goals,
    misses: Misses,
    shortest: Duration,
    rows: Vec<Row>,
}

impl Gates {
    /// The gates of `suite`, the first part of their names. The checkout is the current folder or
    /// one above.
    ///
    /// # Errors
    /// `ci/goals.toml` or `ci/misses.toml` is missing or damaged.
    pub fn open(suite: &str, form: Form) -> anyhow::Result<Self> {
        let root = root()?;
        let goals = Goals::read(&root)?;
        let misses = Misses::read(&root)?;
        misses.check(&goals)?;
        Ok(Gates {
            root,
            suite: suite.to_owned(),
            form,
            goals,
            misses,
            shortest: Duration::MAX,
            rows: Vec::new(),
        })
    }

    /// What `measure` returns, and the state of the machine meanwhile. Watching takes a few tens of
    /// milliseconds before and after.
    ///
    /// # Errors
    /// Those of `measure`.
    pub fn watch<T>(
        &mut self,
        measure: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<(T, Machine)> {
        let watch = Watch::begin(&mut self.shortest);
        let measured = measure()?;
        Ok((measured, watch.end(&mut self.shortest)))
    }

    /// Judges a figure by the median of its readings; `gate` is its name without the suite.
    ///
    /// # Errors
    /// There is no such gate, or there are no readings.
    pub fn judge(&mut self, gate: &str, readings: &[f64], machine: Machine) -> anyhow::Result<()> {
        ensure!(!readings.is_empty(), "{gate}: no readings");
        ensure!(
            readings.iter().all(|reading| !reading.is_nan()),
            "{gate}: a reading is not a number"
        );
        self.judge_estimate(gate, Estimate::from_readings(readings), machine)
    }

    /// Judges a figure whose interval does not come from the median of readings.
    ///
    /// # Errors
    /// There is no such gate.
    pub fn judge_estimate(
        &mut self,
        gate: &str,
        estimate: Estimate,
        machine: Machine,
    ) -> anyhow::Result<()> {
        let gate = format!("{}/{gate}", self.suite);
        let goal = self.goals.of_gate(&gate)?.clone();
        let known = self.misses.of_gate(&gate);
        let miss = known.and_then(|miss| miss.figure(self.form));
        let disturbed = machine.is_disturbed(&self.goals.machine);
        let may_be_met = known.is_some_and(|miss| miss.sometimes);
        let verdict = Verdict::new(&estimate, &goal, miss, may_be_met, disturbed);
        self.rows.push(Row {
            gate,
            form: self.form,
            goal,
            miss,
            estimate,
            machine,
            verdict,
        });
        Ok(())
    }

    /// The gates of all suites with an accepted miss of this form, but for those that another gate
    /// may leave without a figure.
    pub fn accepted(&self) -> impl Iterator<Item = &str> {
        let of_form = |(_, miss): &(&str, &Miss)| miss.figure(self.form).is_some();
        let depends = |gate: &str| self.goals.of_gate(gate).is_ok_and(|goal| goal.depends);
        let accepted = self.misses.all().filter(of_form).map(|(gate, _)| gate);
        accepted.filter(move |gate| !depends(gate))
    }

    /// The goals of this form that apply to none of the rows.
    pub fn missing_goals(&self, rows: &[Row]) -> impl Iterator<Item = &str> {
        let named = rows
            .iter()
            .filter_map(|row| self.goals.named(&row.gate).ok());
        let judged: HashSet<&str> = named.map(|(name, _)| name).collect();
        let wanted = self.goals.wanted(self.form);
        wanted.filter(move |name| !judged.contains(name))
    }

    /// The share of the gates that may be unknown.
    pub fn most_unknown(&self) -> f64 {
        self.goals.most_unknown
    }

    /// Writes the accepted misses into a Markdown file, between its two marks, or checks those in
    /// it.
    ///
    /// # Errors
    /// The file has no such marks, cannot be read or written, or lists other misses.
    pub fn write_limits(&self, file: &Path, only_check: bool) -> anyhow::Result<()> {
        write_limits(file, &self.goals, &self.misses, only_check)
    }

    /// Prints the table of all gates that were judged, and keeps it in `target/gates` for the table
    /// of all programs. Returns the exit code: 1 if a gate fails, or if none was judged.
    ///
    /// # Errors
    /// The table cannot be written.
    pub fn finish(self) -> anyhow::Result<u8> {
        print(&self.rows);
        let machine = Machine::worst(self.rows.iter().map(|row| row.machine));
        println!("at worst, {machine}");
        if self.rows.is_empty() {
            println!("{}: no gate was judged", self.suite);
            return Ok(1);
        }
        let target =
            env::var_os("CARGO_TARGET_DIR").map_or_else(|| self.root.join("target"), PathBuf::from);
        let folder = target.join("gates");
        fs::create_dir_all(&folder).with_context(|| format!("no folder {}", folder.display()))?;
        let path = folder.join(format!("{}.json", self.suite));
        fs::write(&path, serde_json::to_vec_pretty(&self.rows)?)
            .with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(self.rows.iter().any(|row| row.verdict.fails()).into())
    }
}

/// The checkout that contains the current folder.
///
/// # Errors
/// There is none.
pub fn root() -> anyhow::Result<PathBuf> {
    let here = env::current_dir().context("there is no present folder")?;
    let is_root = |folder: &&Path| folder.join("ci/goals.toml").exists();
    let root = here.ancestors().find(is_root);
    Ok(root
        .with_context(|| format!("no ci/goals.toml in {} or above", here.display()))?
        .to_owned())
}
