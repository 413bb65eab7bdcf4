//! The frame of every program: what is chosen, and what is read.

use std::process::Command;

use anyhow::Context as _;

use crate::judge::{Estimate, Form, Gates, Machine};
use crate::run::{SUITE, Suite, cargo, succeed};

/// A measured figure: the last part of its gate's name, and what it reads.
pub(crate) type Figure = (String, Estimate);

/// A figure by the median of its readings.
pub(crate) fn figure(name: impl Into<String>, readings: impl IntoIterator<Item = f64>) -> Figure {
    let readings: Vec<f64> = readings.into_iter().collect();
    (name.into(), Estimate::from_readings(&readings))
}

/// A run of one of the programs.
pub(crate) struct Measuring {
    pub(crate) form: Form,
    /// Parts, subjects or `PART/SUBJECT`; all if there are none.
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
        cargo(&[
            "build",
            "--release",
            "--quiet",
            "--package",
            "workspan-cli",
            "--bins",
        ])?;
        Ok(Measuring {
            form,
            names,
            is_suite_built: false,
            gates,
        })
    }

    /// Whether everything is measured.
    pub(crate) fn is_complete(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether a subject is among the chosen ones.
    pub(crate) fn wants(&self, part: &str, subject: &str) -> bool {
        let is_it =
            |name: &String| name == part || name == subject || *name == format!("{part}/{subject}");
        self.is_complete() || self.names.iter().any(is_it)
    }

    /// Like [`wants`](Self::wants), for a subject that the short form has only if it is named.
    pub(crate) fn wants_in_full(&self, part: &str, subject: &str) -> bool {
        self.wants(part, subject) && (self.form == Form::Full || !self.is_complete())
    }

    /// The chosen programs of the suite, built.
    pub(crate) fn suite(&mut self, part: &str) -> anyhow::Result<Vec<&'static Suite>> {
        let chosen = SUITE.iter().filter(|suite| self.wants(part, suite.name));
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
        read: impl FnOnce() -> anyhow::Result<Vec<Figure>>,
    ) -> anyhow::Result<()> {
        eprintln!("{subject}");
        let (figures, machine) = self.gates.watch(read).with_context(|| subject.to_owned())?;
        self.judge(subject, figures, machine)
    }

    /// Judges figures that follow from those of all subjects.
    pub(crate) fn follows(&mut self, subject: &str, figures: Vec<Figure>) -> anyhow::Result<()> {
        self.judge(subject, figures, self.gates.worst)
    }

    /// Judges figures that other processes cannot change.
    pub(crate) fn unwatched(&mut self, subject: &str, figures: Vec<Figure>) -> anyhow::Result<()> {
        self.judge(subject, figures, Machine::UNWATCHED)
    }

    fn judge(
        &mut self,
        subject: &str,
        figures: Vec<Figure>,
        machine: Machine,
    ) -> anyhow::Result<()> {
        for (name, estimate) in figures {
            self.gates
                .judge(&format!("{subject}/{name}"), estimate, machine)?;
        }
        Ok(())
    }

    /// Whether QEMU and Valgrind are here. Builds the plug-in.
    pub(crate) fn can_emulate(&self) -> anyhow::Result<bool> {
        for (tool, package) in [("qemu-x86_64", "qemu-user"), ("valgrind", "valgrind")] {
            if !is_there(tool, &format!("nothing is emulated (package {package})"))? {
                return Ok(false);
            }
        }
        cargo(&[
            "build",
            "--release",
            "--quiet",
            "--package",
            "workspan-emulator",
        ])?;
        Ok(true)
    }
}

/// Whether a command can be found; otherwise `ci/skip` notes why it matters.
pub(crate) fn is_there(tool: &str, why: &str) -> anyhow::Result<bool> {
    let is_there = Command::new("which").arg(tool).output()?.status.success();
    if !is_there {
        let skipped =
            succeed(Command::new(crate::judge::root()?.join("ci/skip")).args([tool, why]))?;
        eprint!("{}", String::from_utf8_lossy(&skipped.stdout));
    }
    Ok(is_there)
}
