//! The additional run of `--check-cores`, whose iterators are cut for the real number of threads.

use std::mem;

use anyhow::anyhow;
use workspan_model::{Exit, Profile};

use super::ending::ended;
use super::launch::Launch;
use super::runs::Runs;
use super::standard_input::StandardInput;
use crate::exit_code::{Failure, OrExit as _, SETUP};
use crate::message;

/// Runs the program of `launch` that way. Returns its profile, or how the program ended if it
/// failed.
pub(super) fn run(launch: &mut Launch) -> Result<Result<Profile, Exit>, Failure> {
    let input = StandardInput::of_this_process();
    message::note("the run with iterators cut for the real threads …");
    let assumed_cores = mem::take(&mut launch.measure.assumed_cores);
    let run = Runs::begin()?.run_for_profile(launch, "the run of --check-cores");
    launch.measure.assumed_cores = assumed_cores;
    input.rewind().or_exit(SETUP)?;
    let run = run?.map(|run| run.profile);
    if let Err(exit) = run {
        message::error(&anyhow!(
            "the run of --check-cores {}: no more runs, and no report",
            ended(exit)
        ));
    }
    Ok(run)
}
