//! Makes a profile of the raw profile that a program left, or finds out why it left none.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, anyhow};
use workspan_format::raw;
use workspan_model::{Dag, Exit, Profile, Runtime};

use super::child::Ended;
use super::files::{RawFiles, TemporaryFile};
use super::launch::{Expected, Launch, Reporting};
use super::missing;
use crate::native::{SUPPORTED, Start};
use crate::process::binary;
use crate::process::binary::Contents;
use crate::stored;
use crate::symbols;

/// Extension of the file that the engine leaves if it could not write the profile, as in
/// `workspan-engine/workspan_rt/session/file.rs`.
const UNWRITTEN: &str = "unwritten";

/// A profile, and a remark about it for the user.
pub(super) struct Collected {
    pub(super) profile: Profile,
    pub(super) remark: Option<String>,
}

/// Reads the raw profile and resolves its addresses. A program without rayon gets a profile of one
/// strand.
///
/// # Errors
/// If there is no profile, or it cannot be read.
pub(super) fn collect(
    launch: &Launch,
    reporting: &Reporting,
    ended: &Ended,
    raw_file: &Path,
) -> anyhow::Result<Collected> {
    let program = Path::new(&launch.command[0]);
    let facts = facts(launch, ended);
    if raw_file.exists() {
        let raw = raw::read(raw_file).context("the profile cannot be used")?;
        if let Some(problem) = &raw.metric_problem {
            return Err(anyhow!("no profile: in a thread of the program {problem}"));
        }
        let named = symbols::name(&raw, &reporting.places);
        let mut profile = raw.into_profile(facts, named.sites);
        profile.samples = named.samples;
        profile.waits = named.waits;
        profile.run.burden_source = Some(launch.measure.burden_source);
        if let Start::With(preload) = &launch.start
            && profile.run.runtimes.is_empty()
        {
            // The run did not execute any construct of its runtime.
            profile.run.runtimes.push(Runtime {
                kind: preload.runtime,
                version: None,
            });
        }
        return Ok(Collected {
            profile,
            remark: None,
        });
    }
    let threads_unmeasured = match &launch.start {
        Start::With(_) => return Err(missing::reason(ended)),
        Start::ThreadsUnmeasured(reason) => Some(reason.clone()),
        Start::AsItIs | Start::Unsupported => None,
    };
    let shown = program.display();
    if launch.measure.metric != "time" && matches!(binary::contents(program), Ok(Contents::NoRayon))
    {
        return Err(anyhow!(
            "no profile: `{shown}` does not use rayon, so that nothing in it counts {}; of the time, all of it is one \
             strand",
            launch.measure.metric
        ));
    }
    match (
        binary::contents(program).unwrap_or(Contents::Unknown),
        reporting.expected,
    ) {
        (Contents::NoRayon, Expected::EngineIfRayon | Expected::OneOfMany) => Ok(Collected {
            remark: Some(match missing::unseen_threads(ended) {
                0 if threads_unmeasured.is_some() => format!(
                    "`{}` does not use rayon, and of the threads that it may start nothing was measured",
                    binary::name(program)
                ),
                0 => format!(
                    "`{}` does not use rayon: all of it is one strand",
                    binary::name(program)
                ),
                threads => format!(
                    "`{}` does not use rayon: it had {threads} threads, of which nothing was measured",
                    binary::name(program)
                ),
            }),
            profile: missing::one_strand(facts, ended, threads_unmeasured),
        }),
        (Contents::PlainRayon, Expected::EngineIfRayon | Expected::OneOfMany) => Err(anyhow!(
            "no profile: the rayon-core in `{shown}` could not be instrumented; the build says why \
             (`cargo update -p rayon-core` brings a newer one)"
        )),
        _ if matches!(launch.start, Start::Unsupported) => Err(anyhow!(
            "no profile: `{shown}` uses no parallel runtime that workspan knows, and has started no program \
             that `cargo workspan` has built. {SUPPORTED}. Of what a program loads while it runs, such as a module of \
             Python, its file tells nothing: `--runtime openmp` does"
        )),
        (Contents::NoRayon | Contents::PlainRayon, Expected::Instrumented) => Err(anyhow!(
            "no profile: `{shown}` was not built by workspan; in its project, `cargo workspan run` \
             builds and profiles it"
        )),
        (Contents::Engine | Contents::Unknown, _) => Err(missing::reason(ended)),
    }
}

/// Whether a program that ended by itself left no profile because of what it did: it became another
/// program, ended by `_exit`, continued as a daemon, or changed its root folder or its user. An
/// engine that could not write its profile leaves a file that says so.
pub(super) fn is_programs_choice(launch: &Launch, ended: &Ended, files: &RawFiles) -> bool {
    let has_engine = match binary::contents(Path::new(&launch.command[0])) {
        Ok(Contents::Engine | Contents::Unknown) => !matches!(launch.start, Start::Unsupported),
        _ => matches!(launch.start, Start::With(_)),
    };
    let is_unwritten = files.profile.path().with_extension(UNWRITTEN).exists();
    matches!(ended.exit, Exit::Code(_)) && has_engine && !files.profile.exists() && !is_unwritten
}

/// The task dag that belongs to `profile`. None if the program recorded none, or, with a warning,
/// if it cannot be read.
pub(super) fn dag(record: &TemporaryFile, profile: &Profile) -> Option<Dag> {
    stored::read_dag(record.path(), profile)
}

fn facts(launch: &Launch, ended: &Ended) -> raw::Launch {
    raw::Launch {
        command: launch
            .command
            .iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect(),
        started_at: seconds_since_1970(ended.started_at),
        ..stored::launch_on_this_machine(ended.exit)
    }
}

fn seconds_since_1970(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |duration| duration.as_secs())
}
