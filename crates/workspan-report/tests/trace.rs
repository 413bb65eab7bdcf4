//! Traces of workers.

mod sweeps;

use std::collections::BTreeMap;

use serde_json::Value;
use sweeps::samples::SAMPLES;
use workspan_model::{Nanos, SweepRun};
use workspan_report::export;

/// The runs of a sweep over four numbers of threads, and their trace.
fn traced() -> (Vec<&'static SweepRun>, Value) {
    let sweep = &SAMPLES[0].sweep;
    let mut bytes = Vec::new();
    export::trace(sweep, &mut bytes).unwrap();
    (sweep.idle_runs(), serde_json::from_slice(&bytes).unwrap())
}

fn events<'a>(trace: &'a Value, phase: &str) -> Vec<&'a Value> {
    let events = trace["traceEvents"].as_array().unwrap().iter();
    events.filter(|event| event["ph"] == phase).collect()
}

/// `time` is in microseconds.
fn nanos(time: &Value) -> i64 {
    (time.as_f64().unwrap() * 1e3).round() as i64
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

#[test]
fn each_run_is_a_process_with_a_thread_for_each_worker() {
    let (runs, trace) = traced();
    assert_eq!(runs.len(), 4);
    let names = |kind: &str| -> Vec<(u64, u64, &str)> {
        let metadata = events(&trace, "M").into_iter();
        let named = metadata.filter(|event| event["name"] == kind);
        let named = named.map(|event| {
            let name = event["args"]["name"].as_str().unwrap();
            (number(&event["pid"]), number(&event["tid"]), name)
        });
        named.collect()
    };
    let processes: Vec<&str> = names("process_name").iter().map(|name| name.2).collect();
    assert_eq!(processes[0], "cilksort 1000000 200, 1 thread");
    assert_eq!(processes[3], "cilksort 1000000 200, 8 threads");
    let threads = names("thread_name");
    let expected = [1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4];
    assert!(threads.iter().map(|thread| thread.0).eq(expected));
    // No two threads have the same number.
    assert!(threads.iter().map(|thread| thread.1).eq(1..=15));
    assert_eq!(threads[14].2, "worker 7");
}

#[test]
fn phases_fill_the_measurement() {
    let (runs, trace) = traced();
    let workers = runs.iter().map(|run| run.workers.as_ref().unwrap());
    let workers = workers.flat_map(|run| {
        let workers = run.workers.iter();
        workers.map(|worker| (run.elapsed, worker))
    });
    let mut slices: BTreeMap<u64, Vec<&Value>> = BTreeMap::new();
    for slice in events(&trace, "X") {
        slices.entry(number(&slice["tid"])).or_default().push(slice);
    }
    assert_eq!(slices.len(), 15);
    for ((elapsed, worker), slices) in workers.zip(slices.values()) {
        let [whole, phases @ ..] = slices.as_slice() else {
            panic!("{slices:?}");
        };
        assert_eq!(
            (nanos(&whole["ts"]), nanos(&whole["dur"])),
            (0, elapsed.as_nanos())
        );
        assert_eq!(number(&whole["args"]["work_ns"]), worker.work.shown());
        assert_eq!(
            number(&whole["args"]["scheduling_ns"]),
            worker.scheduling.shown()
        );
        assert_eq!(number(&whole["args"]["idle_ns"]), worker.idle.shown());
        let mut at = 0;
        let mut idle = 0;
        for phase in phases {
            assert_eq!(nanos(&phase["ts"]), at);
            let length = nanos(&phase["dur"]);
            let waited = number(&phase["args"]["idle_ns"]) as i64;
            match phase["name"].as_str().unwrap() {
                "busy" => assert!(waited * 50 <= length, "{phase}"),
                "idle" => assert!((length - waited) * 50 <= length, "{phase}"),
                name => assert_eq!(name, "partly idle"),
            }
            at += length;
            idle += waited;
        }
        assert_eq!(at, elapsed.as_nanos());
        // Each part is rounded.
        assert!((idle - worker.idle.as_nanos()).abs() <= 240, "{idle}");
    }
}

#[test]
fn idle_workers_are_counted_over_time() {
    let (runs, trace) = traced();
    let counters = events(&trace, "C").into_iter();
    let counters = counters.filter(|counter| counter["pid"] == 4);
    let counts: Vec<f64> = counters
        .map(|counter| counter["args"]["workers"].as_f64().unwrap())
        .collect();
    assert_eq!(counts.len(), 240);
    // Only at the end do all wait.
    assert_eq!((counts[0], counts[239]), (0.0, 8.0));
    let workers = runs[3].workers.as_ref().unwrap();
    let idle: Nanos = workers.workers.iter().map(|worker| worker.idle).sum();
    let mean = counts.iter().sum::<f64>() / 240.0;
    let expected = idle.share_of(workers.elapsed);
    assert!((mean - expected).abs() < 1e-3, "{mean} {expected}");
}
