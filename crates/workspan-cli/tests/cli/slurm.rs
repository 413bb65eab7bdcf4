//! `scale --slurm` with a real Slurm: the test starts one controller and one node on loopback. It
//! is skipped if Debian's `slurm-wlm` is not installed.

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::project::{Project, Ran, interruptible, kept_apart, plain, read_json, words};
use crate::resume::send;
use crate::scale::lines;
use crate::skip::skip;

/// How long the daemons may take to become ready.
const START: Duration = Duration::from_secs(120);

/// A cluster of this machine alone, which ends when the value is dropped.
struct Cluster {
    folder: TempDir,
    daemons: Vec<Child>,
}

impl Cluster {
    /// `None`, with a notice, if Slurm is not installed.
    fn start() -> Option<Self> {
        let parts = ["slurmctld", "slurmd", "sbatch", "srun"].map(installed);
        let [Some(controller), Some(node), Some(_), Some(_)] = parts else {
            skip("slurm", "not installed (apt-get install slurm-wlm)");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("slurm.conf");
        fs::write(file, configuration(folder.path())).unwrap();
        let mut cluster = Self {
            folder,
            daemons: Vec::new(),
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

    /// Makes a folder in that of the cluster.
    fn subfolder(&self, name: &str) -> Folder<'_> {
        let path = self.folder.path().join(name);
        fs::create_dir(&path).unwrap();
        Folder {
            cluster: self,
            path,
        }
    }

    /// The jobs of the cluster, one per line.
    fn jobs(&self) -> String {
        let output = limited()
            .args(["squeue", "--noheader"])
            .env("SLURM_CONF", self.configuration())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

/// A folder in which to run commands that use a cluster.
struct Folder<'a> {
    cluster: &'a Cluster,
    path: PathBuf,
}

impl Folder<'_> {
    /// `workspan scale LINE`.
    fn command(&self, line: &str) -> Command {
        let mut command = plain(limited());
        command
            .arg(env!("CARGO_BIN_EXE_workspan"))
            .current_dir(&self.path)
            .env("SLURM_CONF", self.cluster.configuration())
            .env("XDG_CACHE_HOME", self.path.join("cache"))
            .arg("scale")
            .args(words(line))
            .stdin(Stdio::null());
        command
    }

    /// Runs `workspan scale LINE`.
    fn scale(&self, line: &str) -> Ran {
        Ran::new(&mut self.command(line))
    }

    /// Runs `workspan scale --threads 1,2 --runs 2 OPTIONS -- sh -c SCRIPT`.
    fn shell(&self, options: &str, script: &str) -> Ran {
        let mut command = self.command(&format!("--threads 1,2 --runs 2 {options} -- sh -c"));
        Ran::new(command.args([script, "sh", "{threads}"]))
    }
}

/// Waits until `holds` is true, for as long as Slurm may take.
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

/// A command that limits the time of a program, even if the test itself is killed.
fn limited() -> Command {
    // A shell may have started the test with SIGINT ignored, which would be inherited.
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

/// A single test, because a machine with few cores has room for only one cluster.
#[test]
fn runs_are_jobs_of_a_cluster() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    a_sweep_is_one_job_array(&cluster.subfolder("array"));
    runs_are_launched_by_srun(&cluster.subfolder("srun"));
    idle_time_is_measured_in_jobs(&cluster.subfolder("idle"));
}

fn a_sweep_is_one_job_array(folder: &Folder) {
    // The run on 2 threads fails the first time.
    let script = "echo \"$1 $SLURM_ARRAY_JOB_ID\" >> ran; [ $1 != 2 ] || [ -e failed ] || { touch failed; exit 9; }";
    folder
        .shell("--slurm=--partition=all --check-output", script)
        .succeeds()
        .says("1 of 6 tasks failed, and are run once more");
    let ran = lines(folder.path.join("ran"));
    let jobs = ran.iter().map(|line| line.split(' ').nth(1).unwrap());
    let mut jobs: Vec<&str> = jobs.collect();
    assert_eq!(jobs.len(), 7);
    jobs.dedup();
    assert_eq!(jobs.len(), 2, "{ran:?}");
    let sweep = read_json(&kept_apart(&folder.path, "sh.sweep.json"));
    assert_eq!(sweep["runs"].as_array().unwrap().len(), 6);
    assert_eq!(sweep["launcher"], "sbatch --partition=all");

    let mut child = folder
        .command("--threads 1 --runs 2 --slurm -- sh -c 'touch waits; sleep 60'")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("a job runs", || folder.path.join("waits").exists());
    send("-INT", &child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    wait_until("the jobs are cancelled", || {
        folder.cluster.jobs().is_empty()
    });

    folder
        .scale("--threads 1 --slurm=--partition=none -- true")
        .exits(3)
        .says("Slurm did not take the job");
}

/// Each run is a job of its own, with as many processors as the program has threads.
fn runs_are_launched_by_srun(folder: &Folder) {
    let script = "echo \"$1 $SLURM_CPUS_PER_TASK $SLURM_JOB_ID\" >> ran";
    if thread::available_parallelism().unwrap().get() < 2 {
        skip("two-processors", "a job is to have 2");
        return;
    }
    let launcher = "'--launcher=srun --partition=all -n1 -c {threads}'";
    folder.shell(launcher, script).succeeds();
    let ran = lines(folder.path.join("ran"));
    let mut jobs = BTreeSet::new();
    for line in &ran {
        let [threads, processors, job] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{ran:?}");
        };
        assert_eq!(threads, processors, "{ran:?}");
        assert!(jobs.insert(job), "{ran:?}");
    }
    assert!(jobs.len() >= 4, "{ran:?}");
    let sweep = read_json(&kept_apart(&folder.path, "sh.sweep.json"));
    assert_eq!(sweep["launcher"], "srun --partition=all -n1 -c {threads}");
}

/// The idle time that runs write comes back from where they ran.
fn idle_time_is_measured_in_jobs(folder: &Folder) {
    let project = Project::with_main("slurm_factored", "slurm_factored::fib(20);");
    project.run("run --no-report").succeeds();
    let built = project.target.join("workspan/release/slurm_factored");
    let options = "--factored --elision --threads 1,2 --runs 2 --slurm=--partition=all";
    let ran = folder.scale(&format!(
        "{options} --resume=jobs.sweep.json --json - -- {}",
        built.display()
    ));
    let document = ran.succeeds().json();
    let points = document["factored"]["points"].as_array().unwrap();
    assert_eq!(points.len(), 2, "{document:#}");
    assert!(points[1]["idle_time_specific"]["value"].is_f64());
    let sweep = read_json(&folder.path.join("jobs.sweep.json"));
    let runs = sweep["runs"].as_array().unwrap();
    let measured = runs.iter().filter(|run| run["kind"] == "idle");
    let workers = measured.map(|run| run["workers"]["workers"].as_array().unwrap().len());
    let mut workers: Vec<usize> = workers.collect();
    workers.sort_unstable();
    workers.dedup();
    assert_eq!(workers, [1, 2]);
}
