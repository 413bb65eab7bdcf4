//! How a page was measured.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Instant;

use anyhow::{Context as _, ensure};

/// The sources of the engine: what a profiled program runs in addition to its own code.
const ENGINE: [&str; 3] = [
    "crates/workspan-engine/workspan_rt",
    "crates/workspan-engine/rayon_core",
    "crates/workspan-engine/workspan_capi",
];

/// The part of the stamp that is known before a measurement.
pub(crate) struct Stamp {
    engine: String,
    commit: String,
    date: String,
    machine: String,
    load: String,
    command: String,
    started: Instant,
}

impl Stamp {
    pub(crate) fn begin(root: &Path, command: &[String]) -> anyhow::Result<Self> {
        Ok(Stamp {
            engine: engine_hash(root)?,
            commit: commit(root)?,
            date: output(Command::new("date").args(["--utc", "+%Y-%m-%d %H:%M UTC"]))?,
            machine: machine()?,
            load: load()?,
            command: command.join(" "),
            started: Instant::now(),
        })
    }

    /// The rows of the stamp, at the end of the measurement.
    pub(crate) fn end(self) -> [(&'static str, String); 7] {
        let minutes = self.started.elapsed().as_secs_f64() / 60.0;
        let load = load().unwrap_or_default();
        let values = [
            self.engine,
            self.commit,
            self.date,
            self.machine,
            format!("{} at the start, {load} at the end", self.load),
            format!("{minutes:.1} minutes"),
            format!("`{}`", self.command),
        ];
        let mut values = values.into_iter();
        crate::page::ROWS.map(|row| (row, values.next().unwrap_or_default()))
    }
}

/// A hash of the engine's sources in the work tree: of their contents in an order independent of
/// their names, so that moving a file does not change the hash.
pub(crate) fn engine_hash(root: &Path) -> anyhow::Result<String> {
    let files = output(
        Command::new("git")
            .current_dir(root)
            .args([
                "ls-files",
                "--cached",
                "--others",
                "--exclude-standard",
                "--",
            ])
            .args(ENGINE),
    )?;
    let names: Vec<&str> = files
        .lines()
        .filter(|name| root.join(name).is_file())
        .collect();
    ensure!(!names.is_empty(), "there is no engine");
    let hashes = output(
        Command::new("git")
            .current_dir(root)
            .arg("hash-object")
            .args(&names),
    )?;
    let mut hashes: Vec<&str> = hashes.lines().collect();
    hashes.sort_unstable();
    let list = tempfile::NamedTempFile::new()?;
    fs::write(list.path(), hashes.join("\n"))?;
    let hash = output(
        Command::new("git")
            .current_dir(root)
            .arg("hash-object")
            .arg(list.path()),
    )?;
    Ok(hash[..12].to_owned())
}

/// The commit, and whether there were uncommitted changes.
fn commit(root: &Path) -> anyhow::Result<String> {
    let commit =
        output(
            Command::new("git")
                .current_dir(root)
                .args(["rev-parse", "--short=12", "HEAD"]),
        )?;
    let changed = output(Command::new("git").current_dir(root).args([
        "status",
        "--porcelain",
        "--untracked-files=no",
        "--",
        ".",
        ":!docs",
        ":!README.md",
        ":!ci/misses.toml",
    ]))?;
    Ok(if changed.is_empty() {
        commit
    } else {
        format!("{commit}, with changes that are not committed")
    })
}

fn machine() -> anyhow::Result<String> {
    let information = fs::read_to_string("/proc/cpuinfo")?;
    let field = |name: &str| {
        let line = information.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let processor = field("model name").unwrap_or_else(|| "unknown processor".to_owned());
    let is_virtual = field("flags").is_some_and(|flags| flags.contains("hypervisor"));
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let kernel = output(Command::new("uname").args(["-sr"]))?;
    let rustc = output(Command::new("rustc").arg("--version"))?;
    let kind = if is_virtual { " (virtual machine)" } else { "" };
    Ok(format!(
        "{processor}{kind}, {cores} cores, {kernel}, {rustc}"
    ))
}

/// The kernel's load average of one minute.
fn load() -> anyhow::Result<String> {
    let text = fs::read_to_string("/proc/loadavg")?;
    Ok(text.split(' ').next().unwrap_or_default().to_owned())
}

fn output(command: &mut Command) -> anyhow::Result<String> {
    let output = command
        .output()
        .with_context(|| format!("cannot start {command:?}"))?;
    ensure!(output.status.success(), "{command:?} failed");
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}
