//! How many processors the program's threads had.

use crate::quantity::units::times;
use crate::{Location, Profile};

/// Threads, and the processors for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The threads that the work was for: of the pool, the largest team, or those that the program
    /// started.
    pub threads: u32,
    /// Processors that the program was started on.
    pub processors: u32,
    /// On how many of them the program let its threads run in the end, if those are fewer and could
    /// have run all that it did.
    pub held_to: Option<u32>,
    /// The lines at which the program restricted threads, where its calls were seen and such a number is
    /// left. Which of several decided, a run does not show.
    pub held_at: Vec<Location>,
}

impl Placement {
    /// Threads and the processors that they shared, if these were fewer.
    pub fn crowded(&self) -> Option<(u32, u32)> {
        let processors = self.held_to.unwrap_or(self.processors);
        (processors > 0 && self.threads > processors).then_some((self.threads, processors))
    }
}

/// How many processors the threads of the run had.
pub(crate) fn placement(profile: &Profile) -> Placement {
    let count = |name| u32::try_from(profile.count_of_engine(name)?).ok();
    let run = &profile.run;
    // The machine's number is of the processors that are left in the end.
    let processors = count("processors_at_start").unwrap_or(profile.machine.cores);
    let started = profile.threads_that_ran().unwrap_or(0).saturating_sub(1);
    let can_have_run_on = |processors: u32| {
        // A twentieth for what ran before, or elsewhere at the end.
        let most = times(run.elapsed, processors);
        let used = run.processors.map_or(most, |of| of.used);
        times(used, 20) <= times(most, 21)
    };
    let held_to = count("processors_allowed")
        .filter(|&allowed| allowed > 0 && allowed < processors && can_have_run_on(allowed));
    let lines = held_to.map(|_| profile.waits.restricted_at());
    Placement {
        threads: match run.threads {
            0 => u32::try_from(started).unwrap_or(u32::MAX),
            of_runtime => of_runtime,
        },
        processors,
        held_to,
        held_at: lines.into_iter().flatten().cloned().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Nanos, ProcessorUse, example};

    /// So many threads, allowed on so many of four processors in the end, of which they used so many.
    fn placed(threads: u32, allowed: i64, used: i64) -> Placement {
        let mut profile = example::quicksort();
        (profile.run.threads, profile.machine.cores) = (threads, 1);
        profile.run.elapsed = Nanos::from_nanos(1_000_000);
        profile.run.processors = Some(ProcessorUse {
            used: Nanos::from_nanos(used * 1_000_000),
            queued: None,
        });
        example::allow_processors(&mut profile, 4, allowed);
        placement(&profile)
    }

    #[test]
    fn threads_share_the_processors_that_they_are_held_to() {
        let shared = |threads, allowed| {
            let placement = placed(threads, allowed, 1);
            (placement.held_to, placement.crowded())
        };
        assert_eq!(shared(4, 4), (None, None));
        assert_eq!(shared(16, 4), (None, Some((16, 4))));
        assert_eq!(shared(1, 1), (Some(1), None));
        assert_eq!(shared(4, 2), (Some(2), Some((4, 2))));
        // A machine has more than a quota lets it use.
        assert_eq!(shared(4, 8), (None, None));
    }

    #[test]
    fn threads_that_used_more_were_not_held() {
        // The main thread, after the others ended.
        assert_eq!(placed(4, 1, 3).held_to, None);
        assert_eq!(placed(4, 3, 3).held_to, Some(3));
    }
}
