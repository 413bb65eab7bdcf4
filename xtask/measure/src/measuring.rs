//! The frame of every program: what is chosen, and what is read.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::Context as _;

use crate::judge::{Estimate, Form, Gates, Machine};
use crate::run::{SUITE, Suite, cargo, succeed};

/// What was read of a subject, by figure: the last part of its gate's name.
#[derive(Debug, Default)]
pub(crate) struct Readings {
    readings: BTreeMap<String, Vec<f64>>,
    shares: BTreeMap<String, Estimate>,
}

impl Readings {
    /// Adds a reading, of which the median is judged.
    pub(crate) fn add(&mut self, figure: &str, reading: f64) {
        let readings = self.readings.entry(figure.to_owned()).or_default();
        readings.push(reading);
    }

    /// Adds the share of `count` in `of` trials.
    pub(crate) fn add_share(&mut self, figure: &str, count: usize, of: usize) {
        let share = Estimate::from_share(count, of);
        self.shares.insert(figure.to_owned(), share);
    }

    /// All readings of a figure.
    pub(crate) fn of(&self, figure: &str) -> &[f64] {
        self.readings.get(figure).map_or(&[], Vec::as_slice)
    }
}

/// A run of one of the programs.
pub(crate) struct Measuring {
    pub(crate) form: Form,
    /// Parts, subjects or `PART/SUBJECT`; all of the form if there are none.
    names: Vec<String>,
    is_suite_built: bool,
    pub(crate) gates: Gates,
}

impl Measuring {
    pub(crate) fn new(
        program: &'static str,
        form: Form,
        names: Vec<String>,
    ) -> anyhow::Result<Self> {
        let gates = Gates::open(program, form)?;
        cargo("build --release --quiet --package workspan-cli --bins")?;
        Ok(Measuring {
            form,
            names,
            is_suite_built: false,
            gates,
        })
    }

    /// Whether everything is measured that the form has.
    pub(crate) fn is_complete(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether a subject is measured: if it is named, or without names if the form has it.
    pub(crate) fn wants(&self, part: &str, subject: &str, is_short: bool) -> bool {
        let both = format!("{part}/{subject}");
        let is_it = |name: &String| [part, subject, &both].contains(&name.as_str());
        let has_it = is_short || self.form == Form::Full;
        self.names.iter().any(is_it) || self.is_complete() && has_it
    }

    /// The chosen programs of the suite, built.
    pub(crate) fn suite(&mut self, part: &str) -> anyhow::Result<Vec<&'static Suite>> {
        let chosen = SUITE
            .iter()
            .filter(|suite| self.wants(part, suite.name, true));
        let chosen: Vec<&Suite> = chosen.collect();
        if !chosen.is_empty() {
            self.build_suite()?;
        }
        Ok(chosen)
    }

    /// Builds the suite if that was not done before.
    pub(crate) fn build_suite(&mut self) -> anyhow::Result<()> {
        if !self.is_suite_built {
            Suite::build()?;
            self.is_suite_built = true;
        }
        Ok(())
    }

    /// Reads the figures of a subject and judges them, while the machine is watched.
    pub(crate) fn watched(
        &mut self,
        subject: &str,
        read: impl FnOnce(&mut Readings) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.read_by(subject, |gates, readings| {
            Ok(gates.watch(|| read(readings))?.1)
        })
    }

    /// Reads and judges figures that other processes cannot change.
    pub(crate) fn unwatched(
        &mut self,
        subject: &str,
        read: impl FnOnce(&mut Readings) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.read_by(subject, |_, readings| {
            read(readings)?;
            Ok(Machine::UNWATCHED)
        })
    }

    /// Judges what `read` reads of a subject, on the machine that it returns.
    fn read_by(
        &mut self,
        subject: &str,
        read: impl FnOnce(&mut Gates, &mut Readings) -> anyhow::Result<Machine>,
    ) -> anyhow::Result<()> {
        eprintln!("{subject}");
        let mut readings = Readings::default();
        let machine = read(&mut self.gates, &mut readings).with_context(|| subject.to_owned())?;
        self.judge(subject, readings, machine)
    }

    /// Judges what follows from the readings of other subjects.
    pub(crate) fn follows(&mut self, subject: &str, readings: Readings) -> anyhow::Result<()> {
        self.judge(subject, readings, self.gates.worst)
    }

    fn judge(&mut self, subject: &str, read: Readings, machine: Machine) -> anyhow::Result<()> {
        let of_readings = |readings: Vec<f64>| Estimate::from_readings(&readings);
        let medians = read
            .readings
            .into_iter()
            .map(|(name, all)| (name, of_readings(all)));
        for (name, estimate) in medians.chain(read.shares) {
            let gate = format!("{subject}/{name}");
            self.gates.judge(&gate, estimate, machine)?;
        }
        Ok(())
    }

    /// Whether QEMU and Valgrind are here. Builds the plug-in.
    pub(crate) fn can_emulate(&self) -> anyhow::Result<bool> {
        let can = is_there("qemu-x86_64", "nothing is emulated (package qemu-user)")?
            && is_there("valgrind", "nothing is emulated (package valgrind)")?;
        if can {
            cargo("build --release --quiet --package workspan-emulator")?;
        }
        Ok(can)
    }
}

/// Whether a command can be found; otherwise `ci/skip` notes why it matters.
pub(crate) fn is_there(tool: &str, why: &str) -> anyhow::Result<bool> {
    let is_there = Command::new("which").arg(tool).output()?.status.success();
    if !is_there {
        let skip = crate::checkout::root()?.join("ci/skip");
        let noted = succeed(Command::new(skip).args([tool, why]))?;
        eprint!("{}", String::from_utf8_lossy(&noted.stdout));
    }
    Ok(is_there)
}
