//! `scale` and `bandwidth`: runs of a program with different numbers of threads.

use std::fs;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;

use crate::project::{Project, Ran, plain, read_json, workspan};
use serde_json::Value;

/// A program that adds numbers, prints what its first argument asks for, and fails where its second one says.
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
    let project = Project::new(name);
    project.main(&MAIN.replace("scale_sums", &format!("{name}::sum")));
    project.lock();
    project
}

pub(crate) fn json_of(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:#?}"))
}

/// Runs that count of a sweep's file, as kind and number of threads, in order.
pub(crate) fn counted(sweep: &Value) -> Vec<(String, u64)> {
    let runs = sweep["runs"].as_array().unwrap().iter();
    let counted = runs.filter(|run| run["is_warm_up"] == false);
    counted
        .map(|run| {
            let kind = run["kind"].as_str().unwrap().to_owned();
            (kind, run["threads"].as_u64().unwrap())
        })
        .collect()
}

#[test]
fn a_program_is_measured_plain_and_laid_over_its_profile() {
    let project = project("scale_whole");
    let lock = project.read("Cargo.lock");
    let ran = project.run(&[
        "scale",
        "--threads",
        "1,2",
        "--runs",
        "3",
        "--csv",
        "s.csv",
        "--svg",
        "s.svg",
        "--png",
        "s.png",
        "--json",
        "s.json",
        "--gnuplot",
        "plots",
        "--",
        "plain",
    ]);
    ran.succeeds()
        .says("one profiled run")
        .says("sweep kept in");
    assert_eq!(project.read("Cargo.lock"), lock);
    for threads in ["1", "2"] {
        let row = |line: &str| line.split_whitespace().next() == Some(threads);
        assert!(ran.stdout.lines().any(row), "{threads} in {}", ran.stdout);
    }
    assert!(
        !ran.stdout.contains("sum "),
        "the program's output in {}",
        ran.stdout
    );
    assert!(project.read("s.svg").starts_with("<svg"));
    let picture = fs::read(project.folder.join("s.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG"));
    assert_eq!(project.read("s.csv").lines().count(), 3);
    assert!(
        project
            .read("plots/speedup.gnuplot")
            .contains("speedup.dat")
    );
    assert!(project.folder.join("plots/speedup.dat").exists());
    serde_json::from_str::<Value>(&project.read("s.json")).unwrap();

    let sweep = read_json(&project.target.join("workspan/scale_whole.sweep.json"));
    let mut runs = counted(&sweep);
    runs.sort();
    let plain = |threads| ("plain".to_owned(), threads);
    assert_eq!(
        runs,
        [plain(1), plain(1), plain(1), plain(2), plain(2), plain(2)]
    );
    assert_eq!(sweep["runs"].as_array().unwrap().len(), 2 + 6);
    let program = fs::read(project.target.join("release/scale_whole")).unwrap();
    let has_engine = program
        .windows(16)
        .any(|window| window == b"WORKSPAN_PROFILE");
    assert!(!has_engine);
}

#[test]
fn without_a_prediction_nothing_is_profiled() {
    let project = project("scale_plain");
    let ran = project.run(&[
        "scale",
        "--no-prediction",
        "--threads",
        "1,2",
        "--runs",
        "1",
        "--json",
        "-",
        "--",
        "plain",
    ]);
    json_of(ran.succeeds());
    assert!(!project.kept("scale_plain").exists());
    assert!(!project.target.join("workspan/release/scale_plain").exists());
}

#[test]
fn the_profiled_run_is_told_a_number_that_is_measured() {
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
        let options = ["--threads", threads, "--runs", "1", "--set-threads", "OWN"];
        project
            .run(&[&["scale"], &options[..], &["--", "{threads}"]].concat())
            .succeeds()
            .says("one profiled run");
        let told = lines(project.folder.join("told"));
        fs::remove_file(project.folder.join("told")).unwrap();
        told
    };
    assert_eq!(scale("1"), ["1 1"; 3]);
    assert_eq!(scale("1,4000")[0], "1 1");
    // No machine has the cores.
    assert_eq!(scale("4000")[0], "4000 4000");
}

#[test]
fn what_fails_or_differs_with_some_number_of_threads_is_said() {
    let project = project("scale_bad");
    let scale = |program: &[&str], own: &[&str]| {
        let options = [
            "scale",
            "--no-prediction",
            "--threads",
            "1..3",
            "--runs",
            "2",
            "--json",
            "-",
        ];
        project.run(&[&options[..], own, &["--"], program].concat())
    };
    let ran = scale(&["plain", "2"], &[]);
    ran.exits(3)
        .says("with 2 threads the program ended with exit code 3")
        .says("cannot be cut into 2")
        .says("sum ");
    let sweep = read_json(&project.target.join("workspan/scale_bad.sweep.json"));
    let mut runs = counted(&sweep);
    runs.sort();
    let plain = |threads| ("plain".to_owned(), threads);
    assert_eq!(runs, [plain(1), plain(1), plain(3), plain(3)]);
    json_of(&ran);

    let ran = scale(&["threads"], &["--check-output"]);
    ran.exits(5)
        .says("with 2 threads the output differed 3 times from that with 1 thread: line 2 is `threads 2` instead of `threads 1`")
        .says("with 3 threads the output differed");
    // What fails on 1 thread is compared with what it prints on 2.
    scale(&["threads", "1"], &["--check-output"])
        .exits(3)
        .says("with 3 threads the output differed 3 times from that with 2 threads");
    scale(&["plain"], &["--check-output"])
        .succeeds()
        .does_not_say("differ");
    scale(&["time"], &["--check-output"])
        .exits(5)
        .says("with 1 thread the output differs from run to run")
        .does_not_say("with 2 threads the output");
}

/// `workspan scale ARGUMENTS -- sh -c SCRIPT` in a folder.
pub(crate) fn shell(folder: &Path, arguments: &[&str], script: &str) -> Ran {
    let arguments = [
        &["scale"],
        arguments,
        &["--", "sh", "-c", script, "sh", "{threads}"],
    ]
    .concat();
    workspan(folder, &arguments)
}

pub(crate) fn lines(file: PathBuf) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn any_program_is_told_its_threads_and_kept_on_its_processors() {
    let folder = tempfile::tempdir().unwrap();
    let script = "grep Cpus_allowed_list /proc/self/status | cut -f 2 > cpus-$1; echo \"$1 $OWN $RAYON_NUM_THREADS\" >> told";
    let options = ["--threads", "1,2", "--runs", "1", "--set-threads", "OWN"];
    shell(folder.path(), &options, script)
        .succeeds()
        .says("nothing is profiled")
        .says("`sh` uses no parallel runtime that workspan knows")
        .says("--profiled FILE.wsp")
        .says("sh.sweep.json");
    let cpus = |threads: u32| lines(folder.path().join(format!("cpus-{threads}")))[0].clone();
    assert!(cpus(1).parse::<u32>().is_ok(), "{}", cpus(1));
    let mut told = lines(folder.path().join("told"));
    told.sort();
    assert_eq!(told, ["1 1 ", "1 1 ", "2 2 ", "2 2 "]);

    shell(
        folder.path(),
        &["--threads", "1", "--runs", "1", "--pin", "none"],
        script,
    )
    .succeeds();
    assert_eq!(cpus(1), allowed_processors());
}

/// Those that this process may use, as the kernel lists them.
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
    let mut command = plain(Command::new(env!("CARGO_BIN_EXE_workspan")));
    command
        .current_dir(folder.path())
        .args([
            "scale",
            "--threads",
            "1",
            "--runs",
            "2",
            "--",
            "sh",
            "-c",
            "wc -l >> read",
        ])
        .stdin(File::open(folder.path().join("input")).unwrap());
    Ran::of(&mut command).succeeds();
    assert_eq!(lines(folder.path().join("read")), ["2", "2", "2"]);
}

#[test]
fn a_run_that_takes_too_long_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--threads", "1", "--runs", "1", "--timeout", "100ms"];
    shell(folder.path(), &options, "sleep 60")
        .exits(143)
        .says("took longer than --timeout allows")
        .says("no run succeeded");
}

#[test]
fn copies_run_at_once_and_alone() {
    let folder = tempfile::tempdir().unwrap();
    // Each of two copies waits for the other one, however late that begins on a busy machine.
    let script = "mkdir a 2>/dev/null && { sleep 1; rmdir a; echo first >> ran; } || { echo second >> ran; }";
    let ran = workspan(
        folder.path(),
        &[
            "bandwidth",
            "--copies",
            "2",
            "--runs",
            "1",
            "--json",
            "-",
            "--",
            "sh",
            "-c",
            script,
        ],
    );
    json_of(ran.succeeds());
    let mut ran = lines(folder.path().join("ran"));
    ran.sort();
    // Twice one alone, and twice two: to warm up, and to count.
    assert_eq!(
        ran,
        ["first", "first", "first", "first", "second", "second"]
    );
    let sweep = read_json(&folder.path().join("sh.bandwidth.json"));
    let copies = |one_to_warm_up: bool| -> Vec<u64> {
        let runs = sweep["runs"].as_array().unwrap().iter();
        let mut copies: Vec<u64> = runs
            .filter(|run| run["is_warm_up"] == one_to_warm_up)
            .map(|run| run["copies"].as_u64().unwrap())
            .collect();
        copies.sort_unstable();
        copies
    };
    assert_eq!(
        (copies(true), copies(false)),
        (vec![1, 2, 2], vec![1, 2, 2])
    );
}

/// Copies in the same sweep: what they say is known where causes are named.
#[test]
fn a_sweep_can_have_copies_too() {
    let folder = tempfile::tempdir().unwrap();
    let options = [
        "--threads",
        "1,2",
        "--runs",
        "1",
        "--bandwidth",
        "--json",
        "-",
    ];
    let ran = shell(
        folder.path(),
        &options,
        "echo \"$1 $RAYON_NUM_THREADS\" >> told",
    );
    let document = json_of(ran.succeeds());
    for part in ["scaling", "bandwidth"] {
        let points = document[part]["points"].as_array().unwrap();
        assert_eq!(points.len(), 2, "{part}: {document:#}");
    }
    // Of each kind one to warm up, and one that counts: on 1 thread, on 2, one alone, and two at once.
    let mut told = lines(folder.path().join("told"));
    told.sort();
    assert_eq!(
        told.iter().filter(|line| line.starts_with('1')).count(),
        2 + 2 + 4
    );
    assert_eq!(told.iter().filter(|line| line.starts_with('2')).count(), 2);
    shell(folder.path(), &["--bandwidth", "--launcher", "env"], "true")
        .exits(2)
        .says("--launcher");
}

#[test]
fn a_launcher_starts_runs_and_its_own_time_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("launch"),
        "#!/bin/sh\nsleep 1\necho \"$1\" >> launched\nshift\nexec \"$@\"\n",
    )
    .unwrap();
    let options = [
        "--threads",
        "1,2",
        "--runs",
        "1",
        "--check-output",
        "--launcher",
        "sh ./launch 'on {threads}'",
    ];
    shell(folder.path(), &options, "echo same")
        .succeeds()
        .does_not_say("differ");
    let mut launched = lines(folder.path().join("launched"));
    launched.sort();
    assert_eq!(launched, ["on 1", "on 1", "on 2", "on 2"]);
    let sweep = read_json(&folder.path().join("sh.sweep.json"));
    for run in sweep["runs"].as_array().unwrap() {
        assert!(run["elapsed"].as_i64().unwrap() < 1_000_000_000, "{run}");
    }
    assert_eq!(
        (&sweep["pinning"], &sweep["launcher"]),
        (&"none".into(), &"sh ./launch on {threads}".into())
    );
    // What runs have there is asked there.
    let cores = &read_json(&shell_on_one_processor(folder.path()))["machine"]["cores"];
    assert_eq!(cores, 1);
    let cores = sweep["machine"]["cores"].as_u64().unwrap();
    assert_eq!(cores, thread::available_parallelism().unwrap().get() as u64);
    shell(folder.path(), &options, "exit 7")
        .exits(7)
        .says("exit code 7");
    shell(
        folder.path(),
        &["--threads", "1", "--launcher", "sh -c 'exit 9'"],
        "true",
    )
    .exits(9);
    shell(
        folder.path(),
        &["--threads", "1", "--launcher", "sh -c true"],
        "true",
    )
    .exits(3)
    .says("the program did not run");
}

/// The file of a sweep whose launcher gives runs one processor, and this process's own warnings none.
fn shell_on_one_processor(folder: &Path) -> PathBuf {
    let allowed = allowed_processors();
    let first: String = allowed.chars().take_while(char::is_ascii_digit).collect();
    let launcher = format!("taskset -c {first}");
    let options = [
        "--threads",
        "1,4000",
        "--runs",
        "1",
        "--launcher",
        &launcher,
        "--resume=one.json",
    ];
    shell(folder, &options, "true")
        .succeeds()
        .does_not_say("more than the processors");
    folder.join("one.json")
}

/// A launcher may pass on what runs read, through a pipe as `srun` does.
#[test]
fn a_run_reads_what_its_launcher_gives_it() {
    let folder = tempfile::tempdir().unwrap();
    let options = [
        "--threads",
        "1",
        "--runs",
        "1",
        "--launcher",
        "sh -c 'printf \"one\\ntwo\\n\" | \"$@\"' sh",
    ];
    shell(folder.path(), &options, "wc -l >> read").succeeds();
    assert_eq!(lines(folder.path().join("read")), ["2", "2"]);
}

#[test]
fn doubtful_conditions_are_said_before() {
    let folder = tempfile::tempdir().unwrap();
    shell(
        folder.path(),
        &["--threads", "1,4000", "--runs", "1"],
        "true",
    )
    .succeeds()
    .says("4000 threads are more than the processors");
}

#[test]
fn runs_that_say_little_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept.json");
    let report = || {
        let options = [
            "--threads",
            "1,2",
            "--runs",
            "1",
            "--resume=kept.json",
            "--report",
            "-",
        ];
        shell(folder.path(), &options, "echo run >> runs")
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

/// Something else that keeps every processor busy, until the end of this value.
struct Crowd(Vec<Child>);

impl Crowd {
    fn begin() -> Self {
        let processors = thread::available_parallelism().unwrap().get();
        let one = || {
            let mut command = Command::new("timeout");
            command.args(["60", "sh", "-c", "while :; do :; done"]);
            command.spawn().unwrap()
        };
        // Two for each: of one for each, two may be on one processor, and leave another to the run.
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
fn processors_that_others_had_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let busy = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
    let options = [
        "--threads",
        "1,2",
        "--runs",
        "2",
        "--json",
        "s.json",
        "--report",
        "-",
    ];
    let crowd = Crowd::begin();
    let ran = shell(folder.path(), &options, busy);
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
fn results_that_cannot_be_written_do_not_keep_others_from_it() {
    let folder = tempfile::tempdir().unwrap();
    let options = [
        "--threads",
        "1",
        "--runs",
        "1",
        "--svg",
        "none/s.svg",
        "--csv",
        "s.csv",
    ];
    shell(folder.path(), &options, "true")
        .exits(4)
        .says("cannot write the SVG")
        .shows("Measured times");
    assert!(folder.path().join("s.csv").exists());

    // Nothing runs that cannot be kept.
    fs::write(folder.path().join("file"), "").unwrap();
    let options = ["--threads", "1", "--runs", "1", "--resume=file/sweep.json"];
    shell(folder.path(), &options, "touch ran")
        .exits(4)
        .says("cannot be kept in file/sweep.json");
    assert!(!folder.path().join("ran").exists());
}

#[test]
fn wrong_options_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    for (options, reason) in [
        (&["--threads", "0"][..], "from 1 to"),
        (&["--runs", "0"], "1..=1000"),
        (&["--timeout", "5"], "such as 500ms"),
        (&["--precision", "narrow"], "such as 2%"),
        (&["--pin", "tight"], "compact"),
        (&["--baseline", "true"], "--factored"),
        (&["--factored", "--baseline", "'"], "quotation mark"),
        (&["--factored"], "--profiled FILE.wsp"),
    ] {
        shell(folder.path(), options, "true").exits(2).says(reason);
    }
    shell(folder.path(), &["--profiled", "none.wsp"], "true")
        .exits(4)
        .says("none.wsp");
    workspan(folder.path(), &["scale", "--threads", "1", "--", "./none"])
        .exits(127)
        .says("no such program")
        .does_not_say("nothing is profiled");
    let help = workspan(folder.path(), &["scale", "--help"]);
    for text in ["Examples", "{threads}", "Exit codes", "--resume"] {
        help.succeeds().shows(text);
    }
}
