//! `scale` and `bandwidth`: runs of a program with different numbers of threads or copies.

use std::fs;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::project::{Project, Ran, command, command_apart, kept_apart, read_json, workspan};

/// A program that adds numbers. Its first argument says what else to print, the second one the
/// number of threads with which to fail.
const MAIN: &str = r#"
let arguments: Vec<String> = std::env::args().collect();
let threads = rayon::current_num_threads();
let numbers: Vec<u64> = (0..200_000).collect();
println!("sum {}", scale_sums(&numbers));
if arguments.get(1).is_some_and(|word| word == "threads") {
    println!("threads {threads}");
}
if arguments.get(1).is_some_and(|word| word == "time") {
    println!("{:?}", std::time::SystemTime::now());
}
if arguments.get(2).is_some_and(|word| *word == threads.to_string()) {
    eprintln!("cannot be cut into {threads}");
    std::process::exit(3);
}
"#;

fn project(name: &str) -> Project {
    Project::with_main(name, &MAIN.replace("scale_sums", &format!("{name}::sum")))
}

/// The numbers of threads of the runs of a kind that count in a sweep's file, sorted.
pub(crate) fn counted(sweep: &Value, kind: &str) -> Vec<u64> {
    let runs = sweep["runs"].as_array().unwrap().iter();
    let counted = runs.filter(|run| run["is_warm_up"] == false && run["kind"] == kind);
    let mut threads: Vec<u64> = counted
        .map(|run| run["threads"].as_u64().unwrap())
        .collect();
    threads.sort_unstable();
    threads
}

#[test]
fn a_plain_program_is_measured_and_compared_with_its_profile() {
    let project = project("scale_whole");
    let lock = project.read("Cargo.lock");
    let ran = project.run(
        "scale --threads 1,2 --runs 3 --csv s.csv --svg s.svg --json s.json \
         --gnuplot plots -- plain",
    );
    ran.succeeds()
        .says("one profiled run")
        .says("sweep kept in")
        .does_not_show("sum ");
    assert_eq!(project.read("Cargo.lock"), lock);
    for threads in ["1", "2"] {
        let row = |line: &str| line.split_whitespace().next() == Some(threads);
        assert!(ran.stdout.lines().any(row), "{threads} in {}", ran.stdout);
    }
    assert!(project.read("s.svg").starts_with("<svg"));
    assert_eq!(project.read("s.csv").lines().count(), 3);
    let script = project.read("plots/speedup.gnuplot");
    assert!(script.contains("speedup.dat"), "{script}");
    assert!(project.folder.join("plots/speedup.dat").exists());
    project.json("s.json");

    let sweep = read_json(&project.target.join("workspan/scale_whole.sweep.json"));
    assert_eq!(counted(&sweep, "plain"), [1, 1, 1, 2, 2, 2]);
    assert_eq!(sweep["runs"].as_array().unwrap().len(), 2 + 6);
    let program = fs::read(project.target.join("release/scale_whole")).unwrap();
    let has_engine = program
        .windows(16)
        .any(|window| window == b"WORKSPAN_PROFILE");
    assert!(!has_engine);
}

#[test]
fn the_profiled_run_gets_a_number_of_threads_that_is_measured() {
    let project = Project::without_rayon("scale_told");
    project.main(
        r#"
        use std::io::Write as _;
        let mut file = std::fs::File::options().create(true).append(true).open("told").unwrap();
        writeln!(file, "{} {}", std::env::args().nth(1).unwrap(), std::env::var("OWN").unwrap()).unwrap();
        "#,
    );
    project.lock();
    let scale = |threads: &str| {
        let options = format!("--threads {threads} --runs 1 --set-threads OWN");
        project
            .run(&format!("scale {options} -- {{threads}}"))
            .succeeds()
            .says("one profiled run");
        let recorded = lines(project.folder.join("told"));
        fs::remove_file(project.folder.join("told")).unwrap();
        recorded
    };
    assert_eq!(scale("1"), ["1 1"; 3]);
    assert_eq!(scale("1,4000")[0], "1 1");
    // No machine has so many cores.
    assert_eq!(scale("4000")[0], "4000 4000");
}

#[test]
fn failures_and_differences_with_a_number_of_threads_are_reported() {
    let project = project("scale_bad");
    let scale = |rest: &str| {
        project.run(&format!(
            "scale --no-prediction --threads 1..3 --runs 2 --json - {rest}"
        ))
    };
    let ran = scale("-- plain 2");
    ran.exits(3)
        .says("with 2 threads the program ended with exit code 3")
        .says("cannot be cut into 2")
        .says("sum ");
    let sweep = read_json(&project.target.join("workspan/scale_bad.sweep.json"));
    assert_eq!(counted(&sweep, "plain"), [1, 1, 3, 3]);
    ran.json();

    scale("--check-output -- threads")
        .exits(5)
        .says("with 2 threads the output differed 3 times from that with 1 thread: line 2 is `threads 2` instead of `threads 1`")
        .says("with 3 threads the output differed");
    // If it fails on 1 thread, outputs are compared with that on 2.
    scale("--check-output -- threads 1")
        .exits(3)
        .says("with 3 threads the output differed 3 times from that with 2 threads");
    scale("--check-output -- plain")
        .succeeds()
        .does_not_say("differ")
        .json();
    scale("--check-output -- time")
        .exits(5)
        .says("with 1 thread the output differs from run to run")
        .does_not_say("with 2 threads the output");
    // Nothing is profiled without a prediction.
    assert!(!project.kept("scale_bad").exists());
    assert!(!project.target.join("workspan/release/scale_bad").exists());
}

/// `workspan scale OPTIONS -- sh -c SCRIPT` in a folder. The script's argument is the number of
/// threads.
pub(crate) fn shell(folder: &Path, options: &str, script: &str) -> Ran {
    let mut scale = command_apart(folder, &format!("scale {options} -- sh -c"));
    Ran::new(scale.args([script, "sh", "{threads}"]))
}

pub(crate) fn lines(file: PathBuf) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// The lines of a file that several runs appended to, sorted.
fn sorted_lines(file: PathBuf) -> Vec<String> {
    let mut lines = lines(file);
    lines.sort();
    lines
}

#[test]
fn any_program_gets_its_threads_and_stays_on_its_processors() {
    let folder = tempfile::tempdir().unwrap();
    let script = "grep Cpus_allowed_list /proc/self/status | cut -f 2 > cpus-$1; echo \"$1 $OWN $RAYON_NUM_THREADS\" >> told";
    shell(
        folder.path(),
        "--threads 1,2 --runs 1 --set-threads OWN",
        script,
    )
    .succeeds()
    .says("nothing is profiled")
    .says("`sh` uses no parallel runtime that workspan knows")
    .says("--profiled FILE.wsp")
    .says("sh.sweep.json");
    let cpus = |threads: u32| lines(folder.path().join(format!("cpus-{threads}")))[0].clone();
    assert!(cpus(1).parse::<u32>().is_ok(), "{}", cpus(1));
    let recorded = sorted_lines(folder.path().join("told"));
    assert_eq!(recorded, ["1 1 ", "1 1 ", "2 2 ", "2 2 "]);

    shell(folder.path(), "--threads 1 --runs 1 --pin none", script).succeeds();
    assert_eq!(cpus(1), allowed_processors());
    for name in ["sh.sweep.json", "history/sh.sweep.1.json"] {
        assert!(kept_apart(folder.path(), name).is_file(), "{name}");
    }
    assert!(!folder.path().join("sh.sweep.json").exists());
}

/// The processors that this process may use, as the kernel lists them.
fn allowed_processors() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mut lines = status.lines();
    let list = lines.find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    list.unwrap().trim().to_owned()
}

#[test]
fn every_run_reads_the_file_that_is_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("input"), "one\ntwo\n").unwrap();
    let mut scale = command(
        folder.path(),
        "scale --threads 1 --runs 2 -- sh -c 'wc -l >> read'",
    );
    Ran::new(scale.stdin(File::open(folder.path().join("input")).unwrap())).succeeds();
    assert_eq!(lines(folder.path().join("read")), ["2", "2", "2"]);
}

#[test]
fn a_run_that_takes_too_long_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    shell(
        folder.path(),
        "--threads 1 --runs 1 --timeout 100ms",
        "sleep 60",
    )
    .exits(143)
    .says("took longer than --timeout allows")
    .says("no run succeeded");
}

#[test]
fn copies_run_at_once_and_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut bandwidth = command_apart(
        folder.path(),
        "bandwidth --copies 2 --runs 1 --json - -- sh -c",
    );
    Ran::new(bandwidth.arg("echo ran >> ran")).succeeds().json();
    // One copy alone and two at once, each as a warm-up and as a run that counts.
    assert_eq!(lines(folder.path().join("ran")), ["ran"; 6]);
    let sweep = read_json(&kept_apart(folder.path(), "sh.bandwidth.json"));
    let copies = |is_warm_up: bool| -> Vec<u64> {
        let runs = sweep["runs"].as_array().unwrap().iter();
        let mut copies: Vec<u64> = runs
            .filter(|run| run["is_warm_up"] == is_warm_up)
            .map(|run| run["copies"].as_u64().unwrap())
            .collect();
        copies.sort_unstable();
        copies
    };
    assert_eq!([copies(true), copies(false)], [[1, 2, 2], [1, 2, 2]]);
}

/// Copies in the same sweep help to find the causes of poor scaling.
#[test]
fn a_sweep_can_have_copies_too() {
    let folder = tempfile::tempdir().unwrap();
    let document = shell(
        folder.path(),
        "--threads 1,2 --runs 1 --bandwidth --json -",
        "echo \"$1 $RAYON_NUM_THREADS\" >> told",
    )
    .succeeds()
    .json();
    for part in ["scaling", "bandwidth"] {
        let points = document[part]["points"].as_array().unwrap();
        assert_eq!(points.len(), 2, "{part}: {document:#}");
    }
    // Of each kind, a warm-up and a run that counts: on 1 thread, on 2, one copy alone, and two at
    // once.
    let recorded = lines(folder.path().join("told"));
    let on = |threads: char| {
        let lines = recorded.iter().filter(|line| line.starts_with(threads));
        lines.count()
    };
    assert_eq!((on('1'), on('2')), (2 + 2 + 4, 2), "{recorded:?}");
    shell(folder.path(), "--bandwidth --launcher env", "true")
        .exits(2)
        .says("--launcher");
}

#[test]
fn a_launcher_starts_runs_and_its_own_time_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("launch"),
        "#!/bin/sh\nsleep 1\ntest -d sweep-* || exit 9\necho \"$1\" >> launched\nshift\nexec \"$@\"\n",
    )
    .unwrap();
    let options = "--threads 1,2 --runs 1 --check-output --launcher \"sh ./launch 'on {threads}'\"";
    let begin = Instant::now();
    shell(folder.path(), options, "echo same")
        .succeeds()
        .does_not_say("differ");
    let took = begin.elapsed();
    let launched = sorted_lines(folder.path().join("launched"));
    assert_eq!(launched, ["on 1", "on 1", "on 2", "on 2"]);
    let sweep = read_json(&kept_apart(folder.path(), "sh.sweep.json"));
    // The four launchers slept for a second each, which is in none of the runs.
    let runs = sweep["runs"].as_array().unwrap();
    let elapsed: u64 = runs
        .iter()
        .map(|run| run["elapsed"].as_u64().unwrap())
        .sum();
    assert!(
        Duration::from_nanos(elapsed) + Duration::from_secs(4) <= took,
        "{elapsed} ns"
    );
    assert_eq!(sweep["pinning"], "none");
    assert_eq!(sweep["launcher"], "sh ./launch on {threads}");
    // Runs report the processors of the place where they are launched.
    let cores = &read_json(&shell_on_one_processor(folder.path()))["machine"]["cores"];
    assert_eq!(cores, 1);
    let cores = sweep["machine"]["cores"].as_u64().unwrap();
    assert_eq!(cores, thread::available_parallelism().unwrap().get() as u64);
    shell(folder.path(), options, "exit 7")
        .exits(7)
        .says("exit code 7");
    let launched_by = |launcher: &str| {
        let options = format!("--threads 1 --launcher \"sh -c {launcher}\"");
        shell(folder.path(), &options, "true")
    };
    launched_by("'exit 9'").exits(9);
    launched_by("true").exits(3).says("the program did not run");
}

/// The file of a sweep whose launcher gives runs one processor. It prints no warning about this
/// process's processors.
fn shell_on_one_processor(folder: &Path) -> PathBuf {
    let allowed = allowed_processors();
    let first: String = allowed.chars().take_while(char::is_ascii_digit).collect();
    let options =
        format!("--threads 1,4000 --runs 1 --launcher 'taskset -c {first}' --resume=one.json");
    shell(folder, &options, "true")
        .succeeds()
        .does_not_say("more than the processors");
    folder.join("one.json")
}

/// A launcher may forward standard input through a pipe, as `srun` does.
#[test]
fn a_run_reads_what_its_launcher_gives_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("launch"),
        "printf 'one\\ntwo\\n' | \"$@\"",
    )
    .unwrap();
    let options = "--threads 1 --runs 1 --launcher 'sh ./launch'";
    shell(folder.path(), options, "wc -l >> read").succeeds();
    assert_eq!(lines(folder.path().join("read")), ["2", "2"]);
}

#[test]
fn doubtful_conditions_are_reported_first() {
    let folder = tempfile::tempdir().unwrap();
    shell(folder.path(), "--threads 1,4000 --runs 1", "true")
        .succeeds()
        .says("4000 threads are more than the processors");
}

#[test]
fn runs_that_are_too_short_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept.json");
    let report = || {
        let options = "--threads 1,2 --runs 1 --resume=kept.json --report -";
        shell(folder.path(), options, "echo run >> runs")
    };
    report().succeeds();
    let ran = lines(folder.path().join("runs")).len();
    for (milliseconds, is_short) in [(3, true), (300, false)] {
        let mut sweep = read_json(&kept);
        for run in sweep["runs"].as_array_mut().unwrap() {
            run["elapsed"] = (milliseconds * 1_000_000).into();
        }
        fs::write(&kept, sweep.to_string()).unwrap();
        let ran = report();
        let text = "the start of a process is some of that";
        assert_eq!(ran.succeeds().stdout.contains(text), is_short, "{ran:#?}");
    }
    assert_eq!(lines(folder.path().join("runs")).len(), ran);
}

/// Other programs that keep every processor busy until this value is dropped.
struct Crowd(Vec<Child>);

impl Crowd {
    fn begin() -> Self {
        let processors = thread::available_parallelism().unwrap().get();
        let one = || {
            let mut command = Command::new("timeout");
            command.args(["60", "sh", "-c", "while :; do :; done"]);
            command.spawn().unwrap()
        };
        // Two per processor: with one, two of them may share a processor and leave another to the
        // run.
        Self((0..2 * processors).map(|_| one()).collect())
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = Command::new("kill").arg(child.id().to_string()).status();
            let _ = child.wait();
        }
    }
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn processors_used_by_others_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let busy = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
    let crowd = Crowd::begin();
    let ran = shell(
        folder.path(),
        "--threads 1,2 --runs 2 --json s.json --report -",
        busy,
    );
    drop(crowd);
    ran.succeeds()
        .shows("Other programs or virtual machines had");
    let points = read_json(&folder.path().join("s.json"))["scaling"]["points"].clone();
    for point in points.as_array().unwrap() {
        let lacked = point["lacked_processors"]["value"].as_f64();
        assert!(lacked.is_some_and(|lacked| lacked > 0.2), "{point}");
    }
}

#[test]
fn results_are_written_even_if_others_cannot_be() {
    let folder = tempfile::tempdir().unwrap();
    let options = "--threads 1 --runs 1 --svg none/s.svg --csv s.csv";
    shell(folder.path(), options, "true")
        .exits(4)
        .says("cannot write the SVG")
        .shows("Measured times");
    assert!(folder.path().join("s.csv").exists());

    // Nothing runs if its results cannot be kept.
    fs::write(folder.path().join("file"), "").unwrap();
    let options = "--threads 1 --runs 1 --resume=file/sweep.json";
    shell(folder.path(), options, "touch ran")
        .exits(4)
        .says("cannot be kept in file/sweep.json");
    assert!(!folder.path().join("ran").exists());
}

#[test]
fn wrong_options_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    for (options, reason) in [
        ("--threads 0", "from 1 to"),
        ("--runs 0", "1..=1000"),
        ("--timeout 5", "such as 500ms"),
        ("--precision narrow", "such as 2%"),
        ("--pin tight", "compact"),
        ("--baseline true", "--factored"),
        ("--factored --baseline \"'\"", "quotation mark"),
        ("--factored", "--profiled FILE.wsp"),
    ] {
        shell(folder.path(), options, "true").exits(2).says(reason);
    }
    shell(folder.path(), "--profiled none.wsp", "true")
        .exits(4)
        .says("none.wsp");
    workspan(folder.path(), "scale --threads 1 -- ./none")
        .exits(127)
        .says("no such program")
        .does_not_say("nothing is profiled");
    let help = workspan(folder.path(), "scale --help");
    for text in ["Examples", "{threads}", "Exit codes", "--resume"] {
        help.succeeds().shows(text);
    }
}
