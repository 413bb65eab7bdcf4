//! The things that a sweep measures, and how a run of each is started.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use workspan_model::RunKind;

use super::process::Process;
use super::settings::Measured;

/// What stands for the number of threads in arguments.
pub(super) const PLACEHOLDER: &str = "{threads}";
/// The variable that tells rayon the size of its pool.
pub(super) const RAYON_VARIABLE: &str = "RAYON_NUM_THREADS";

/// A thing that is measured: runs of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) kind: RunKind,
    /// What the program is told.
    pub(super) threads: u32,
    /// How many copies run at once.
    pub(super) copies: u32,
}

impl Job {
    /// All that is to be measured, in the order in which it is warmed up: what shows first whether the program works at all
    /// stands first.
    pub(super) fn all(measured: &Measured) -> Vec<Self> {
        let job = |kind, threads, copies| Self {
            kind,
            threads,
            copies,
        };
        let at_once = |copies| job(RunKind::Copy, 1, copies);
        match measured {
            Measured::Copies(copies) => copies.iter().copied().map(at_once).collect(),
            Measured::Threads {
                threads,
                factored,
                copies,
            } => {
                let each = |kind| threads.iter().map(move |&threads| job(kind, threads, 1));
                let mut jobs: Vec<Self> = each(RunKind::Plain).collect();
                if let Some(factored) = factored {
                    jobs.extend(
                        factored
                            .baseline
                            .is_some()
                            .then(|| job(RunKind::Baseline, 1, 1)),
                    );
                    jobs.extend(each(RunKind::Idle));
                    jobs.extend(factored.elision.then(|| job(RunKind::Elision, 1, 1)));
                    if factored.one_worker {
                        jobs.extend(each(RunKind::OneWorker));
                    }
                }
                if *copies {
                    jobs.extend(threads.iter().copied().map(at_once));
                }
                jobs
            }
        }
    }

    /// What it is called in messages.
    pub(super) fn name(self) -> String {
        let Self {
            kind,
            threads,
            copies,
        } = self;
        let of = |number: u32, one: &str| match number {
            1 => format!("1 {one}"),
            several => format!("{several} {one}s"),
        };
        match kind {
            RunKind::Plain => of(threads, "thread"),
            RunKind::Idle => format!("{} with idle time", of(threads, "thread")),
            RunKind::OneWorker => format!("1 worker told of {}", of(threads, "thread")),
            RunKind::Baseline => "the baseline".to_owned(),
            RunKind::Elision => "the elision".to_owned(),
            RunKind::Copy if copies == 1 => "1 copy".to_owned(),
            RunKind::Copy => format!("{copies} copies"),
        }
    }

    /// How many processors a process of it needs.
    pub(super) const fn processors(self) -> u32 {
        match self.kind {
            RunKind::Plain | RunKind::Idle => self.threads,
            RunKind::OneWorker | RunKind::Baseline | RunKind::Elision | RunKind::Copy => 1,
        }
    }

    /// The processors of its `copy`th process, of those in `order`; all if there are not enough.
    pub(super) fn processors_of(self, copy: u32, order: &[usize]) -> Vec<usize> {
        if order.is_empty() {
            return Vec::new();
        }
        let wanted = (self.processors() as usize).min(order.len());
        let places = order.iter().cycle().skip(copy as usize);
        places.take(wanted).copied().collect()
    }
}

/// The programs that a sweep runs, and how they are told their number of threads.
#[derive(Clone, Debug)]
pub(super) struct Commands {
    /// The user's own runner.
    pub(super) through: Vec<OsString>,
    /// The program and its arguments.
    pub(super) plain: Vec<OsString>,
    /// The same program with the engine in it.
    pub(super) instrumented: Option<OsString>,
    pub(super) baseline: Option<Vec<OsString>>,
    pub(super) threads_variable: Option<String>,
}

impl Commands {
    /// The process of a job, but for its processors. One whose workers are measured writes that to `idle_file`.
    pub(super) fn process(&self, job: Job, idle_file: &Path) -> Process {
        let threads = |number: u32| {
            let variable = self.threads_variable.iter();
            variable.map(move |name| (name.clone(), OsString::from(number.to_string())))
        };
        let own = |name: &str, value: &OsStr| (name.to_owned(), value.to_owned());
        let told = job.threads.to_string();
        let (words, variables) = match job.kind {
            RunKind::Plain => (self.plain(job.threads), threads(job.threads).collect()),
            RunKind::Copy => (self.plain(1), threads(1).collect()),
            RunKind::Baseline => (self.baseline.clone().unwrap_or_default(), Vec::new()),
            RunKind::Idle => {
                let mut variables: Vec<_> = threads(job.threads).collect();
                variables.push(own("WORKSPAN_IDLE", idle_file.as_os_str()));
                (self.instrumented(job.threads), variables)
            }
            RunKind::OneWorker => {
                // Rayon's own variable is the size of the pool; any other one may be what work is cut by.
                let is_size = self.threads_variable.as_deref() == Some(RAYON_VARIABLE);
                let mut variables: Vec<_> =
                    threads(if is_size { 1 } else { job.threads }).collect();
                variables.push(own("WORKSPAN_IDLE", idle_file.as_os_str()));
                variables.push(own("WORKSPAN_ASSUME_CORES", told.as_ref()));
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
        if let Some(program) = &self.instrumented {
            words[0].clone_from(program);
        }
        words
    }
}

/// A word with a number in place of the placeholder.
pub(crate) fn filled_in(word: &OsStr, threads: u32) -> OsString {
    match word.to_str() {
        Some(text) => text.replace(PLACEHOLDER, &threads.to_string()).into(),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::settings::FactoredRuns;
    use super::*;

    fn commands() -> Commands {
        let words = |text: &str| text.split(' ').map(OsString::from).collect();
        Commands {
            through: Vec::new(),
            plain: words("./sums -t{threads} 100"),
            instrumented: Some("target/workspan/sums".into()),
            baseline: Some(words("./serial 100")),
            threads_variable: Some("RAYON_NUM_THREADS".to_owned()),
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
    fn each_kind_of_run_is_told_its_threads() {
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
    fn one_worker_is_told_all_threads_by_a_variable_of_the_program() {
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

    #[test]
    fn processors_are_taken_in_order() {
        let job = |kind, threads, copies| Job {
            kind,
            threads,
            copies,
        };
        let order = [0, 2, 1, 3];
        let plain = job(RunKind::Plain, 3, 1);
        assert_eq!(plain.processors_of(0, &order), [0, 2, 1]);
        let more = job(RunKind::Plain, 9, 1);
        assert_eq!(more.processors_of(0, &order), order);
        let copies = job(RunKind::Copy, 1, 5);
        let of_each: Vec<_> = (0..5)
            .flat_map(|copy| copies.processors_of(copy, &order))
            .collect();
        assert_eq!(of_each, [0, 2, 1, 3, 0]);
        assert!(plain.processors_of(0, &[]).is_empty());
    }

    #[test]
    fn factored_speedups_need_more_kinds_of_runs() {
        let kinds = |factored, copies| {
            let jobs = Job::all(&Measured::Threads {
                threads: vec![1, 2],
                factored,
                copies,
            });
            jobs.iter()
                .map(|job| job.name())
                .collect::<Vec<_>>()
                .join(", ")
        };
        assert_eq!(kinds(None, false), "1 thread, 2 threads");
        assert_eq!(kinds(None, true), "1 thread, 2 threads, 1 copy, 2 copies");
        let factored = FactoredRuns {
            baseline: Some(vec!["serial".to_owned()]),
            elision: true,
            one_worker: true,
        };
        assert_eq!(
            kinds(Some(factored), false),
            "1 thread, 2 threads, the baseline, 1 thread with idle time, 2 threads with idle time, the elision, 1 worker \
             told of 1 thread, 1 worker told of 2 threads"
        );
    }
}
