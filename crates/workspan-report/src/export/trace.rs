//! What the workers of a sweep's runs did over time, as trace events.

use std::io;

use serde::Serialize;
use workspan_model::{Nanos, Sweep, SweepRun, Worker, WorkerPhase, Workers};

use crate::program::program;

/// Writes what the workers of `sweep` did over time as JSON for Perfetto, `chrome://tracing` and
/// other readers of trace events (Google's "Trace Event Format"): a process for each number of
/// threads, the run with the median time, with a thread for each worker. All begin at 0.
///
/// Only runs whose idle time was measured are written ([`Sweep::idle_runs`]). It is not known when
/// a worker was busy with tasks and when with the scheduler; the slice around its phases has the
/// total of each.
///
/// # Errors
/// Any error from writing to `output`.
pub fn trace(sweep: &Sweep, output: &mut dyn io::Write) -> io::Result<()> {
    let mut events = Vec::new();
    let mut next_thread = 1;
    for (process, run) in (1..).zip(sweep.idle_runs()) {
        if let Some(workers) = &run.workers {
            let process = Process {
                process,
                first_thread: next_thread,
            };
            process.add(run, workers, sweep, &mut events);
            next_thread += workers.workers.len() as u32;
        }
    }
    let trace = Trace {
        trace_events: events,
        display_time_unit: "ms",
        other_data: Origin {
            program: program(&sweep.command),
            measured_at: sweep.started_at,
            workspan_version: &sweep.workspan_version,
        },
    };
    serde_json::to_writer(&mut *output, &trace)?;
    writeln!(output)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Trace<'a> {
    trace_events: Vec<Event>,
    display_time_unit: &'static str,
    other_data: Origin<'a>,
}

#[derive(Serialize)]
struct Origin<'a> {
    program: String,
    /// In seconds since 1970-01-01 UTC.
    measured_at: u64,
    workspan_version: &'a str,
}

/// An event, under the names of the format.
#[derive(Serialize)]
struct Event {
    name: &'static str,
    #[serde(flatten)]
    kind: Kind,
    #[serde(rename = "pid")]
    process: u32,
    #[serde(rename = "tid")]
    thread: u32,
    args: Args,
}

#[derive(Serialize)]
#[serde(tag = "ph")]
enum Kind {
    #[serde(rename = "M")]
    Metadata,
    /// Something with a beginning and an end.
    #[serde(rename = "X")]
    Slice {
        ts: f64,
        dur: f64,
        cat: &'static str,
    },
    #[serde(rename = "C")]
    Counter { ts: f64 },
}

/// The arguments of an event.
#[derive(Serialize)]
#[serde(untagged)]
enum Args {
    Name {
        name: String,
    },
    Order {
        sort_index: u32,
    },
    Worker {
        work_ns: u64,
        scheduling_ns: u64,
        idle_ns: u64,
    },
    Phase {
        idle_ns: u64,
    },
    Count {
        workers: f64,
    },
}

/// A run among the events.
#[derive(Clone, Copy)]
struct Process {
    process: u32,
    /// The number of its first thread. No two workers of any runs share a number, since readers may
    /// take the numbers for the system's.
    first_thread: u32,
}

impl Process {
    fn add(self, run: &SweepRun, workers: &Workers, sweep: &Sweep, events: &mut Vec<Event>) {
        let threads = match run.threads {
            1 => "1 thread".to_owned(),
            threads => format!("{threads} threads"),
        };
        let name = format!("{}, {threads}", program(&sweep.command));
        let metadata = |name, args| self.event(name, Kind::Metadata, self.first_thread, args);
        events.push(metadata("process_name", Args::Name { name }));
        let order = Args::Order {
            sort_index: self.process,
        };
        events.push(metadata("process_sort_index", order));
        for (thread, (number, worker)) in
            (self.first_thread..).zip(workers.workers.iter().enumerate())
        {
            self.add_worker(thread, number, worker, workers.elapsed, events);
        }
        for (at, idle) in workers.idle_counts() {
            let counter = Kind::Counter {
                ts: microseconds(at),
            };
            let args = Args::Count { workers: idle };
            events.push(self.event("idle workers", counter, self.first_thread, args));
        }
    }

    fn add_worker(
        self,
        thread: u32,
        number: usize,
        worker: &Worker,
        elapsed: Nanos,
        events: &mut Vec<Event>,
    ) {
        let name = Args::Name {
            name: format!("worker {number}"),
        };
        events.push(self.event("thread_name", Kind::Metadata, thread, name));
        let order = Args::Order { sort_index: thread };
        events.push(self.event("thread_sort_index", Kind::Metadata, thread, order));
        let whole = Args::Worker {
            work_ns: worker.work.shown(),
            scheduling_ns: worker.scheduling.shown(),
            idle_ns: worker.idle.shown(),
        };
        let measurement = slice(Nanos::ZERO, elapsed, "measurement");
        events.push(self.event("worker", measurement, thread, whole));
        for phase in worker.phases(elapsed).iter().flatten() {
            let WorkerPhase {
                from,
                to,
                idle,
                activity,
            } = *phase;
            let args = Args::Phase {
                idle_ns: idle.shown(),
            };
            events.push(self.event(activity.name(), slice(from, to, "phase"), thread, args));
        }
    }

    const fn event(self, name: &'static str, kind: Kind, thread: u32, args: Args) -> Event {
        Event {
            name,
            kind,
            process: self.process,
            thread,
            args,
        }
    }
}

/// A slice between two moments of the measurement.
fn slice(from: Nanos, to: Nanos, cat: &'static str) -> Kind {
    Kind::Slice {
        ts: microseconds(from),
        dur: microseconds(to - from),
        cat,
    }
}

/// `time` in the format's unit.
fn microseconds(time: Nanos) -> f64 {
    time.shown() as f64 / 1e3
}
