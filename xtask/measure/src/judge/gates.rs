//! All gates of one program.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::ensure;

use super::{Bounds, Estimate, Form, Goals, Machine, Misses, Verdict, Watch, short};
use crate::checkout::root;
use crate::table::Table;

/// The verdict on one gate.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) gate: String,
    pub(crate) goal: Bounds,
    /// The figure of the accepted miss, if there is one.
    pub(crate) miss: Option<f64>,
    pub(crate) estimate: Estimate,
    pub(crate) verdict: Verdict,
}

impl Row {
    /// The figure comes with its interval and the number of readings.
    fn shown(&self) -> [String; 5] {
        let Estimate {
            figure,
            low,
            high,
            readings,
        } = self.estimate;
        let [middle, low, high] = [figure, low, high].map(short);
        [
            self.gate.clone(),
            self.goal.shown(),
            self.miss.map_or_else(String::new, short),
            format!("{middle} ({low} … {high}, {readings})"),
            self.verdict.to_string(),
        ]
    }
}

/// The gates of one program, and the verdicts on those that it has read.
#[derive(Debug)]
pub(crate) struct Gates {
    pub(crate) root: PathBuf,
    program: &'static str,
    form: Form,
    goals: Goals,
    misses: Misses,
    shortest: Duration,
    pub(crate) rows: Vec<Row>,
    /// The worst state of the machine so far.
    pub(crate) worst: Machine,
}

impl Gates {
    /// The gates of `program`, the first part of their names.
    pub(crate) fn open(program: &'static str, form: Form) -> anyhow::Result<Self> {
        let root = root()?;
        let goals = Goals::read(&root)?;
        let misses = Misses::read(&root, &goals)?;
        Ok(Gates {
            root,
            program,
            form,
            goals,
            misses,
            shortest: Duration::MAX,
            rows: Vec::new(),
            worst: Machine::UNWATCHED,
        })
    }

    /// What `measure` returns, and the state of the machine meanwhile.
    pub(crate) fn watch<T>(
        &mut self,
        measure: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<(T, Machine)> {
        let watch = Watch::begin(&mut self.shortest);
        let measured = measure()?;
        Ok((measured, watch.end(&mut self.shortest)))
    }

    /// Judges a figure by its estimate; `gate` is its name without the program.
    pub(crate) fn judge(
        &mut self,
        gate: &str,
        estimate: Estimate,
        machine: Machine,
    ) -> anyhow::Result<()> {
        let gate = format!("{}/{gate}", self.program);
        let goal = self.goals.of_gate(&gate)?.1.clone();
        let known = self.misses.0.get(&gate);
        let miss = known.and_then(|miss| miss.figure(self.form));
        let verdict = Verdict::new(
            &estimate,
            &goal,
            miss,
            known.is_some_and(|miss| miss.sometimes),
            machine.is_disturbed(&self.goals.machine),
        );
        self.worst = self.worst.or_worse(machine);
        let row = Row {
            gate,
            goal,
            miss,
            estimate,
            verdict,
        };
        eprintln!("  {}", row.shown().join("  "));
        self.rows.push(row);
        Ok(())
    }

    /// Prints the table of all gates that were judged. Returns what is
    /// wrong: gates that fail and, of a `complete` run, what was not judged.
    pub(crate) fn finish(&self, complete: bool) -> anyhow::Result<Vec<String>> {
        let median = "median (interval, readings)";
        let mut table = Table::new(["gate", "goal", "accepted", median, "verdict"]);
        self.rows.iter().for_each(|row| table.add(row.shown()));
        let verdicts = || self.rows.iter().map(|row| row.verdict);
        let of = |wanted| verdicts().filter(|verdict| *verdict == wanted).count();
        let counts = Verdict::ALL.map(|verdict| (of(verdict), verdict));
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, of)| format!("{count} {of}")).collect();
        println!("{table}\n{} gates: {}", self.rows.len(), counts.join(", "));
        println!("at worst, {}", self.worst);
        ensure!(
            !self.rows.is_empty(),
            "nothing was judged: no part or program has this name"
        );

        let fails = self.rows.iter().filter(|row| row.verdict.fails());
        let mut wrong: Vec<String> = fails
            .map(|row| format!("{} {}", row.gate, row.verdict))
            .collect();
        if complete {
            wrong.extend(self.not_judged());
            let open = of(Verdict::Unknown) + of(Verdict::Undecided);
            if open as f64 > self.goals.most_unknown * self.rows.len() as f64 {
                wrong.push(format!(
                    "{open} gates are unknown or undecided: wait for a quieter machine"
                ));
            }
        }
        Ok(wrong)
    }

    /// The goals and accepted misses of this form for which a complete run has no figure.
    fn not_judged(&self) -> Vec<String> {
        let named = |row: &Row| self.goals.of_gate(&row.gate).ok().map(|(name, _)| name);
        let goals = self.goals.wanted(self.program);
        let goals = goals.filter(|goal| !self.rows.iter().any(|row| named(row) == Some(goal)));
        let prefix = format!("{}/", self.program);
        let misses = self.misses.0.iter().filter(|(gate, miss)| {
            let is_wanted = gate.starts_with(&prefix) && miss.figure(self.form).is_some();
            is_wanted && !self.rows.iter().any(|row| row.gate == **gate)
        });
        let all = goals.chain(misses.map(|(gate, _)| gate.as_str()));
        all.map(|name| format!("{name}: nothing was judged"))
            .collect()
    }

    /// Prints entries for `ci/misses.toml` of gates whose median misses, to be given a reason.
    pub(crate) fn propose(&self, today: &str) {
        for row in &self.rows {
            match row.verdict {
                Verdict::Missed | Verdict::Undecided => {
                    let known = self.misses.0.get(&row.gate);
                    let form = self.form.select("full", "short");
                    let reason = known.map_or("…", |miss| &miss.reason);
                    println!("[{:?}]", row.gate);
                    println!("{form} = {}", short(row.estimate.figure));
                    println!("date = \"{today}\"\nreason = {reason:?}\n");
                }
                Verdict::Obsolete => println!("# meets its goal, its entry goes: {}\n", row.gate),
                _ => {}
            }
        }
    }
}
