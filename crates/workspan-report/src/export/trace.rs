//! What the workers of a sweep's runs did over time, as trace events.

use std::io;

use serde_json::{Value, json};
use workspan_model::{Nanos, Sweep, SweepRun, Worker, WorkerPhase, Workers};

use crate::notation::figures::counted;
use crate::notation::program::program;

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
    let trace = json!({
        "traceEvents": events,
        "displayTimeUnit": "ms",
        "otherData": {
            "program": program(&sweep.command),
            // In seconds since 1970-01-01 UTC.
            "measured_at": sweep.started_at,
            "workspan_version": sweep.workspan_version,
        },
    });
    serde_json::to_writer(&mut *output, &trace)?;
    writeln!(output)
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
    fn add(self, run: &SweepRun, workers: &Workers, sweep: &Sweep, events: &mut Vec<Value>) {
        let threads = counted(run.threads.into(), "thread", "threads");
        let name = format!("{}, {threads}", program(&sweep.command));
        let first = self.first_thread;
        events.push(self.metadata("process_name", first, json!({ "name": name })));
        let order = json!({ "sort_index": self.process });
        events.push(self.metadata("process_sort_index", first, order));
        for (thread, (number, worker)) in (first..).zip(workers.workers.iter().enumerate()) {
            self.add_worker(thread, number, worker, workers.elapsed, events);
        }
        for (at, idle) in workers.idle_counts() {
            events.push(json!({
                "name": "idle workers", "ph": "C", "ts": microseconds(at),
                "pid": self.process, "tid": first, "args": { "workers": idle },
            }));
        }
    }

    fn add_worker(
        self,
        thread: u32,
        number: usize,
        worker: &Worker,
        elapsed: Nanos,
        events: &mut Vec<Value>,
    ) {
        let name = json!({ "name": format!("worker {number}") });
        events.push(self.metadata("thread_name", thread, name));
        let order = json!({ "sort_index": thread });
        events.push(self.metadata("thread_sort_index", thread, order));
        // Something with a beginning and an end.
        let slice = |name: &str, category: &str, from: Nanos, to: Nanos, args: Value| {
            json!({
                "name": name, "ph": "X", "ts": microseconds(from), "dur": microseconds(to - from),
                "cat": category, "pid": self.process, "tid": thread, "args": args,
            })
        };
        let whole = json!({
            "work_ns": worker.work.shown(),
            "scheduling_ns": worker.scheduling.shown(),
            "idle_ns": worker.idle.shown(),
        });
        events.push(slice("worker", "measurement", Nanos::ZERO, elapsed, whole));
        let phases = worker.phases(elapsed).into_iter().flatten();
        events.extend(phases.map(|phase| {
            let WorkerPhase {
                from,
                to,
                idle,
                activity,
            } = phase;
            let idle = json!({ "idle_ns": idle.shown() });
            slice(activity.name(), "phase", from, to, idle)
        }));
    }

    fn metadata(self, name: &str, thread: u32, args: Value) -> Value {
        json!({ "name": name, "ph": "M", "pid": self.process, "tid": thread, "args": args })
    }
}

/// `time` in the format's unit.
fn microseconds(time: Nanos) -> f64 {
    time.shown() as f64 / 1e3
}
