//! How many threads ran strands.

use crate::{Profile, RuntimeKind};

/// P: the threads that ran strands, as many of them as there are processors.
pub(crate) fn threads(profile: &Profile) -> u32 {
    running(profile).min(profile.machine.cores).max(1)
}

/// The threads that ran strands.
pub(crate) fn running(profile: &Profile) -> u32 {
    // A program may have a pool that it gives nothing to, beside the one that it uses; rayon's main
    // thread waits while a pool runs.
    let pool = Some(profile.run.threads.into()).filter(|&threads| threads > 0);
    let runtime = profile.runtime();
    let waits = u64::from(runtime == Some(RuntimeKind::Rayon));
    let ran = profile.threads_that_ran();
    let ran = ran.map(|ran| ran.saturating_sub(waits).max(1));
    let ran = match (pool, ran) {
        // Several teams of OpenMP at once, of threads that the program starts or nested ones.
        (Some(team), Some(ran)) if runtime == Some(RuntimeKind::OpenMp) && ran > team => Some(ran),
        _ => [pool, ran].into_iter().flatten().min(),
    };
    u32::try_from(ran.unwrap_or(1)).unwrap_or(u32::MAX)
}
