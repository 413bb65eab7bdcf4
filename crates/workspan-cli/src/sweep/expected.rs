//! The scaling that a profile predicts for a sweep.

use std::path::Path;

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use workspan_model::{Dag, ExpectedScaling, Profile, Scheduler, Simulation, totals};

use crate::exit_code::{Failure, OrExit as _, PROFILE};
use crate::machine_costs;
use crate::stored;

/// Simulated runs for each number of cores. Each chooses its victims at random with its own seed.
const SEEDS: u32 = 9;

/// A profile and the curves that follow from it.
pub(crate) struct Expected {
    pub(crate) profile: Profile,
    pub(crate) curves: ExpectedScaling,
}

/// What the profile in `file` predicts for these numbers of threads, in ascending order.
pub(crate) fn expected(file: &Path, threads: &[u32]) -> Result<Expected, Failure> {
    let (profile, dag) = stored::read(file).or_exit(PROFILE)?;
    let curves = curves(&profile, dag.as_ref(), threads);
    Ok(Expected { profile, curves })
}

/// The curves that a profile predicts for these numbers of threads, in ascending order.
pub(super) fn curves(profile: &Profile, dag: Option<&Dag>, threads: &[u32]) -> ExpectedScaling {
    let totals = totals(profile);
    let most = threads.last().copied().unwrap_or(1);
    let phases = dag.and_then(|dag| dag.phases(totals.parallelism.high));
    let limits = totals.speedup_limits().in_phases(phases);
    let mut curves = ExpectedScaling::up_to(most, &limits);
    if let Some(dag) = dag {
        let (costs, _) = machine_costs::of_scheduling(&profile.run);
        let simulation = Simulation::new(dag, &costs, Scheduler::Rayon);
        curves.predictions = threads
            .par_iter()
            .map(|&threads| {
                let prediction = simulation.prediction(threads, SEEDS);
                prediction.at_most(totals.most_speedup_by_locks())
            })
            .collect();
    }
    curves
}
