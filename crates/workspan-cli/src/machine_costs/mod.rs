//! The costs of rayon's operations on this machine, measured once and kept in the user's cache
//! folder.

mod cache;
mod constructs;
mod measurement;
mod switches;
mod transfer;

use std::time::{SystemTime, UNIX_EPOCH};

use workspan_model::{CostsSource, MachineCosts, Run, SchedulingCosts};

use crate::exit_code::{Failure, OrExit as _, PROFILE, SETUP};
use crate::message;
use cache::Known;

pub(crate) use cache::KnownCosts;

/// Measures the costs, with notes about the progress, and keeps them.
pub(crate) fn measured() -> Result<KnownCosts, Failure> {
    let costs = measurement::measure(|next| message::note(next)).or_exit(SETUP)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let known = KnownCosts::of_this_machine(costs, now.map_or(0, |time| time.as_secs()));
    let file = cache::file().or_exit(PROFILE)?;
    match cache::write(&file, &known) {
        Ok(()) => message::note(format_args!("costs kept in {}", file.display())),
        Err(error) => message::warning(format_args!("the costs are not kept: {error:#}")),
    }
    Ok(known)
}

/// The kept costs of this machine, if they can be read.
pub(crate) fn kept() -> Option<MachineCosts> {
    match cache::read(&cache::file().ok()?).ok()? {
        Known::Costs(known) => Some(known.costs),
        Known::Nothing(_) => None,
    }
}

/// The costs of scheduling in `run`: those in its profile, or else those kept for this machine, or
/// else typical ones.
pub(crate) fn of_scheduling(run: &Run) -> (SchedulingCosts, CostsSource) {
    match SchedulingCosts::from_run(run) {
        (costs, CostsSource::Typical) => match kept() {
            Some(machine) => (
                SchedulingCosts::from_machine(&machine),
                CostsSource::Measured,
            ),
            None => (costs, CostsSource::Typical),
        },
        measured => measured,
    }
}

/// The kept costs of this machine, or else those measured now.
pub(crate) fn known() -> Result<MachineCosts, Failure> {
    let file = cache::file().or_exit(PROFILE)?;
    match cache::read(&file).or_exit(PROFILE)? {
        Known::Costs(known) => Ok(known.costs),
        Known::Nothing(why) => {
            message::note(format_args!(
                "--burden measured: {why}; measuring, some seconds (`workspan calibrate` does it again)"
            ));
            Ok(measured()?.costs)
        }
    }
}
