//! `workspan export`: plots, traces, tables and the task dag, of profiles and of sweeps.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use workspan_model::example::quicksort;
use workspan_model::{
    Exit, IdlePhase, Nanos, Pinning, RunKind, SWEEP_VERSION, Sweep, SweepMachine, SweepRun, Worker,
    Workers,
};

use crate::project::{Ran, workspan};
use crate::stored::stored;

/// Runs of the command that [`quicksort`] is of, on 1 and 2 threads: twice as fast, but for a worker that waits at first.
fn sweep() -> Sweep {
    let kinds = [RunKind::Plain, RunKind::Idle];
    let runs = kinds.into_iter().flat_map(|kind| {
        let runs = [(1, 1_000), (2, 500), (2, 520)].into_iter().enumerate();
        runs.map(move |(order, (threads, milliseconds))| run(kind, order, threads, milliseconds))
    });
    Sweep {
        version: SWEEP_VERSION,
        command: quicksort().run.command,
        program_digest: None,
        baseline_digest: None,
        baseline: None,
        threads_variable: Some("RAYON_NUM_THREADS".to_owned()),
        pinning: Pinning::None,
        runtime: None,
        stand_in: None,
        launcher: None,
        machine: SweepMachine {
            cores: 2,
            ..SweepMachine::default()
        },
        started_at: 1_700_000_000,
        threads: vec![1, 2],
        runs_wanted: 2,
        seed: 0,
        workspan_version: "0.1.0".to_owned(),
        runs: runs.collect(),
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
        copies: 1,
        order: order as u32,
        is_warm_up: false,
        elapsed,
        user: elapsed,
        system: Nanos::ZERO,
        lacked: None,
        workers: (kind == RunKind::Idle).then_some(workers),
        exit: Exit::Code(0),
        timed_out: false,
        same_output: None,
    }
}

/// The profiles with sweeps beside them: of the same command `q.sweep.json`, of another one `plain.sweep.json`, which has no
/// idle time.
fn with_sweeps() -> TempDir {
    let folder = stored();
    let write = |name: &str, sweep: &Sweep| {
        fs::write(folder.path().join(name), serde_json::to_vec(sweep).unwrap()).unwrap();
    };
    write("q.sweep.json", &sweep());
    let mut plain = sweep();
    plain.command.push("more".to_owned());
    plain.runs.retain(|run| run.kind == RunKind::Plain);
    write("plain.sweep.json", &plain);
    folder
}

fn export(folder: &TempDir, file: &str, format: &str, options: &[&str]) -> Ran {
    let arguments = [&["export", file, "--format", format], options].concat();
    workspan(folder.path(), &arguments)
}

/// The legend of a plot as SVG.
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
fn what_was_measured_is_drawn_over_what_was_expected() {
    let folder = with_sweeps();
    let expected = ["upper bound", "lower bound", "predicted", "measured"];
    let of_profile = export(&folder, "q.wsp", "svg", &[]);
    assert_eq!(curves(&of_profile), expected);
    let of_sweep = export(&folder, "q.sweep.json", "svg", &["--plot", "speedup"]);
    assert_eq!(curves(&of_sweep), expected);
    // Of another command.
    let of_profile = export(&folder, "plain.wsp", "svg", &[]);
    of_profile.says("plain.sweep.json is of another command, and left out");
    assert_eq!(curves(&of_profile), expected[..2]);
    let of_sweep = export(&folder, "plain.sweep.json", "svg", &[]);
    of_sweep.says("plain.wsp is of another command, and left out");
    assert_eq!(curves(&of_sweep), ["linear", "measured"]);
    // Unless it is asked for.
    let options = ["--profiled", "plain.wsp"];
    let of_sweep = export(&folder, "plain.sweep.json", "svg", &options);
    of_sweep.does_not_say("another command");
    assert_eq!(
        curves(&of_sweep),
        ["upper bound", "lower bound", "measured"]
    );
    let options = ["--sweep", "plain.sweep.json"];
    let of_profile = export(&folder, "plain.wsp", "svg", &options);
    assert_eq!(
        curves(&of_profile),
        ["upper bound", "lower bound", "measured"]
    );
}

#[test]
fn a_page_shows_the_sweep_of_its_own_command() {
    let folder = with_sweeps();
    let has_workers = |file: &str, options: &[&str]| {
        let arguments = [&["report", file, "--html", "-"], options].concat();
        let ran = workspan(folder.path(), &arguments);
        let is_without = ran.succeeds().stdout.contains(r#""workers":null"#);
        (!is_without, ran)
    };
    let (own, ran) = has_workers("q.wsp", &[]);
    ran.does_not_say("another command");
    let (of_another, ran) = has_workers("plain.wsp", &[]);
    ran.says("plain.sweep.json is of another command, and left out");
    let (asked, _) = has_workers("plain.wsp", &["--sweep", "plain.sweep.json"]);
    assert_eq!([own, of_another, asked], [true, false, true]);
}

#[test]
fn the_plot_of_a_sweep_is_chosen() {
    let folder = with_sweeps();
    export(&folder, "q.sweep.json", "svg", &[])
        .succeeds()
        .says("drawn is speedup; --plot chooses of speedup, factored");
    let factored = export(&folder, "q.sweep.json", "svg", &["--plot", "factored"]);
    factored.does_not_say("--plot");
    assert!(curves(&factored).contains(&"maximal"));
    for (file, plot) in [("q.wsp", "factored"), ("plain.sweep.json", "bandwidth")] {
        export(&folder, file, "svg", &["--plot", plot])
            .exits(4)
            .says(&format!("{file} has no plot {plot}, but speedup"));
    }
    export(&folder, "q.wsp", "svg", &["--plot", "other"]).exits(2);
}

#[test]
fn plots_are_images_and_scripts_too() {
    let folder = with_sweeps();
    for file in ["q.wsp", "q.sweep.json"] {
        export(&folder, file, "png", &["-o", "q.png"])
            .succeeds()
            .prints("");
        let image = fs::read(folder.path().join("q.png")).unwrap();
        assert!(image.starts_with(b"\x89PNG"), "{file}");
        let script = export(&folder, file, "gnuplot", &[])
            .succeeds()
            .stdout
            .clone();
        assert!(script.contains("set output 'speedup.svg'"), "{script}");
        export(&folder, file, "gnuplot", &["-o", "q.gnuplot"]).succeeds();
        let script = fs::read_to_string(folder.path().join("q.gnuplot")).unwrap();
        assert!(script.contains("set output 'q.svg'"), "{script}");
    }
}

/// The worker that waits at first does so in 48 of 520 ms.
#[test]
fn a_sweep_has_a_trace_of_its_workers() {
    let folder = with_sweeps();
    let trace = export(&folder, "q.sweep.json", "trace", &[]);
    let trace: Value = serde_json::from_str(&trace.succeeds().stdout).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let idle: Vec<&Value> = events
        .iter()
        .filter(|event| event["name"] == "idle")
        .collect();
    let [idle] = idle.as_slice() else {
        panic!("{idle:?}");
    };
    assert_eq!(
        (&idle["pid"], &idle["tid"], &idle["ts"]),
        (&2.into(), &3.into(), &0.0.into())
    );
    // The median of two runs is the shorter, of 500 ms, and 23 of its 240 parts are wholly idle.
    let length = idle["dur"].as_f64().unwrap();
    assert!((length - 500e3 * 23.0 / 240.0).abs() < 1.0, "{length}");
}

#[test]
fn why_there_is_no_trace_is_told() {
    let folder = with_sweeps();
    export(&folder, "q.wsp", "trace", &[])
        .exits(4)
        .says("q.wsp has no timeline")
        .says("cargo workspan scale --factored")
        .says(".sweep.json");
    export(&folder, "plain.sweep.json", "trace", &[])
        .exits(4)
        .says("no run of which idle time was measured")
        .says("cargo workspan scale --factored");
    let mut older = sweep();
    let workers = older.runs.iter_mut().flat_map(|run| &mut run.workers);
    for worker in workers.flat_map(|workers| &mut workers.workers) {
        worker.idle_parts.clear();
    }
    let file = folder.path().join("older.sweep.json");
    fs::write(file, serde_json::to_vec(&older).unwrap()).unwrap();
    export(&folder, "older.sweep.json", "trace", &[])
        .exits(4)
        .says("kept how long workers were idle, but not when");
}

#[test]
fn tables_and_dags_are_those_of_the_other_commands() {
    let folder = with_sweeps();
    let other = |arguments: &[&str]| workspan(folder.path(), arguments).succeeds().stdout.clone();
    let exported = |format| {
        export(&folder, "q.wsp", format, &[])
            .succeeds()
            .stdout
            .clone()
    };
    assert_eq!(exported("csv"), other(&["report", "q.wsp", "--csv", "-"]));
    assert_eq!(exported("json"), other(&["report", "q.wsp", "--json", "-"]));
    assert_eq!(exported("dot"), other(&["dag", "q.wsp", "--dot"]));
    export(&folder, "plain.wsp", "dot", &[])
        .exits(4)
        .says("no task dag");
    let of_sweep = export(&folder, "q.sweep.json", "csv", &[]);
    assert_eq!(of_sweep.succeeds().stdout.lines().count(), 3);
    let of_sweep = export(&folder, "q.sweep.json", "json", &[]);
    let document: Value = serde_json::from_str(&of_sweep.succeeds().stdout).unwrap();
    assert_eq!(document["schema_version"], 1);
    export(&folder, "q.sweep.json", "dot", &[])
        .exits(4)
        .says("q.sweep.json holds a sweep, and dot is made of a profile");
}

#[test]
fn what_is_no_sweep_is_told() {
    let folder = with_sweeps();
    fs::write(folder.path().join("other.json"), "{\"version\": 99}").unwrap();
    export(&folder, "other.json", "svg", &[])
        .exits(4)
        .says("other.json")
        .says("of version 99");
}

#[test]
fn options_of_no_use_are_refused() {
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
        export(&folder, file, format, &[option, value])
            .exits(2)
            .says(&format!("has no use for {option}, which "))
            .says(&format!("leave {option} out"));
    }
    let figures = |options: &[&str]| {
        let ran = export(&folder, "plain.sweep.json", "json", options);
        ran.succeeds().stdout.clone()
    };
    assert_ne!(figures(&["--profiled", "plain.wsp"]), figures(&[]));
}

#[test]
fn a_pipe_is_read() {
    let folder = with_sweeps();
    for (file, format) in [("q.wsp", "collapsed"), ("q.sweep.json", "trace")] {
        let of_file = export(&folder, file, format, &[]);
        let mut command = Command::new(env!("CARGO_BIN_EXE_workspan"));
        command.args(["export", "/dev/stdin", "--format", format]);
        let mut export = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let contents = fs::read(folder.path().join(file)).unwrap();
        let mut pipe = export.stdin.take().unwrap();
        pipe.write_all(&contents).unwrap();
        drop(pipe);
        let of_pipe = export.wait_with_output().unwrap();
        assert!(of_pipe.status.success(), "{file}");
        assert_eq!(
            String::from_utf8(of_pipe.stdout).unwrap(),
            of_file.succeeds().stdout
        );
    }
}
