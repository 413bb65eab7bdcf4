//! The things that a sweep measures.

use workspan_model::RunKind;

use super::settings::Measured;

/// Something to measure: runs of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) kind: RunKind,
    /// The number of threads that the program is given.
    pub(super) threads: u32,
    /// The number of copies that run at once.
    pub(super) copies: u32,
}

impl Job {
    /// All jobs of a sweep, in the order of their warm-ups. Plain runs come first, since they show
    /// early whether the program works at all.
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

    /// Its name in messages.
    pub(super) fn name(self) -> String {
        let Self {
            kind,
            threads,
            copies,
        } = self;
        let threads = match threads {
            1 => "1 thread".to_owned(),
            several => format!("{several} threads"),
        };
        match kind {
            RunKind::Plain => threads,
            RunKind::Idle => format!("{threads} with idle time"),
            RunKind::OneWorker => format!("1 worker told of {threads}"),
            RunKind::Baseline => "the baseline".to_owned(),
            RunKind::Elision => "the elision".to_owned(),
            RunKind::Copy if copies == 1 => "1 copy".to_owned(),
            RunKind::Copy => format!("{copies} copies"),
        }
    }

    /// The number of processors that each of its processes needs.
    pub(super) const fn processors(self) -> u32 {
        match self.kind {
            RunKind::Plain | RunKind::Idle => self.threads,
            RunKind::OneWorker | RunKind::Baseline | RunKind::Elision | RunKind::Copy => 1,
        }
    }

    /// The processors of the process with the index `copy`, taken from `order`; all of those if
    /// there are too few.
    pub(super) fn processors_of(self, copy: u32, order: &[usize]) -> Vec<usize> {
        if order.is_empty() {
            return Vec::new();
        }
        let wanted = (self.processors() as usize).min(order.len());
        let places = order.iter().cycle().skip(copy as usize);
        places.take(wanted).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::settings::{FactoredRuns, Words};
    use super::*;

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
            baseline: Some(Words(vec!["serial".to_owned()])),
            elision: true,
            one_worker: true,
            libomp: None,
        };
        assert_eq!(
            kinds(Some(factored), false),
            "1 thread, 2 threads, the baseline, 1 thread with idle time, 2 threads with idle time, the elision, 1 worker \
             told of 1 thread, 1 worker told of 2 threads"
        );
    }
}
