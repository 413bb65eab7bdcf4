//! `inflate`: runs a program by one worker and in parallel, again and again, and compares the work of the two.
//!
//! The runs are profiled ones, made by the [`runner`]; of each, the figures by site are kept in a file ([`kept`]), and
//! of its task dag what its critical path takes in another run. [`results`] hands what follows to the renderers.

mod executions;
mod kept;
mod results;
mod settings;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::anyhow;
use workspan_model::{
    DIFFERENTIAL_VERSION, Differential, DifferentialRun, ExecutionKind, Exit, inflation,
    look_up_path,
};

use crate::exit_code::{Failure, OrExit as _, PROFILE, SETUP};
use crate::message;
use crate::runner::{self, Runs, Told};
use crate::sweep;
pub(crate) use executions::Executions;
#[cfg(fuzzing)]
pub(crate) use kept::decode;
pub(crate) use kept::{is_kept, read};
pub(crate) use results::Results;
pub(crate) use settings::Settings;

/// Runs the program as the settings say, and reports. A run that fails is the last; its exit code is returned.
pub(crate) fn measure(settings: &Settings, executions: &[Executions]) -> Result<ExitCode, Failure> {
    let file = file_of(settings, executions);
    kept::check_writable(&file).or_exit(PROFILE)?;
    let mut measurement = match Measurement::begin(settings, executions)? {
        Ok(begun) => begun,
        Err(failed) => return Err(failed.with("no more runs, and nothing to compare")),
    };
    if let Err(failed) = measurement.measure(&file)? {
        return Err(match measurement.differential.runs.is_empty() {
            true => failed.with("no more runs, and nothing to compare"),
            false => failed.with(format_args!(
                "no more runs; `workspan report {}` compares those that there were",
                file.display()
            )),
        });
    }
    message::note(format_args!(
        "runs kept in {} (`workspan report` shows them again)",
        file.display()
    ));
    Ok(report(&measurement.differential, &settings.results))
}

/// Why there is nothing to compare.
const ONE_STRAND: &str = "the program came to no task, region or thread: all of it is one strand, which runs the same however \
     many threads there are";

/// Writes the results of runs.
pub(crate) fn report(differential: &Differential, results: &Results) -> ExitCode {
    let inflation = inflation(differential);
    let failures = results.write(differential, &inflation);
    for failure in &failures {
        message::error(failure);
    }
    ExitCode::from(if failures.is_empty() { 0 } else { PROFILE })
}

/// Where the runs are kept.
fn file_of(settings: &Settings, executions: &[Executions]) -> PathBuf {
    if let Some(file) = &settings.file {
        return file.clone();
    }
    let name = runner::program_name(Path::new(&executions[0].parallel.command[0]));
    let home = executions[0].parallel.reporting.as_ref();
    let home = home.and_then(|reporting| reporting.home.clone());
    home.unwrap_or_default()
        .join(format!("{name}.inflation.json"))
}

/// A run that ended otherwise than well.
#[derive(Debug, thiserror::Error)]
#[error("{name} {}", runner::ended(*.exit))]
struct Failed {
    name: String,
    exit: Exit,
}

impl Failed {
    /// It, and what follows from it.
    fn with(self, consequence: impl Display) -> Failure {
        let code = runner::exit_code(self.exit).max(1);
        Failure::new(code, anyhow!("{self}: {consequence}"))
    }
}

/// Runs that are being made.
struct Measurement<'a> {
    settings: &'a Settings,
    executions: &'a [Executions],
    runs: Runs,
    differential: Differential,
    /// The last oracle run of each metric.
    oracles: BTreeMap<String, Told>,
}

impl<'a> Measurement<'a> {
    /// Runs the program once, so that no round has what only the first run of a program has: pages that nobody has read yet.
    fn begin(
        settings: &'a Settings,
        executions: &'a [Executions],
    ) -> Result<Result<Self, Failed>, Failure> {
        let mut runs = Runs::begin()?;
        let name = "a run to warm up";
        message::note(format_args!("{name} …"));
        let profile = match runs.told(&executions[0].parallel, name)? {
            Ok(told) => told.profile,
            Err(exit) => {
                let name = name.to_owned();
                return Ok(Err(Failed { name, exit }));
            }
        };
        if profile.tree.len() < 2 {
            return Err(Failure::new(SETUP, anyhow!(ONE_STRAND)));
        }
        Ok(Ok(Self {
            settings,
            executions,
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
        }))
    }

    /// Makes all runs, and keeps them in `file`, round by round. A run that fails is the last.
    fn measure(&mut self, file: &Path) -> Result<Result<(), Failed>, Failure> {
        for round in 1..=self.settings.rounds {
            message::note(format_args!("round {round} of {} …", self.settings.rounds));
            for executions in self.executions {
                if let Err(failed) = self.round(executions, round)? {
                    return Ok(Err(failed));
                }
            }
            kept::write(file, &self.differential).or_exit(PROFILE)?;
        }
        Ok(Ok(()))
    }

    /// Runs the program by one worker and in parallel, one right after the other.
    fn round(
        &mut self,
        executions: &Executions,
        round: u32,
    ) -> Result<Result<(), Failed>, Failure> {
        let both = [ExecutionKind::Oracle, ExecutionKind::Parallel];
        let mut told: [Option<Told>; 2] = [None, None];
        let open = [sweep::Progress::default(); 2];
        for which in sweep::order(&open, self.settings.rounds, self.settings.seed, round) {
            let name = format!(
                "the {} of round {round}",
                match both[which] {
                    ExecutionKind::Oracle => "run by one worker",
                    ExecutionKind::Parallel => "parallel run",
                }
            );
            match self.run(executions, both[which], &name)? {
                Err(failed) => return Ok(Err(failed)),
                Ok(ended) => told[which] = Some(ended),
            }
        }
        let [Some(oracle), Some(parallel)] = told else {
            unreachable!("a round has both executions");
        };
        let path = |run: &Told, other: &Told| {
            let dags = (run.dag.as_ref()?, other.dag.as_ref()?);
            Some(look_up_path(
                (&run.profile, dags.0),
                (&other.profile, dags.1),
            ))
        };
        let last = self.oracles.get(executions.metric());
        let by_choice = last.and_then(|last| path(&oracle, last));
        let in_oracle = path(&parallel, &oracle);
        for (execution, told, path) in [
            (ExecutionKind::Oracle, &oracle, by_choice),
            (ExecutionKind::Parallel, &parallel, in_oracle),
        ] {
            let run =
                DifferentialRun::of(&told.profile, executions.metric(), round, execution, path);
            self.differential.runs.push(run);
        }
        self.oracles.insert(executions.metric().to_owned(), oracle);
        Ok(Ok(()))
    }

    fn run(
        &mut self,
        executions: &Executions,
        execution: ExecutionKind,
        name: &str,
    ) -> Result<Result<Told, Failed>, Failure> {
        let launch = match execution {
            ExecutionKind::Oracle => &executions.oracle,
            ExecutionKind::Parallel => &executions.parallel,
        };
        let told = self.runs.told(launch, name)?;
        Ok(told.map_err(|exit| Failed {
            name: name.to_owned(),
            exit,
        }))
    }
}
