//! The profiles that runs have kept, as JSON.

use std::io;

use workspan_model::{Exit, Metric};

use super::keys::write_pretty;
use crate::KeptProfile;
use crate::object::{Document, object};

/// Version of the JSON of `workspan list`. Keys may be added within a version.
const VERSION: u32 = 1;

/// Writes `profiles` as JSON.
///
/// # Errors
/// Any error from writing to `output`.
pub fn kept_json(profiles: &[KeptProfile], output: &mut dyn io::Write) -> io::Result<()> {
    write_pretty(&kept_document(profiles), &Metric::time(), output)
}

pub(super) fn kept_document(profiles: &[KeptProfile]) -> impl Document {
    object! {
        /// Version of this schema. Keys may be added within a version; none is removed or changes its
        /// meaning.
        #[cfg_attr(test, schemars(extend("const" = VERSION)))]
        version: VERSION,
        /// The newest first
        profiles: profiles.iter().map(profile).collect::<Vec<_>>(),
    }
}

fn profile(kept: &KeptProfile) -> impl Document {
    let run = &kept.run;
    let (code, killed_by) = match run.exit {
        Exit::Code(code) => (Some(code), None),
        Exit::Signal(signal) => (None, Some(signal)),
    };
    object! {
        /// The profile; a relative path is relative to the current folder
        file: kept.path.to_string_lossy(),
        /// The program and its arguments
        command: &run.command,
        /// Exit code; null when a signal ended the program
        exit_code: code,
        /// Signal that ended the program
        signal: killed_by,
        /// Start, in seconds since 1970-01-01 UTC
        started_at: run.started_at,
        /// From the program's start to its end
        elapsed_ns: run.elapsed.as_nanos(),
        /// Real size of the default thread pool, of OpenMP the most threads of a team; 0 when none was
        /// started
        threads: run.threads,
        /// What was measured, as `--metric` takes it
        metric: &run.metric.name,
    }
}
