//! What to say where threads had too few processors.

use workspan_model::{Analysis, Discrepancy, Placement, RuntimeKind};

use super::answer::SiteAnswer;
use crate::notation::figures::counted;

/// That the program held its threads to fewer processors than there are, where that decides what the
/// run shows.
pub(crate) fn held(analysis: &Analysis) -> Option<String> {
    let held_to = analysis.held_to()?;
    let placement = &analysis.placement;
    let by = match lines(placement) {
        Some(lines) => format!("they were restricted at {lines}"),
        None => {
            "the program, or a library it uses, restricted them (`sched_setaffinity`)".to_owned()
        }
    };
    Some(format!(
        "Its threads could run on only {held_to} of {}: {by}.",
        counted(placement.processors.into(), "processor", "processors"),
    ))
}

/// The lines at which the program restricted its threads, if any were seen.
fn lines(placement: &Placement) -> Option<String> {
    let lines: Vec<String> = placement.held_at.iter().map(ToString::to_string).collect();
    let (last, others) = lines.split_last()?;
    Some(match others {
        [] => last.clone(),
        others => format!("{} and {last}", others.join(", ")),
    })
}

/// What to try about that.
pub(crate) fn let_go(analysis: &Analysis) -> Option<SiteAnswer> {
    held(analysis)?;
    let (place, breakpoint) = match lines(&analysis.placement) {
        Some(lines) => (format!(" at {lines}"), ""),
        None => (String::new(), " A breakpoint on it shows the caller."),
    };
    let instead = match analysis.runtime {
        Some(RuntimeKind::OpenMp) => {
            " Set `OMP_PROC_BIND=true` instead, to give each thread a processor of its own."
        }
        _ => "",
    };
    Some(SiteAnswer {
        short: "Let threads run anywhere".to_owned(),
        text: format!(
            "Remove the call of `sched_setaffinity` or `pthread_setaffinity_np`{place}: threads that are started later \
             inherit its mask.{breakpoint}{instead}"
        ),
        row: None,
    })
}

/// How many threads of OpenMP shared how many processors, where threads used processors without a
/// task and these were fewer.
pub(super) fn crowded(analysis: &Analysis, discrepancy: Discrepancy) -> Option<(u32, u32)> {
    let runs = matches!(discrepancy, Discrepancy::FineTasks | Discrepancy::Spinning);
    let is_openmp = analysis.runtime == Some(RuntimeKind::OpenMp);
    (analysis.placement.crowded()).filter(|_| runs && is_openmp)
}

#[cfg(test)]
mod tests {
    use super::super::answers::enough_parallelism;
    use super::super::to_try::to_try;
    use workspan_model::{Nanos, ProcessorUse, Profile, RuntimeKind, analyse, example};

    /// What is said of a run of OpenMP on so many threads, on four processors of which so many are
    /// allowed, whose process used so many milliseconds of them.
    fn said(threads: u32, allowed: i64, used: i64) -> (String, String) {
        said_of(example::quicksort(), threads, allowed, used)
    }

    fn said_of(mut profile: Profile, threads: u32, allowed: i64, used: i64) -> (String, String) {
        profile.run.runtimes[0].kind = RuntimeKind::OpenMp;
        (profile.run.threads, profile.run.assumed_cores) = (threads, 0);
        profile.machine.cores = if allowed == 4 { 4 } else { 1 };
        let millis = |millis: i64| Nanos::from_nanos(millis * 1_000_000);
        profile.run.elapsed = millis(used / allowed);
        profile.run.processors = Some(ProcessorUse {
            used: millis(used),
            queued: None,
        });
        profile.run.off_processor = Nanos::ZERO;
        example::allow_processors(&mut profile, 4, allowed);
        let analysis = analyse(&profile);
        (enough_parallelism(&analysis).text, to_try(&analysis).text)
    }

    #[test]
    fn threads_that_are_held_say_nothing_of_more_processors() {
        let (seen, advice) = said(4, 1, 1_200);
        assert!(
            seen.contains("could run on only 1 of 4 processors"),
            "{seen}"
        );
        assert!(advice.contains("sched_setaffinity"), "{advice}");
        let (seen, _) = said(4, 4, 1_200);
        assert!(!seen.contains("could run on only"), "{seen}");
    }

    #[test]
    fn the_calls_that_hold_threads_are_named() {
        let mut profile = example::waiting("sched_setaffinity", 1, Nanos::ZERO, Nanos::ZERO);
        let queue = profile.waits.queues.remove(0);
        let [first, second] = [queue.waits, queue.wakes].map(|mut places| places.remove(0));
        profile.waits.restrictions = vec![second.clone(), second.clone()];
        let (seen, advice) = said_of(profile.clone(), 4, 1, 1_200);
        assert!(seen.contains("restricted at main.rs:12."), "{seen}");
        assert!(advice.contains("at main.rs:12:"), "{advice}");
        assert!(!advice.contains("breakpoint"), "{advice}");
        // How often each was called says nothing about which mask is left.
        for counts in [[1, 100], [100, 1]] {
            profile.waits.restrictions = vec![second.clone(), first.clone()];
            for (place, count) in profile.waits.restrictions.iter_mut().zip(counts) {
                place.count = count;
            }
            let (seen, advice) = said_of(profile.clone(), 4, 1, 1_200);
            assert!(
                seen.contains("restricted at main.rs:10 and main.rs:12."),
                "{seen}"
            );
            assert!(advice.contains("at main.rs:10 and main.rs:12:"), "{advice}");
        }
        // Threads that are each given a processor have all of them.
        let (seen, advice) = said_of(profile, 4, 4, 1_200);
        assert!(!seen.contains("restricted"), "{seen}");
        assert!(!advice.contains("main.rs:12"), "{advice}");
    }

    #[test]
    fn threads_that_outnumber_processors_are_to_be_fewer() {
        let (seen, advice) = said(32, 4, 20_000);
        assert!(seen.contains("32 threads ran on 4 processors"), "{seen}");
        assert!(advice.contains("OMP_NUM_THREADS=4"), "{advice}");
        let (seen, advice) = said(4, 4, 20_000);
        assert!(!seen.contains("ran on 4 processors"), "{seen}");
        assert!(!advice.contains("OMP_NUM_THREADS"), "{advice}");
    }
}
