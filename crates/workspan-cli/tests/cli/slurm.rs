//! `scale --slurm` with a real Slurm: one controller and one node, started for the test on loopback. Skipped where Debian's
//! `slurm-wlm` is not installed.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::project::{Project, Ran, interruptible, plain, read_json};

/// How long the daemons may take to be ready.
const START: Duration = Duration::from_secs(120);

/// A machine of few cores has room for one cluster at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// A cluster of this machine alone, which ends with this value.
struct Cluster {
    folder: TempDir,
    daemons: Vec<Child>,
    _alone: MutexGuard<'static, ()>,
}

impl Cluster {
    /// `None`, with a notice, where Slurm is not installed.
    fn start() -> Option<Self> {
        let parts = ["slurmctld", "slurmd", "sbatch", "srun"].map(installed);
        let [Some(controller), Some(node), Some(_), Some(_)] = parts else {
            eprintln!("skipped: Slurm is not installed (apt-get install slurm-wlm)");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        fs::write(
            folder.path().join("slurm.conf"),
            configuration(folder.path()),
        )
        .unwrap();
        let mut cluster = Self {
            folder,
            daemons: Vec::new(),
            _alone: ALONE.lock().unwrap_or_else(PoisonError::into_inner),
        };
        for (program, arguments) in [(controller, &["-D"][..]), (node, &["-D", "-N", "node"])] {
            let log = fs::File::create(cluster.folder.path().join("daemon.log")).unwrap();
            let mut command = limited();
            command
                .arg(program)
                .args(arguments)
                .env("SLURM_CONF", cluster.configuration())
                .stdin(Stdio::null())
                .stdout(log.try_clone().unwrap())
                .stderr(log);
            cluster.daemons.push(command.spawn().unwrap());
        }
        cluster.wait_until_idle();
        Some(cluster)
    }

    fn configuration(&self) -> PathBuf {
        self.folder.path().join("slurm.conf")
    }

    fn wait_until_idle(&self) {
        let started = Instant::now();
        loop {
            let output = limited()
                .args(["sinfo", "--noheader", "--format=%T"])
                .env("SLURM_CONF", self.configuration())
                .output()
                .unwrap();
            let state = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            if state == "idle" {
                return;
            }
            let log = || {
                let logs = ["controller.log", "node.log", "daemon.log"];
                logs.map(|name| {
                    fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
                })
            };
            assert!(
                started.elapsed() < START,
                "Slurm is {state}: {output:?} {:#?}",
                log()
            );
            thread::sleep(Duration::from_millis(200));
        }
    }

    /// `workspan scale ARGUMENTS` in the cluster's folder.
    fn scale(&self, arguments: &[&str]) -> Ran {
        Ran::of(&mut self.scale_command(arguments))
    }

    fn scale_command(&self, arguments: &[&str]) -> Command {
        let mut command = plain(limited());
        command
            .arg(env!("CARGO_BIN_EXE_workspan"))
            .current_dir(self.folder.path())
            .env("SLURM_CONF", self.configuration())
            .arg("scale")
            .args(arguments)
            .stdin(Stdio::null());
        command
    }

    /// The jobs that the cluster has, a line each.
    fn jobs(&self) -> String {
        let output = limited()
            .args(["squeue", "--noheader"])
            .env("SLURM_CONF", self.configuration())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

/// Waits until something holds, for as long as it may take with Slurm.
fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < START, "{what}");
        thread::sleep(Duration::from_millis(100));
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for daemon in &mut self.daemons {
            let _ = Command::new("kill").arg(daemon.id().to_string()).status();
            let _ = daemon.wait();
        }
    }
}

/// What ends a program that runs on, also when the test itself is killed and nobody else can.
fn limited() -> Command {
    // A shell may have started the test with SIGINT ignored, and that is inherited.
    let mut command = interruptible("timeout");
    command.args(["--kill-after=2", "240"]);
    command
}

fn installed(program: &str) -> Option<PathBuf> {
    let folders = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"];
    let mut files = folders.iter().map(|folder| Path::new(folder).join(program));
    files.find(|file| file.is_file())
}

fn configuration(folder: &Path) -> String {
    let user = Command::new("id").arg("-un").output().unwrap();
    let user = String::from_utf8(user.stdout).unwrap();
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let (host, folder) = (host.trim(), folder.display());
    let cores = thread::available_parallelism().unwrap();
    let ports: Vec<TcpListener> = (0..2)
        .map(|_| TcpListener::bind("127.0.0.1:0").unwrap())
        .collect();
    let port = |index: usize| ports[index].local_addr().unwrap().port();
    format!(
        "ClusterName=test\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={}\nSlurmdPort={}\n\
         SlurmUser={}\nSlurmdUser=root\nAuthType=auth/none\nCredType=cred/none\nMpiDefault=none\n\
         ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nReturnToService=2\nSelectType=select/cons_tres\n\
         StateSaveLocation={folder}/state\nSlurmdSpoolDir={folder}/spool\n\
         SlurmctldPidFile={folder}/controller.pid\nSlurmdPidFile={folder}/node.pid\n\
         SlurmctldLogFile={folder}/controller.log\nSlurmdLogFile={folder}/node.log\n\
         SchedulerParameters=sched_min_interval=0,batch_sched_delay=0\n\
         NodeName=node NodeHostname={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN\n\
         PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n",
        port(0),
        port(1),
        user.trim()
    )
}

#[test]
fn a_sweep_is_one_job_array() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    // The run on 2 threads fails the first time.
    let script = "echo \"$1 $SLURM_ARRAY_JOB_ID\" >> ran; [ $1 != 2 ] || [ -e failed ] || { touch failed; exit 9; }";
    let options = [
        "--threads",
        "1,2",
        "--runs",
        "2",
        "--slurm=--partition=all",
        "--check-output",
    ];
    let words = ["--", "sh", "-c", script, "sh", "{threads}"];
    let ran = cluster.scale(&[&options[..], &words].concat());
    ran.succeeds()
        .says("1 of 6 tasks failed, and are run once more");
    let text = fs::read_to_string(cluster.folder.path().join("ran")).unwrap();
    let mut jobs: Vec<&str> = text
        .lines()
        .map(|line| line.split(' ').nth(1).unwrap())
        .collect();
    assert_eq!(jobs.len(), 7);
    jobs.dedup();
    assert_eq!(jobs.len(), 2, "{text}");
    let sweep = read_json(&cluster.folder.path().join("sh.sweep.json"));
    assert_eq!(sweep["runs"].as_array().unwrap().len(), 6);
    assert_eq!(sweep["launcher"], "sbatch --partition=all");

    let words = ["--", "sh", "-c", "touch waits; sleep 60"];
    let options = ["--threads", "1", "--runs", "2", "--slurm"];
    let mut child = cluster
        .scale_command(&[&options[..], &words].concat())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("a job runs", || {
        cluster.folder.path().join("waits").exists()
    });
    let _ = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    wait_until("the jobs are cancelled", || cluster.jobs().is_empty());

    let refused = cluster.scale(&["--threads", "1", "--slurm=--partition=none", "--", "true"]);
    refused.exits(3).says("Slurm did not take the job");
}

/// Each run a job of its own, which has as many processors as the program has threads.
#[test]
fn runs_are_launched_by_srun() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let script = "echo \"$1 $SLURM_CPUS_PER_TASK $SLURM_JOB_ID\" >> ran";
    if thread::available_parallelism().unwrap().get() < 2 {
        eprintln!("skipped: a job is to have 2 processors");
        return;
    }
    let options = [
        "--threads",
        "1,2",
        "--runs",
        "2",
        "--launcher=srun --partition=all -n1 -c {threads}",
    ];
    let words = ["--", "sh", "-c", script, "sh", "{threads}"];
    cluster.scale(&[&options[..], &words].concat()).succeeds();
    let text = fs::read_to_string(cluster.folder.path().join("ran")).unwrap();
    let mut jobs = std::collections::BTreeSet::new();
    for line in text.lines() {
        let [threads, processors, job] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{text}");
        };
        assert_eq!(threads, processors, "{text}");
        assert!(jobs.insert(job), "{text}");
    }
    assert!(jobs.len() >= 4, "{text}");
    let sweep = read_json(&cluster.folder.path().join("sh.sweep.json"));
    assert_eq!(sweep["launcher"], "srun --partition=all -n1 -c {threads}");
}

/// What runs write of their idle time comes back from where they ran.
#[test]
fn idle_time_is_measured_in_jobs() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let project = Project::new("slurm_factored");
    project.main("slurm_factored::fib(20);").lock();
    project.run(&["run", "--no-report"]).succeeds();
    let built = project.target.join("workspan/release/slurm_factored");
    let ran = cluster.scale(&[
        "--factored",
        "--elision",
        "--threads",
        "1,2",
        "--runs",
        "2",
        "--slurm=--partition=all",
        "--resume=jobs.sweep.json",
        "--json",
        "-",
        "--",
        built.to_str().unwrap(),
    ]);
    let document: Value = serde_json::from_str(&ran.succeeds().stdout).unwrap();
    let points = document["factored"]["points"].as_array().unwrap();
    assert_eq!(points.len(), 2, "{document:#}");
    assert!(points[1]["idle_time_specific"]["value"].is_f64());
    let sweep = read_json(&cluster.folder.path().join("jobs.sweep.json"));
    let runs = sweep["runs"].as_array().unwrap();
    let measured = runs.iter().filter(|run| run["kind"] == "idle");
    let workers = measured.map(|run| run["workers"]["workers"].as_array().unwrap().len());
    let mut workers: Vec<usize> = workers.collect();
    workers.sort_unstable();
    workers.dedup();
    assert_eq!(workers, [1, 2]);
}
