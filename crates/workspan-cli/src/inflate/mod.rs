//! `inflate`: runs a program on one worker and in parallel, again and again, and compares the work
//! of the two.
//!
//! The [`runner`] makes the runs, all of them profiled. A file ([`kept`]) keeps the figures by site
//! of each run and, with the help of its task dag, what its critical path takes in another run.
//! [`results`] passes the results to the renderers.

mod executions;
mod kept;
mod results;
mod settings;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::anyhow;
use workspan_model::{
    DIFFERENTIAL_VERSION, Differential, DifferentialRun, ExecutionKind, Exit, inflation,
    look_up_path,
};

use crate::exit_code::{Failure, OrExit as _, PROFILE, SETUP};
use crate::history;
use crate::message;
use crate::process;
use crate::runner::{Launch, RunProfile, Runs};
use crate::sweep;
pub(crate) use executions::Executions;
#[cfg(any(fuzzing, test))]
pub(crate) use kept::decode;
pub(crate) use kept::{is_kept, read};
pub(crate) use results::Results;
pub(crate) use settings::Settings;

/// Runs the program as the settings say, and writes the results. Stops at a run that fails, whose
/// exit code is that of the failure.
pub(crate) fn measure(settings: &Settings, executions: &[Executions]) -> Result<ExitCode, Failure> {
    let file = runs_file(settings, executions);
    sweep::check_writable(&file).or_exit(PROFILE)?;
    let mut measurement = Measurement::begin(settings, executions, &file)?;
    if settings.file.is_none() {
        history::set_aside(&file);
    }
    measurement.measure()?;
    message::note(format_args!(
        "runs kept in {} (`workspan report` shows them again)",
        file.display()
    ));
    Ok(report(&measurement.differential, &settings.results))
}

/// Why there is nothing to compare.
const ONE_STRAND: &str = "the program came to no task, region or thread: all of it is one strand, which runs the same however \
     many threads there are";

/// Writes the results of runs. Returns the exit code.
pub(crate) fn report(differential: &Differential, results: &Results) -> ExitCode {
    let inflation = inflation(differential);
    let failures = results.write(differential, &inflation);
    for failure in &failures {
        message::error(failure);
    }
    ExitCode::from(if failures.is_empty() { 0 } else { PROFILE })
}

/// The file that keeps the runs.
fn runs_file(settings: &Settings, executions: &[Executions]) -> PathBuf {
    if let Some(file) = &settings.file {
        return file.clone();
    }
    let name = process::program_name(Path::new(&executions[0].parallel.command[0]));
    let home = executions[0].parallel.reporting.as_ref();
    let home = home.and_then(|reporting| reporting.home.clone());
    home.unwrap_or_default()
        .join(format!("{name}.inflation.json"))
}

/// The failure of the command because of a run that failed. `file` keeps the runs before it, if
/// there are any.
fn failure(name: &str, exit: Exit, file: Option<&Path>) -> Failure {
    let ended = process::ended(exit);
    let error = match file {
        None => anyhow!("{name} {ended}: no more runs, and nothing to compare"),
        Some(file) => anyhow!(
            "{name} {ended}: no more runs; `workspan report {}` compares those that there were",
            message::in_shell(file)
        ),
    };
    Failure::new(process::exit_code(exit).max(1), error)
}

/// A comparison while it is being measured.
struct Measurement<'a> {
    settings: &'a Settings,
    executions: &'a [Executions],
    /// Where the runs are kept.
    file: &'a Path,
    runs: Runs,
    differential: Differential,
    /// The last oracle run of each metric.
    oracles: BTreeMap<String, RunProfile>,
}

impl<'a> Measurement<'a> {
    /// Runs the program once to warm up, so that no round pays for pages that nobody has read yet.
    fn begin(
        settings: &'a Settings,
        executions: &'a [Executions],
        file: &'a Path,
    ) -> Result<Self, Failure> {
        let mut runs = Runs::begin()?;
        let name = "a run to warm up";
        message::note(format_args!("{name} …"));
        let RunProfile { profile, .. } = runs
            .run_for_profile(&executions[0].parallel, name)?
            .map_err(|exit| failure(name, exit, None))?;
        if profile.tree.len() < 2 {
            return Err(Failure::new(SETUP, anyhow!(ONE_STRAND)));
        }
        Ok(Self {
            settings,
            executions,
            file,
            runs,
            differential: Differential {
                differential_version: DIFFERENTIAL_VERSION,
                runtime: profile.runtime(),
                command: profile.run.command,
                threads: settings.threads,
                machine: profile.machine,
                started_at: profile.run.started_at,
                seed: settings.seed,
                least: settings.least,
                workspan_version: env!("CARGO_PKG_VERSION").to_owned(),
                runs: Vec::new(),
            },
            oracles: BTreeMap::new(),
        })
    }

    /// Makes all runs, and saves them after each round. Stops at a run that fails.
    fn measure(&mut self) -> Result<(), Failure> {
        for round in 1..=self.settings.rounds {
            message::note(format_args!("round {round} of {} …", self.settings.rounds));
            for executions in self.executions {
                self.round(executions, round)?;
            }
            sweep::write_runs(self.file, &self.differential).or_exit(PROFILE)?;
        }
        Ok(())
    }

    /// Runs the program on one worker and in parallel, one right after the other.
    fn round(&mut self, executions: &Executions, round: u32) -> Result<(), Failure> {
        let both = [
            (&executions.oracle, "run by one worker"),
            (&executions.parallel, "parallel run"),
        ];
        let mut runs = [None, None];
        let progress = [sweep::Progress::default(); 2];
        for which in sweep::order(&progress, self.settings.rounds, self.settings.seed, round) {
            let (launch, name) = both[which];
            runs[which] = Some(self.run(launch, &format!("the {name} of round {round}"))?);
        }
        let [Some(oracle), Some(parallel)] = runs else {
            unreachable!("a round has both executions");
        };
        let path = |run: &RunProfile, other: &RunProfile| {
            let dags = (run.dag.as_ref()?, other.dag.as_ref()?);
            Some(look_up_path(
                (&run.profile, dags.0),
                (&other.profile, dags.1),
            ))
        };
        let last = self.oracles.get(executions.metric());
        let by_choice = last.and_then(|last| path(&oracle, last));
        let in_oracle = path(&parallel, &oracle);
        for (execution, run, path) in [
            (ExecutionKind::Oracle, &oracle, by_choice),
            (ExecutionKind::Parallel, &parallel, in_oracle),
        ] {
            let run =
                DifferentialRun::new(&run.profile, executions.metric(), round, execution, path);
            self.differential.runs.push(run);
        }
        self.oracles.insert(executions.metric().to_owned(), oracle);
        Ok(())
    }

    fn run(&mut self, launch: &Launch, name: &str) -> Result<RunProfile, Failure> {
        let run = self.runs.run_for_profile(launch, name)?;
        let has_runs = !self.differential.runs.is_empty();
        run.map_err(|exit| failure(name, exit, has_runs.then_some(self.file)))
    }
}
