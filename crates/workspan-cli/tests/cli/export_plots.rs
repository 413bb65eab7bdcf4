//! `workspan export`: plots, traces, tables and the task dag of profiles and sweeps.

use std::fs::{self, File};

use serde_json::Value;
use tempfile::TempDir;
use workspan_model::example::quicksort;
use workspan_model::{IdlePhase, Nanos, RunKind, Sweep, SweepRun, Worker, Workers};

use crate::project::{Ran, command, workspan};
use crate::stored::stored;
use crate::sweeps;

/// A sweep of the command of [`quicksort`] on 1 and 2 threads. On 2 it is twice as fast, except
/// that one worker waits at first.
fn sweep() -> Sweep {
    let kinds = [RunKind::Plain, RunKind::Idle];
    let runs = kinds.into_iter().flat_map(|kind| {
        let runs = [(1, 1_000), (2, 500), (2, 520)].into_iter().enumerate();
        runs.map(move |(order, (threads, milliseconds))| run(kind, order, threads, milliseconds))
    });
    Sweep {
        command: quicksort().run.command,
        threads: vec![1, 2],
        runs: runs.collect(),
        ..sweeps::tiny()
    }
}

fn run(kind: RunKind, order: usize, threads: u32, milliseconds: i64) -> SweepRun {
    let elapsed = Nanos::from_nanos(milliseconds * 1_000_000);
    let idle = Nanos::from_nanos(48_000_000);
    let workers = (0..threads).map(|number| {
        let mut worker = Worker {
            work: elapsed,
            ..Worker::default()
        };
        if number == 1 {
            worker.work = elapsed - idle;
            worker.idle = idle;
            let phase = IdlePhase {
                from: Nanos::ZERO,
                to: idle,
                waited: idle,
            };
            worker.keep_idle_phase(phase, elapsed);
        }
        worker
    });
    let workers = Workers {
        elapsed,
        outside: Nanos::ZERO,
        workers: workers.collect(),
    };
    SweepRun {
        kind,
        threads,
        order: order as u32,
        elapsed,
        user: elapsed,
        workers: (kind == RunKind::Idle).then_some(workers),
        ..sweeps::tiny().runs[0].clone()
    }
}

fn write(folder: &TempDir, name: &str, sweep: &Sweep) {
    fs::write(folder.path().join(name), serde_json::to_vec(sweep).unwrap()).unwrap();
}

/// The stored profiles with a sweep for each: `q.sweep.json` has the same command,
/// `plain.sweep.json` has another one and no idle time.
fn with_sweeps() -> TempDir {
    let folder = stored();
    write(&folder, "q.sweep.json", &sweep());
    let mut plain = sweep();
    plain.command.push("more".to_owned());
    plain.runs.retain(|run| run.kind == RunKind::Plain);
    write(&folder, "plain.sweep.json", &plain);
    folder
}

fn export(folder: &TempDir, file: &str, format: &str, options: &str) -> Ran {
    workspan(
        folder.path(),
        &format!("export {file} --format {format} {options}"),
    )
}

/// The curves in the legend of an SVG plot.
fn curves(ran: &Ran) -> Vec<&'static str> {
    let names = [
        "upper bound",
        "lower bound",
        "predicted",
        "linear",
        "measured",
        "maximal",
    ];
    let svg = &ran.succeeds().stdout;
    assert!(svg.starts_with("<svg "), "{svg}");
    let names = names.into_iter();
    names
        .filter(|name| svg.contains(&format!("\n{name}\n")))
        .collect()
}

#[test]
fn measured_speedups_are_drawn_over_expected_ones() {
    let folder = with_sweeps();
    let expected = ["upper bound", "lower bound", "predicted", "measured"];
    let profile = export(&folder, "q.wsp", "svg", "");
    assert_eq!(curves(&profile), expected);
    let sweep = export(&folder, "q.sweep.json", "svg", "--plot speedup");
    assert_eq!(curves(&sweep), expected);
    // A file of another command is left out.
    let profile = export(&folder, "plain.wsp", "svg", "");
    profile.says("plain.sweep.json is of another command, and left out");
    assert_eq!(curves(&profile), expected[..2]);
    let sweep = export(&folder, "plain.sweep.json", "svg", "");
    sweep.says("plain.wsp is of another command, and left out");
    assert_eq!(curves(&sweep), ["linear", "measured"]);
    // It is used if an option names it.
    let options = "--profiled plain.wsp";
    let sweep = export(&folder, "plain.sweep.json", "svg", options);
    sweep.does_not_say("another command");
    assert_eq!(curves(&sweep), ["upper bound", "lower bound", "measured"]);
    let options = "--sweep plain.sweep.json";
    let profile = export(&folder, "plain.wsp", "svg", options);
    assert_eq!(curves(&profile), ["upper bound", "lower bound", "measured"]);
}

#[test]
fn a_page_shows_the_sweep_of_its_own_command() {
    let folder = with_sweeps();
    let has_workers = |file: &str, options: &str| {
        let line = format!("report {file} --html - {options}");
        let ran = workspan(folder.path(), &line);
        let is_without = ran.succeeds().stdout.contains(r#""workers":null"#);
        (!is_without, ran)
    };
    let (own, ran) = has_workers("q.wsp", "");
    ran.does_not_say("another command");
    let (another, ran) = has_workers("plain.wsp", "");
    ran.says("plain.sweep.json is of another command, and left out");
    let (asked, _) = has_workers("plain.wsp", "--sweep plain.sweep.json");
    assert_eq!([own, another, asked], [true, false, true]);
}

#[test]
fn the_plot_of_a_sweep_is_chosen() {
    let folder = with_sweeps();
    export(&folder, "q.sweep.json", "svg", "")
        .succeeds()
        .says("drawn is speedup; --plot chooses of speedup, factored");
    let factored = export(&folder, "q.sweep.json", "svg", "--plot factored");
    factored.does_not_say("--plot");
    assert!(curves(&factored).contains(&"maximal"));
    for (file, plot) in [("q.wsp", "factored"), ("plain.sweep.json", "bandwidth")] {
        export(&folder, file, "svg", &format!("--plot {plot}"))
            .exits(4)
            .says(&format!("{file} has no plot {plot}, but speedup"));
    }
    export(&folder, "q.wsp", "svg", "--plot other").exits(2);
}

#[test]
fn plots_are_scripts_too() {
    let folder = with_sweeps();
    for file in ["q.wsp", "q.sweep.json"] {
        export(&folder, file, "gnuplot", "")
            .succeeds()
            .shows("set output 'speedup.svg'");
        export(&folder, file, "gnuplot", "-o q.gnuplot").succeeds();
        let script = fs::read_to_string(folder.path().join("q.gnuplot")).unwrap();
        assert!(script.contains("set output 'q.svg'"), "{script}");
    }
}

/// One worker waits for the first 48 of 520 ms.
#[test]
fn a_sweep_has_a_trace_of_its_workers() {
    let folder = with_sweeps();
    let trace = export(&folder, "q.sweep.json", "trace", "");
    let trace = trace.succeeds().json();
    let events = trace["traceEvents"].as_array().unwrap().iter();
    let idle: Vec<&Value> = events.filter(|event| event["name"] == "idle").collect();
    let [idle] = idle.as_slice() else {
        panic!("{idle:?}");
    };
    assert_eq!(
        (&idle["pid"], &idle["tid"], &idle["ts"]),
        (&2.into(), &3.into(), &0.0.into())
    );
    // The median of the two runs is the shorter one, of 500 ms; 23 of its 240 parts are wholly
    // idle.
    let length = idle["dur"].as_f64().unwrap();
    assert!((length - 500e3 * 23.0 / 240.0).abs() < 1.0, "{length}");
}

#[test]
fn the_reason_for_no_trace_is_reported() {
    let folder = with_sweeps();
    export(&folder, "q.wsp", "trace", "")
        .exits(4)
        .says("q.wsp has no timeline")
        .says("cargo workspan scale --factored")
        .says(".sweep.json");
    export(&folder, "plain.sweep.json", "trace", "")
        .exits(4)
        .says("no run of which idle time was measured")
        .says("cargo workspan scale --factored");
    let mut older = sweep();
    let workers = older.runs.iter_mut().flat_map(|run| &mut run.workers);
    for worker in workers.flat_map(|workers| &mut workers.workers) {
        worker.idle_parts.clear();
    }
    write(&folder, "older.sweep.json", &older);
    export(&folder, "older.sweep.json", "trace", "")
        .exits(4)
        .says("kept how long workers were idle, but not when");
}

#[test]
fn tables_and_dags_are_those_of_the_other_commands() {
    let folder = with_sweeps();
    for (format, other) in [
        ("csv", "report q.wsp --csv -"),
        ("json", "report q.wsp --json -"),
        ("dot", "dag q.wsp --dot"),
    ] {
        let other = workspan(folder.path(), other);
        export(&folder, "q.wsp", format, "")
            .succeeds()
            .prints(&other.succeeds().stdout);
    }
    export(&folder, "plain.wsp", "dot", "")
        .exits(4)
        .says("no task dag");
    let sweep = export(&folder, "q.sweep.json", "csv", "");
    assert_eq!(sweep.succeeds().stdout.lines().count(), 3);
    let sweep = export(&folder, "q.sweep.json", "json", "");
    assert_eq!(sweep.succeeds().json()["schema_version"], 1);
    export(&folder, "q.sweep.json", "dot", "")
        .exits(4)
        .says("q.sweep.json holds a sweep, and dot is made of a profile");
}

#[test]
fn files_that_are_no_sweep_are_reported() {
    let folder = with_sweeps();
    fs::write(folder.path().join("other.json"), "{\"version\": 99}").unwrap();
    export(&folder, "other.json", "svg", "")
        .exits(4)
        .says("other.json")
        .says("of version 99");
}

#[test]
fn useless_options_are_refused() {
    let folder = with_sweeps();
    for (file, format, option, value) in [
        ("q.wsp", "csv", "--by", "work"),
        ("q.sweep.json", "svg", "--by", "span"),
        ("q.wsp", "collapsed", "--plot", "speedup"),
        ("q.sweep.json", "json", "--plot", "factored"),
        ("q.wsp", "dot", "--sweep", "q.sweep.json"),
        ("q.wsp", "json", "--sweep", "q.sweep.json"),
        ("q.sweep.json", "svg", "--sweep", "q.sweep.json"),
        ("q.wsp", "svg", "--profiled", "q.wsp"),
        ("q.sweep.json", "trace", "--profiled", "q.wsp"),
    ] {
        export(&folder, file, format, &format!("{option} {value}"))
            .exits(2)
            .says(&format!("has no use for {option}, which "))
            .says(&format!("leave {option} out"));
    }
    let figures = |options: &str| {
        let ran = export(&folder, "plain.sweep.json", "json", options);
        ran.succeeds().stdout.clone()
    };
    assert_ne!(figures("--profiled plain.wsp"), figures(""));
}

#[test]
fn a_pipe_is_read() {
    let folder = with_sweeps();
    for (file, format) in [("q.wsp", "collapsed"), ("q.sweep.json", "trace")] {
        let from_file = export(&folder, file, format, "");
        let (reader, mut writer) = std::io::pipe().unwrap();
        let mut contents = File::open(folder.path().join(file)).unwrap();
        let writing = std::thread::spawn(move || std::io::copy(&mut contents, &mut writer));
        let line = format!("export /dev/stdin --format {format}");
        Ran::new(command(folder.path(), &line).stdin(reader))
            .succeeds()
            .prints(&from_file.succeeds().stdout);
        writing.join().unwrap().unwrap();
    }
}
