//! The programs that a sweep runs, and the arguments and variables of each kind of run.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

use anyhow::{Context as _, anyhow};
use workspan_model::{Pinning, RunKind, RuntimeKind};

use super::expected::Expected;
use super::job::Job;
use super::placeholder::{PLACEHOLDER, filled_in};
use super::process::Process;
use super::settings::{FactoredRuns, Measured, Settings, Words};
use crate::exit_code::{Failure, OrExit as _, PROFILE, USAGE};
use crate::message;
use crate::native::{self, IdleTime, StandIn};
use crate::process;

/// How the idle time of a program is measured.
#[derive(Debug)]
pub(super) enum Instrumented {
    /// By this build of the same program, which contains the engine.
    Program(OsString),
    /// By the program itself, with the engine loaded into it.
    Loaded(Box<IdleTime>),
}

/// The programs that a sweep runs, and how they get their number of threads.
#[derive(Debug)]
pub(super) struct Commands {
    /// The user's own runner.
    pub(super) through: Vec<OsString>,
    /// The program and its arguments.
    pub(super) plain: Vec<OsString>,
    pub(super) instrumented: Option<Instrumented>,
    /// The runtime that was profiled in the place of the program's own, where idle time is not
    /// measured.
    pub(super) stand_in: Option<StandIn>,
    pub(super) baseline: Option<Vec<OsString>>,
    pub(super) threads_variable: Option<String>,
    /// The program's runtime, if its file or its profile shows it.
    pub(super) runtime: Option<RuntimeKind>,
}

impl Commands {
    /// The commands for a sweep of `plain`, a program with its arguments, which the runner
    /// `through` starts if it is not empty. `is_predicted`: whether a profile, `expected` or one
    /// yet to be made, predicts them.
    ///
    /// # Errors
    /// When the program does not allow what the settings ask for.
    pub(super) fn new(
        settings: &Settings,
        through: Vec<String>,
        plain: Vec<OsString>,
        expected: Option<&Expected>,
        is_predicted: bool,
    ) -> Result<Self, Failure> {
        let contents = fs::read(process::locate(Path::new(&plain[0])));
        let has_engine = contents.as_deref().is_ok_and(process::has_engine);
        let runtime = match native::runtime_of(Path::new(&plain[0])) {
            None if has_engine => Some(RuntimeKind::Rayon),
            None => expected.and_then(|expected| expected.profile.runtime()),
            native => native,
        };
        let in_arguments = plain[1..]
            .iter()
            .any(|word| word.to_string_lossy().contains(PLACEHOLDER));
        let threads_variable = match &settings.threads_variable {
            Some(name) => Some(name.clone()),
            None if in_arguments => None,
            // An unknown program is most likely a plain build of a rayon program.
            None => {
                let runtime = runtime.unwrap_or(RuntimeKind::Rayon);
                let variable = runtime.threads_variable().map(str::to_owned);
                if variable.is_none() {
                    report_missing_variable(runtime, settings.pinning());
                }
                variable
            }
        };
        let (mut instrumented, mut stand_in, mut baseline) = (None, None, None);
        if let Measured::Threads {
            factored: Some(factored),
            ..
        } = &settings.measured
        {
            let words = |Words(words): &Words| words.iter().map(OsString::from).collect();
            baseline = factored.baseline.as_ref().map(words);
            let profiled = expected.and_then(|expected| expected.profile.run.command.first());
            if runtime == Some(RuntimeKind::OpenMp) {
                check_openmp(factored)?;
            }
            let idle_time = native::idle_time(Path::new(&plain[0]), factored.libomp.clone())?;
            instrumented = match (idle_time, profiled) {
                (Some(idle_time), _) => Some(Instrumented::Loaded(Box::new(idle_time))),
                (None, Some(program)) => Some(Instrumented::Program(with_idle_time(program)?)),
                (None, None) if has_engine => Some(Instrumented::Program(plain[0].clone())),
                (None, None) => {
                    return Err(match contents {
                        Err(error) => process::cannot_start(&plain[0], error),
                        Ok(_) => Failure::new(USAGE, not_instrumented()),
                    });
                }
            };
        } else if is_predicted && runtime == Some(RuntimeKind::OpenMp) {
            // The bounds and the prediction are of that runtime.
            stand_in = native::stand_in(Path::new(&plain[0]))?;
        } else if has_engine {
            message::warning(
                "the program was built by workspan, for profiling: its tasks cost more than those of a plain build, \
             and it is measured so",
            );
        }
        Ok(Self {
            through: through.into_iter().map(OsString::from).collect(),
            plain,
            instrumented,
            stand_in,
            baseline,
            threads_variable,
            runtime,
        })
    }

    /// A process of `job`, without its processors. Kinds of runs that measure idle time write it to
    /// `idle_file`.
    pub(super) fn process(&self, job: Job, idle_file: &Path) -> Process {
        let threads = |number: u32| {
            let variable = self.threads_variable.iter();
            variable.map(move |name| (name.clone(), OsString::from(number.to_string())))
        };
        let own = |name: &str, value: &OsStr| (name.to_owned(), value.to_owned());
        let thread_count = job.threads.to_string();
        let (words, variables) = match job.kind {
            RunKind::Plain => (
                self.plain(job.threads),
                threads(job.threads).chain(self.plain_variables()).collect(),
            ),
            RunKind::Copy => (
                self.plain(1),
                threads(1).chain(self.plain_variables()).collect(),
            ),
            RunKind::Baseline => (self.baseline.clone().unwrap_or_default(), Vec::new()),
            RunKind::Idle => {
                let mut variables: Vec<_> = threads(job.threads).collect();
                variables.push(own("WORKSPAN_IDLE", idle_file.as_os_str()));
                if self.is_loaded() {
                    // Rayon reports the sizes of its pools. An OpenMP program may never reach this
                    // number of threads.
                    variables.push(own("WORKSPAN_THREADS", thread_count.as_ref()));
                }
                variables.extend(self.loading_variables());
                (self.instrumented(job.threads), variables)
            }
            RunKind::OneWorker if self.is_loaded() => {
                let mut variables: Vec<_> = threads(job.threads).collect();
                // Limits teams to one thread, whatever number the program asks for.
                variables.push(own("OMP_THREAD_LIMIT", "1".as_ref()));
                variables.push(own("WORKSPAN_IDLE", idle_file.as_os_str()));
                variables.extend(self.loading_variables());
                (self.instrumented(job.threads), variables)
            }
            RunKind::OneWorker => {
                // Rayon's own variable sets the size of the pool. Any other variable may decide
                // how the program cuts its work.
                let is_size =
                    self.threads_variable.as_deref() == RuntimeKind::Rayon.threads_variable();
                let mut variables: Vec<_> =
                    threads(if is_size { 1 } else { job.threads }).collect();
                variables.push(own("WORKSPAN_IDLE", idle_file.as_os_str()));
                variables.push(own("WORKSPAN_ASSUME_CORES", thread_count.as_ref()));
                variables.push(own("WORKSPAN_THREADS", "1".as_ref()));
                (self.instrumented(job.threads), variables)
            }
            RunKind::Elision => {
                let mut variables: Vec<_> = threads(1).collect();
                variables.push(own("WORKSPAN_ELISION", "1".as_ref()));
                (self.instrumented(1), variables)
            }
        };
        Process {
            words: self.through.iter().cloned().chain(words).collect(),
            variables,
            ..Process::default()
        }
    }

    fn plain(&self, threads: u32) -> Vec<OsString> {
        let (program, arguments) = self.plain.split_first().expect("there is a program");
        let arguments = arguments.iter().map(|word| filled_in(word, threads));
        std::iter::once(program.clone()).chain(arguments).collect()
    }

    fn instrumented(&self, threads: u32) -> Vec<OsString> {
        let mut words = self.plain(threads);
        if let Some(Instrumented::Program(program)) = &self.instrumented {
            words[0].clone_from(program);
        }
        words
    }

    fn idle_time(&self) -> Option<&IdleTime> {
        match &self.instrumented {
            Some(Instrumented::Loaded(idle_time)) => Some(idle_time),
            _ => None,
        }
    }

    fn is_loaded(&self) -> bool {
        self.idle_time().is_some()
    }

    /// The file of the runtime that replaces the program's own in all runs.
    pub(super) fn stand_in(&self) -> Option<String> {
        let measured = self.idle_time().and_then(|idle| idle.stand_in.as_deref());
        let file = measured.or(self.stand_in.as_ref().map(|own| own.file.as_path()))?;
        Some(file.to_string_lossy().into_owned())
    }

    /// The variables that load the engine into the program.
    fn loading_variables(&self) -> impl Iterator<Item = (String, OsString)> {
        let loaded = self.idle_time().into_iter();
        loaded.flat_map(|idle_time| IdleTime::variables(&idle_time.measured))
    }

    /// The variables that give a plain run the same runtime as those with the engine.
    fn plain_variables(&self) -> impl Iterator<Item = (String, OsString)> {
        let loaded = self.idle_time().map(|idle_time| &idle_time.plain);
        let loaded = loaded.or(self.stand_in.as_ref().map(|own| &own.variables));
        loaded.into_iter().flat_map(IdleTime::variables)
    }
}

/// Explains what sets the number of threads of a program whose runtime reads it from no variable.
fn report_missing_variable(runtime: RuntimeKind, pinning: Pinning) {
    const OTHERWISE: &str = "`{threads}` in the arguments stands for the number, --set-threads VARIABLE names a variable of the program";
    let noun = runtime.noun();
    match (runtime, pinning) {
        (_, Pinning::None) => message::warning(format_args!(
            "no variable tells {noun} its number of threads, and runs that are not pinned have all processors: unless the program \
             is told, they all have the same number of threads. {OTHERWISE}"
        )),
        (RuntimeKind::Tbb, _) => message::note(format_args!(
            "no variable tells {noun} its number of threads: it makes as many as a run has processors. If the program sets a \
             number by itself, {OTHERWISE}"
        )),
        _ => message::warning(format_args!(
            "what tells the program its number of threads is not known: each run has so many processors, and nothing else. \
             {OTHERWISE}"
        )),
    }
}

/// `program`, which was profiled, if it can measure idle time.
fn with_idle_time(program: &str) -> Result<OsString, Failure> {
    let contents = fs::read(process::locate(Path::new(program)))
        .with_context(|| format!("cannot read `{program}`, which was profiled"))
        .or_exit(PROFILE)?;
    if !process::has_engine(&contents) {
        return Err(Failure::new(
            USAGE,
            anyhow!(
                "--factored measures the idle time of rayon's workers or of OpenMP's threads, and `{program}` uses neither"
            ),
        ));
    }
    Ok(program.into())
}

fn not_instrumented() -> anyhow::Error {
    anyhow!(
        "--factored measures idle time in a program that uses OpenMP, or that workspan has built, and this one is neither: in the \
         project of a rayon program, `cargo workspan scale` builds both; or `--profiled FILE.wsp` names the profile of one that is \
         built"
    )
}

/// Refuses options that need a program built by workspan.
fn check_openmp(factored: &FactoredRuns) -> Result<(), Failure> {
    if !factored.elision {
        return Ok(());
    }
    Err(Failure::new(
        USAGE,
        anyhow!(
            "--elision is for rayon programs: the elision of an OpenMP program is what its compiler makes of it without -fopenmp, \
             and `--baseline 'PROGRAM ARGUMENTS'` compares with that"
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands() -> Commands {
        let words = |text: &str| text.split(' ').map(OsString::from).collect();
        Commands {
            through: Vec::new(),
            plain: words("./sums -t{threads} 100"),
            instrumented: Some(Instrumented::Program("target/workspan/sums".into())),
            stand_in: None,
            baseline: Some(words("./serial 100")),
            threads_variable: Some("RAYON_NUM_THREADS".to_owned()),
            runtime: Some(RuntimeKind::Rayon),
        }
    }

    fn line(kind: RunKind, threads: u32) -> String {
        let job = Job {
            kind,
            threads,
            copies: 1,
        };
        let process = commands().process(job, Path::new("/i"));
        let variables = process.variables.iter();
        let variables = variables.map(|(name, value)| format!("{name}={}", value.display()));
        let words = process.words.iter().map(|word| word.display().to_string());
        variables.chain(words).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_kind_of_run_gets_its_threads() {
        for (kind, expected) in [
            (RunKind::Plain, "RAYON_NUM_THREADS=4 ./sums -t4 100"),
            (RunKind::Copy, "RAYON_NUM_THREADS=1 ./sums -t1 100"),
            (RunKind::Baseline, "./serial 100"),
            (
                RunKind::Idle,
                "RAYON_NUM_THREADS=4 WORKSPAN_IDLE=/i target/workspan/sums -t4 100",
            ),
            (
                RunKind::OneWorker,
                "RAYON_NUM_THREADS=1 WORKSPAN_IDLE=/i WORKSPAN_ASSUME_CORES=4 WORKSPAN_THREADS=1 \
                 target/workspan/sums -t4 100",
            ),
            (
                RunKind::Elision,
                "RAYON_NUM_THREADS=1 WORKSPAN_ELISION=1 target/workspan/sums -t1 100",
            ),
        ] {
            assert_eq!(line(kind, 4), expected);
        }
    }

    #[test]
    fn a_variable_of_the_program_gives_one_worker_all_threads() {
        let commands = Commands {
            threads_variable: Some("CUT".to_owned()),
            ..commands()
        };
        let job = Job {
            kind: RunKind::OneWorker,
            threads: 4,
            copies: 1,
        };
        let variables = commands.process(job, Path::new("/i")).variables;
        assert_eq!(variables[0], ("CUT".to_owned(), "4".into()));
    }
}
