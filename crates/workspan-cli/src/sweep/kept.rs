//! The file of a sweep: written after every run, and read to resume it.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use serde::Serialize;
use workspan_format::replace_file;
use workspan_model::{SWEEP_VERSION, Sweep, SweepMachine};

/// The sweep that `wanted` asks for, with the successful runs in `file`. `None` if there is no such
/// file.
///
/// # Errors
/// When the file cannot be read, or holds another sweep.
pub(super) fn resumed(file: &Path, wanted: &Sweep) -> anyhow::Result<Option<Sweep>> {
    let text = match fs::read(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.with_context(|| format!("cannot read {}", file.display()))?,
    };
    let kept = decode(&text).with_context(|| format!("cannot continue {}", file.display()))?;
    let differences = differences(&kept, wanted);
    if !differences.is_empty() {
        return Err(anyhow!(
            "{} holds another sweep, which this one cannot continue: {}. Without --resume a new one begins, and the old one \
             is moved to `history`; `--resume=OTHER_FILE` begins the new one there",
            file.display(),
            differences.join("; ")
        ));
    }
    let mut runs = kept.runs;
    let failed = runs.iter().filter(|run| !run.is_success());
    let failed: BTreeSet<u32> = failed.map(|run| run.order).collect();
    // A failed run is repeated, with all copies that ran at the same time.
    runs.retain(|run| !failed.contains(&run.order));
    Ok(Some(Sweep {
        runs,
        machine: match wanted.launcher {
            // Its runs have described it.
            Some(_) => kept.machine,
            None => wanted.machine.clone(),
        },
        started_at: kept.started_at,
        seed: kept.seed,
        ..wanted.clone()
    }))
}

/// The sweep in `file`.
///
/// # Errors
/// When the file cannot be read, or holds no sweep of this version.
pub(super) fn read(file: &Path) -> anyhow::Result<Sweep> {
    decode(&workspan_format::read_file(file)?)
}

/// The sweep in the contents of its file.
///
/// # Errors
/// When they hold no sweep of this version.
pub(crate) fn decode(text: &[u8]) -> anyhow::Result<Sweep> {
    #[derive(serde::Deserialize)]
    struct Version {
        version: u32,
    }
    let Version { version } = serde_json::from_slice(text).context("it is no sweep's file")?;
    if version != SWEEP_VERSION {
        bail!("it is of version {version}, and this workspan knows version {SWEEP_VERSION}");
    }
    serde_json::from_slice(text).context("it is damaged")
}

/// Writes runs as JSON, replacing the file atomically.
pub(crate) fn write(file: &Path, runs: &impl Serialize) -> anyhow::Result<()> {
    let text = serde_json::to_vec(runs)?;
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    replace_file(file, &text).with_context(|| format!("cannot write {}", file.display()))
}

/// Checks that runs can be written to `file`, before any time is spent on them.
pub(crate) fn check_writable(file: &Path) -> anyhow::Result<()> {
    let folder = match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let created = fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder).map(drop));
    created.with_context(|| format!("the runs cannot be kept in {}", file.display()))
}

/// The differences that keep `wanted` from using the runs of `kept`.
fn differences(kept: &Sweep, wanted: &Sweep) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |what: &str, shown: &dyn Fn(&Sweep) -> String| {
        let (kept, wanted) = (shown(kept), shown(wanted));
        if kept != wanted {
            found.push(format!("{what} was {kept}, and is {wanted}"));
        }
    };
    let none = || "none".to_owned();
    let words = |words: &[String]| match shlex::try_join(words.iter().map(String::as_str)) {
        Ok(text) => format!("`{text}`"),
        Err(_) => format!("{words:?}"),
    };
    let optional = |text: &Option<String>| match text {
        Some(text) => format!("`{text}`"),
        None => none(),
    };
    compare("the command", &|sweep| words(&sweep.command));
    compare("the baseline", &|sweep| {
        sweep.baseline.as_deref().map_or_else(none, words)
    });
    compare("the variable of the number of threads", &|sweep| {
        optional(&sweep.threads_variable)
    });
    compare(
        "the OpenMP runtime in the place of the program's own",
        &|sweep| optional(&sweep.stand_in),
    );
    compare("the launcher", &|sweep| optional(&sweep.launcher));
    compare("the pinning", &|sweep| sweep.pinning.name().to_owned());
    if wanted.launcher.is_none() {
        compare("the machine", &|sweep| machine(&sweep.machine));
    }
    if kept.command == wanted.command && kept.program_digest != wanted.program_digest {
        found.push("the program's file has changed since".to_owned());
    }
    if kept.baseline == wanted.baseline && kept.baseline_digest != wanted.baseline_digest {
        found.push("the baseline's file has changed since".to_owned());
    }
    found
}

fn machine(machine: &SweepMachine) -> String {
    let processor = machine.processor.as_deref().unwrap_or("unknown processor");
    format!("{processor} with {} cores", machine.cores)
}

#[cfg(test)]
mod tests {
    use workspan_model::{Exit, Nanos, Pinning, RunKind, SweepRun};

    use super::*;

    fn sweep() -> Sweep {
        Sweep {
            version: SWEEP_VERSION,
            command: vec!["./sums".to_owned(), "two words".to_owned()],
            program_digest: Some("1".to_owned()),
            baseline: Some(vec!["./serial".to_owned()]),
            baseline_digest: Some("1".to_owned()),
            threads_variable: Some("RAYON_NUM_THREADS".to_owned()),
            pinning: Pinning::Compact,
            runtime: None,
            stand_in: None,
            launcher: None,
            machine: SweepMachine {
                cores: 2,
                ..SweepMachine::default()
            },
            started_at: 1,
            threads: vec![1, 2],
            runs_wanted: 5,
            seed: 3,
            workspan_version: "0".to_owned(),
            runs: Vec::new(),
        }
    }

    fn run(exit: Exit) -> SweepRun {
        SweepRun {
            kind: RunKind::Plain,
            threads: 2,
            copies: 1,
            order: 0,
            is_warm_up: false,
            elapsed: Nanos::from_nanos(5),
            user: Nanos::ZERO,
            system: Nanos::ZERO,
            lacked: None,
            workers: None,
            exit,
            timed_out: false,
            same_output: None,
        }
    }

    #[test]
    fn a_sweep_resumes_where_it_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new/sums.sweep.json");
        assert_eq!(resumed(&file, &sweep()).unwrap(), None);
        let kept = Sweep {
            runs: vec![
                run(Exit::Code(0)),
                SweepRun {
                    order: 1,
                    ..run(Exit::Code(1))
                },
                // A copy that ran at the same time.
                SweepRun {
                    order: 1,
                    ..run(Exit::Code(0))
                },
            ],
            ..sweep()
        };
        write(&file, &kept).unwrap();
        let wanted = Sweep {
            threads: vec![1, 2, 4],
            seed: 9,
            ..sweep()
        };
        let resumed = resumed(&file, &wanted).unwrap().unwrap();
        assert_eq!(resumed.runs, [run(Exit::Code(0))]);
        assert_eq!((resumed.threads, resumed.seed), (vec![1, 2, 4], 3));
    }

    #[test]
    fn what_runs_reported_of_another_machine_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("sums.sweep.json");
        let wanted = Sweep {
            launcher: Some("srun".to_owned()),
            ..sweep()
        };
        let mut kept = wanted.clone();
        kept.machine.cores = 64;
        write(&file, &kept).unwrap();
        let resumed = resumed(&file, &wanted).unwrap().unwrap();
        assert_eq!(resumed.machine.cores, 64);
    }

    #[test]
    fn another_sweep_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("sums.sweep.json");
        write(&file, &sweep()).unwrap();
        let refusal = |wanted: Sweep| format!("{:#}", resumed(&file, &wanted).unwrap_err());
        type Change = fn(&mut Sweep);
        let changes: [(Change, &str); 6] = [
            (
                |sweep| sweep.command[1] = "3".to_owned(),
                "the command was `./sums 'two words'`, and is `./sums 3`",
            ),
            (|sweep| sweep.machine.cores = 4, "with 2 cores"),
            (
                |sweep| sweep.program_digest = Some("2".to_owned()),
                "the program's file has changed",
            ),
            (
                |sweep| sweep.baseline_digest = Some("2".to_owned()),
                "the baseline's file has changed",
            ),
            (
                |sweep| sweep.stand_in = Some("libomp.so.5".to_owned()),
                "own was none, and is `libomp.so.5`",
            ),
            (
                |sweep| sweep.pinning = Pinning::None,
                "the pinning was compact, and is none",
            ),
        ];
        for (change, reason) in changes {
            let mut other = sweep();
            change(&mut other);
            assert!(refusal(other).contains(reason), "{reason}");
        }
        fs::write(&file, "{\"version\": 99}").unwrap();
        assert!(refusal(sweep()).contains("of version 99"));
        fs::write(&file, "[]").unwrap();
        assert!(refusal(sweep()).contains("no sweep's file"));
        fs::write(&file, "{\"version\": 1}").unwrap();
        assert!(refusal(sweep()).contains("damaged"));
    }
}
