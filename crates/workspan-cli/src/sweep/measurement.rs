//! Runs what is to be measured, in rounds, until the times are precise enough.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tempfile::TempDir;
use workspan_format::idle;
use workspan_model::{Exit, Nanos, RunKind, Sweep, SweepRun, TimeEstimate};

use super::commands::Commands;
use super::job::Job;
use super::kept;
use super::problems::Problems;
use super::process::{Ended, Input, Process, run_together};
use super::processors::Processors;
use super::progress::ProgressDisplay;
use super::rounds::{self, Progress};
use super::settings::Settings;
use super::slurm::Slurm;
use super::taken::Watch;
use super::timed::Task;
use crate::exit_code::{Failure, OrExit as _, PROFILE, SETUP};
use crate::message;
use crate::process::Interruption;

/// A sweep while it is being measured.
pub(super) struct Measurement<'a> {
    settings: &'a Settings,
    commands: &'a Commands,
    jobs: Vec<Job>,
    sweep: Sweep,
    /// Where the sweep is kept.
    file: &'a Path,
    /// Processors in the order in which a growing number of threads uses them; empty if the system
    /// chooses.
    processors: Vec<usize>,
    /// All processors, which a process that is not pinned may use.
    usual: Vec<usize>,
    input: Input,
    interruption: &'a Interruption,
    /// The folder for the files that measured programs write.
    folder: TempDir,
    problems: Problems,
    /// Whether the warning of several workers in a run on one has been printed.
    has_warned_of_workers: bool,
    display: ProgressDisplay,
}

/// A sweep after its measurement.
pub(super) struct Outcome {
    pub(super) sweep: Sweep,
    /// The exit of the first job that failed.
    pub(super) failure: Option<Exit>,
    /// Whether all jobs failed.
    pub(super) is_empty: bool,
    /// Whether runs printed different things.
    pub(super) differs: bool,
    /// The signal that ended it early.
    pub(super) interrupted: Option<i32>,
}

impl<'a> Measurement<'a> {
    /// Prepares to measure what is missing from `sweep`.
    pub(super) fn new(
        settings: &'a Settings,
        commands: &'a Commands,
        sweep: Sweep,
        file: &'a Path,
        processors: &Processors,
        input: Input,
        interruption: &'a Interruption,
    ) -> Result<Self, Failure> {
        let jobs = Job::all(&settings.measured);
        let runs = jobs.len() as u32 * (settings.runs + 1);
        Ok(Self {
            settings,
            commands,
            jobs,
            sweep,
            file,
            processors: processors.order(settings.pinning()).unwrap_or_default(),
            usual: processors.numbers(),
            input,
            interruption,
            folder: folder(settings).or_exit(SETUP)?,
            problems: Problems::default(),
            has_warned_of_workers: false,
            display: ProgressDisplay::begin(runs),
        })
    }

    /// Measures, and saves the sweep after every run.
    pub(super) fn measure(mut self) -> Result<Outcome, Failure> {
        let measured = match &self.settings.slurm {
            Some(slurm) => self.in_batch(slurm),
            None => self.warm_up().and_then(|()| self.rounds()),
        };
        self.display.end();
        measured?;
        for difference in self.problems.differences(&self.jobs) {
            message::warning(difference);
        }
        Ok(Outcome {
            failure: self.problems.first_failure(),
            is_empty: self.problems.failed() == self.jobs.len(),
            differs: self.problems.has_differences(),
            interrupted: self.interruption.signal(),
            sweep: self.sweep,
        })
    }

    fn warm_up(&mut self) -> Result<(), Failure> {
        for index in 0..self.jobs.len() {
            if self.progress_of(index).wants_more(self.settings.runs) {
                self.run(index, true)?;
            }
        }
        Ok(())
    }

    fn rounds(&mut self) -> Result<(), Failure> {
        for round in 1.. {
            let progress: Vec<Progress> = (0..self.jobs.len())
                .map(|index| self.progress_of(index))
                .collect();
            let order = rounds::order(
                &progress,
                self.settings.runs,
                self.sweep.seed,
                self.next_order(),
            );
            if order.is_empty() || self.interruption.signal().is_some() {
                break;
            }
            for &index in &order {
                self.run(index, false)?;
            }
            self.display.round(format_args!(
                "round {round}, {} at most: {} measured",
                self.settings.runs,
                order.len()
            ));
        }
        Ok(())
    }

    /// Submits all runs at once, since each submission may wait in the queue for any length of
    /// time.
    fn in_batch(&mut self, slurm: &Slurm) -> Result<(), Failure> {
        let planned = self.planned();
        let tasks: Vec<Task> = planned
            .iter()
            .enumerate()
            .map(|(number, &(index, _))| {
                let file = |extension| self.folder.path().join(format!("{number}.{extension}"));
                Task {
                    process: self.commands.process(self.jobs[index], &file("idle")),
                    timeout: self.settings.timeout,
                    result: file("times"),
                }
            })
            .collect();
        if tasks.is_empty() {
            return Ok(());
        }
        let threads = self.jobs.iter().map(|job| job.threads).max().unwrap_or(1);
        if self.input != Input::Nothing {
            message::warning("standard input does not get to Slurm: runs read nothing");
        }
        let all = slurm.run(&tasks, threads, self.folder.path(), self.interruption)?;
        let mut unread = None;
        for (number, (&(index, is_warm_up), ended)) in planned.iter().zip(all).enumerate() {
            let Some(ended) = ended else {
                if self.interruption.signal().is_some() {
                    continue;
                }
                let name = self.jobs[index].name();
                self.display.warn(format_args!(
                    "with {name} task {number} of the job array left no times"
                ));
                self.problems.fail_with(index, Exit::Code(1));
                continue;
            };
            let order = self.next_order();
            let idle_file = self.folder.path().join(format!("{number}.idle"));
            match self.record(index, &idle_file, &ended, order, is_warm_up) {
                Ok(run) => self.sweep.runs.push(run),
                // The other runs are still kept.
                Err(failure) => unread = unread.or(Some(failure)),
            }
        }
        kept::write(self.file, &self.sweep).or_exit(PROFILE)?;
        unread.map_or(Ok(()), Err)
    }

    /// The jobs of all missing runs, in order, and whether each run is a warm-up.
    fn planned(&self) -> Vec<(usize, bool)> {
        let mut progress: Vec<Progress> = (0..self.jobs.len())
            .map(|index| self.progress_of(index))
            .collect();
        let most = self.settings.runs;
        let wanted = (0..self.jobs.len()).filter(|&index| progress[index].wants_more(most));
        let mut planned: Vec<(usize, bool)> = wanted.map(|index| (index, true)).collect();
        for round in 0.. {
            let order = rounds::order(&progress, most, self.sweep.seed, round);
            if order.is_empty() {
                break;
            }
            for index in order {
                progress[index].runs += 1;
                planned.push((index, false));
            }
        }
        planned
    }

    fn progress_of(&self, index: usize) -> Progress {
        let times = self.times(self.jobs[index]);
        let estimate = TimeEstimate::from_times(&times);
        Progress {
            runs: times.len() as u32,
            is_narrow: estimate
                .and_then(|estimate| estimate.half_width())
                .is_some_and(|width| width <= self.settings.precision),
            has_failed: self.problems.has_failed(index),
        }
    }

    /// The time of each run of a job that counts, which is that of its slowest copy.
    fn times(&self, job: Job) -> Vec<Nanos> {
        let mut times: BTreeMap<u32, Nanos> = BTreeMap::new();
        for run in &self.sweep.runs {
            if run.counts() && job == job_of(run) {
                let slowest = times.entry(run.order).or_insert(run.elapsed);
                *slowest = run.elapsed.max(*slowest);
            }
        }
        times.into_values().collect()
    }

    fn next_order(&self) -> u32 {
        self.sweep.runs.last().map_or(0, |run| run.order + 1)
    }

    /// Makes a run of a job and saves it.
    fn run(&mut self, index: usize, is_warm_up: bool) -> Result<(), Failure> {
        if self.interruption.signal().is_some() {
            return Ok(());
        }
        let job = self.jobs[index];
        self.show_next(job);
        let processes: Vec<Process> = (0..job.copies)
            .map(|copy| self.process(job, copy))
            .collect();
        // The file may be that of an earlier run.
        let _ = std::fs::remove_file(self.idle_file(0));
        let (ended, taken) = match &self.settings.launcher {
            None => {
                let watch = Watch::begin();
                let ended = run_together(
                    &processes,
                    self.input,
                    self.settings.timeout,
                    self.interruption,
                )?;
                let taken = watch.and_then(|watch| {
                    watch.taken(&processes, job.processors(), &self.usual, &ended)
                });
                (ended, taken)
            }
            Some(launcher) => {
                let ended = launcher.run_together(
                    &processes,
                    job.threads,
                    self.folder.path(),
                    self.input,
                    self.settings.timeout,
                    self.interruption,
                )?;
                (ended, None)
            }
        };
        if self.interruption.signal().is_some() {
            return Ok(());
        }
        let order = self.next_order();
        for (copy, ended) in ended.iter().enumerate() {
            let idle_file = self.idle_file(copy as u32);
            let run = self.record(index, &idle_file, ended, order, is_warm_up)?;
            self.sweep.runs.push(SweepRun {
                lacked: taken,
                ..run
            });
        }
        kept::write(self.file, &self.sweep).or_exit(PROFILE)
    }

    fn process(&self, job: Job, copy: u32) -> Process {
        Process {
            processors: job.processors_of(copy, &self.processors),
            ..self.commands.process(job, &self.idle_file(copy))
        }
    }

    fn idle_file(&self, copy: u32) -> PathBuf {
        self.folder.path().join(format!("{copy}.idle"))
    }

    fn record(
        &mut self,
        index: usize,
        idle_file: &Path,
        ended: &Ended,
        order: u32,
        is_warm_up: bool,
    ) -> Result<SweepRun, Failure> {
        let job = self.jobs[index];
        let is_success = ended.times.exit == Exit::Code(0);
        if let Some(processors) = ended.times.processors_there {
            // The runs with the most threads are given the most processors.
            let cores = &mut self.sweep.machine.cores;
            *cores = processors.max(*cores);
        }
        let mut workers = None;
        if !is_success {
            let is_first = !self.problems.has_failed(index);
            let failure = self.problems.fail(index, job, ended);
            if is_first {
                self.display.warn(failure);
            }
        } else if job.kind == RunKind::Idle {
            let read = idle::read(idle_file)
                .with_context(|| format!("with {}, the idle time was not told", job.name()));
            workers = Some(read.or_exit(PROFILE)?);
        } else if job.kind == RunKind::OneWorker {
            self.check_one_worker(job, idle_file);
        }
        let same_output =
            if is_success && self.settings.check_output && job.kind != RunKind::Baseline {
                Some(self.problems.compare(index, ended).or_exit(SETUP)?)
            } else {
                None
            };
        Ok(SweepRun {
            kind: job.kind,
            threads: job.threads,
            copies: job.copies,
            order,
            is_warm_up,
            elapsed: ended.times.elapsed,
            user: ended.times.user,
            system: ended.times.system,
            lacked: None,
            workers,
            exit: ended.times.exit,
            timed_out: ended.times.timed_out,
            same_output,
        })
    }

    /// Warns if a run on one worker had several, because the program sets the size of its pool.
    fn check_one_worker(&mut self, job: Job, idle_file: &Path) {
        let workers = idle::read(idle_file).map_or(1, |idle| idle.workers.len());
        if workers > 1 && !self.has_warned_of_workers {
            self.has_warned_of_workers = true;
            let source = self.commands.threads_variable.as_deref();
            self.display.warn(format_args!(
                "with {} the program had {workers} workers: --t1-per-p is for programs that leave the number of their threads to \
                 {}, and these times are not T_1^P",
                job.name(),
                source.unwrap_or("their runtime"),
            ));
        }
    }

    fn show_next(&self, job: Job) {
        let (mut left, mut remaining) = (0, Some(Nanos::ZERO));
        for index in 0..self.jobs.len() {
            let progress = self.progress_of(index);
            if !progress.wants_more(self.settings.runs) {
                continue;
            }
            let runs = self.settings.runs - progress.runs;
            left += runs;
            let last = self.last_time(self.jobs[index]);
            remaining = remaining.zip(last).map(|(remaining, last)| {
                let nanos = last.as_nanos().saturating_mul(i64::from(runs));
                remaining + Nanos::from_nanos(nanos)
            });
        }
        self.display
            .next(&job.name(), self.next_order(), left, remaining);
    }

    /// The time of the last run of a job, warm-up included.
    fn last_time(&self, job: Job) -> Option<Nanos> {
        let mut runs = self.sweep.runs.iter().rev();
        runs.find(|run| job == job_of(run)).map(|run| run.elapsed)
    }
}

/// A folder for the files that measured programs write. Another machine may have only the current
/// folder, too, or that of the file that the user named.
fn folder(settings: &Settings) -> anyhow::Result<TempDir> {
    if !settings.runs_elsewhere() {
        return Ok(tempfile::tempdir()?);
    }
    let file = settings.file.as_deref().unwrap_or(Path::new("sweep"));
    let file = std::path::absolute(file)?;
    let parent = file.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(parent)?;
    let folder = tempfile::Builder::new().prefix("sweep-").tempdir_in(parent);
    folder.with_context(|| format!("cannot write to {}", parent.display()))
}

fn job_of(run: &SweepRun) -> Job {
    Job {
        kind: run.kind,
        threads: run.threads,
        copies: run.copies,
    }
}
