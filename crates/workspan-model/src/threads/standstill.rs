//! What the threads waited for of a program that stood still when a signal ended it.

use std::collections::BTreeMap;

use crate::{Location, Nanos, Profile, WaitCause};

/// How a program stood still.
#[derive(Clone, Debug, PartialEq)]
pub struct Standstill {
    /// For how long, at least, until a signal ended it.
    pub lasted: Nanos,
    /// Where threads waited, those of most threads first.
    pub waits: Vec<StandingWait>,
}

/// A line at which threads waited to the end.
#[derive(Clone, Debug, PartialEq)]
pub struct StandingWait {
    /// The user's line; `None` if it is not known.
    pub location: Option<Location>,
    /// For what they waited, if their code shows it.
    pub cause: Option<WaitCause>,
    /// The line that ended earlier waits for the same, if one did.
    pub ended_by: Option<Location>,
    /// How many threads.
    pub threads: u64,
    /// For how long, on average.
    pub waited: Nanos,
}

/// A shorter standstill may be chance: threads that were woken and had no processor yet.
const LONG: Nanos = Nanos::from_nanos(1_000_000_000);

/// How the program stood still, if it did when a signal ended it.
pub(crate) fn standstill(profile: &Profile) -> Option<Standstill> {
    let lasted = Nanos::from_nanos(profile.count_of_engine("stood_still_nanos")?);
    let waits = &profile.waits;
    let mut lines: BTreeMap<_, (u64, Nanos)> = BTreeMap::new();
    for queue in &waits.queues {
        for place in queue.waits.iter().filter(|place| place.open > 0) {
            let location = waits.user_line(place).cloned();
            let ended_by = waits.waker(queue).cloned();
            let key = (location, waits.cause(queue, place), ended_by);
            let (threads, waited) = lines.entry(key).or_default();
            *threads += place.open;
            *waited += place.open_waited;
        }
    }
    let mut waits: Vec<StandingWait> = lines
        .into_iter()
        .map(
            |((location, cause, ended_by), (threads, waited))| StandingWait {
                location,
                cause,
                ended_by,
                threads,
                waited: Nanos::from_nanos_f64(waited.as_nanos() as f64 / threads as f64),
            },
        )
        .collect();
    waits.sort_by_key(|wait| std::cmp::Reverse(wait.threads));
    (lasted >= LONG && !waits.is_empty()).then_some(Standstill { lasted, waits })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Exit, Limit, analyse, example};

    /// The example's lock, for which two threads wait to the end of a run of 561 ms.
    fn standing(lasted: i64) -> crate::Analysis {
        let any = Nanos::from_nanos(500_000_000);
        let inside = "std::sys::sync::mutex::futex::Mutex::lock_contended";
        let mut profile = example::waiting(inside, 3, any, any);
        profile.run.interrupted = true;
        profile.run.exit = Exit::Signal(2);
        let place = &mut profile.waits.queues[0].waits[0];
        (place.open, place.open_waited) = (2, Nanos::from_nanos(700_000_000));
        profile.engine.push(crate::EngineCount {
            name: "stood_still_nanos".to_owned(),
            value: lasted,
        });
        analyse(&profile)
    }

    #[test]
    fn each_line_has_its_threads_and_who_ended_such_waits_before() {
        let analysis = standing(1_000_000_000);
        assert!(matches!(analysis.verdict.limit, Limit::Standstill { .. }));
        assert!(analysis.speedup.is_empty() && analysis.findings.is_empty());
        let found = analysis.awaited.standstill.unwrap();
        assert_eq!(found.lasted, LONG);
        let [wait] = &found.waits[..] else {
            panic!("{found:?}");
        };
        let line = |location: &Option<Location>| location.as_ref().unwrap().line;
        assert_eq!((line(&wait.location), line(&wait.ended_by)), (10, 12));
        assert_eq!(wait.cause, Some(WaitCause::Lock));
        assert_eq!(
            (wait.threads, wait.waited),
            (2, Nanos::from_nanos(350_000_000))
        );
    }

    #[test]
    fn a_moment_is_no_standstill() {
        assert_eq!(standing(999_999_999).awaited.standstill, None);
    }
}
