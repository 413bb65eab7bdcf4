//! What to try against each diagnosis, in words of the program's runtime.

use workspan_model::{
    Analysis, Evidence, Finding, RuntimeKind, Serialisation, SiteKind, SiteRow, SkewedBy,
};

/// Sections of runtimes, whose lines are a subject, kinds of sites, and advice.
const ADVICE: &str = include_str!("../../explanations/advice.txt");

/// What to try if `site` shows `evidence`; in words of rayon if the runtime is unknown.
pub(super) fn advice(
    evidence: &Evidence,
    site: &SiteRow,
    runtime: Option<RuntimeKind>,
) -> Option<&'static str> {
    if is_of_tasks_in_a_row(site) {
        match evidence {
            Evidence::InsufficientParallelism { .. } => return None,
            Evidence::FewTasks { .. } => {
                return Some("more and smaller tasks, or a parallel loop over the parts");
            }
            _ => {}
        }
    }
    find(subject(evidence), Some(site.kind), runtime)
}

/// What to try where the serial code of `finding` is on the line of a parallel iterator.
pub(super) fn feed_at_once(finding: &Finding, analysis: &Analysis) -> Option<&'static str> {
    let Evidence::SerialCode { .. } = finding.evidence else {
        return None;
    };
    let row = &analysis.functions.as_ref()?.rows[finding.function?];
    let line = row.main_line(true)?;
    let is_there = |site: &SiteRow| {
        let place = site.location.as_ref();
        let is_same =
            place.is_some_and(|place| (&place.file, place.line) == (&line.file, line.line));
        is_same && site.kind == SiteKind::ParIter
    };
    let is_fed = row.parallel && analysis.sites.iter().any(is_there);
    find("fed_serially", None, analysis.runtime).filter(|_| is_fed)
}

/// What to try where the serial code of `finding` is that of threads, each of which runs when the one
/// before it has been joined.
pub(super) fn join_later(finding: &Finding, analysis: &Analysis) -> Option<String> {
    let site = &analysis.sites[finding.row];
    let is_serial = matches!(finding.evidence, Evidence::SerialCode { .. });
    // All of them are on the longest chain, and none was started by another one.
    let (on_work, on_span) = (&site.on_work, &site.on_span);
    let are_all = on_span.count == on_work.count && on_work.top_count == on_work.count;
    let in_turn = site.kind == SiteKind::Thread && are_all && analysis.runs_in_turn(site);
    let at = (analysis.awaited.joined_at.as_ref())
        .map_or_else(String::new, |line| format!(", at {line}"));
    (is_serial && in_turn).then(|| {
        format!(
            "start all of these threads before the first is joined: each ran when the one before it had been joined{at}"
        )
    })
}

/// Whether the site is no recursion: a scope, a task that is spawned once or in a row, a thread,
/// serial code.
fn is_of_tasks_in_a_row(site: &SiteRow) -> bool {
    let recurs = site.on_work.count > site.on_work.top_count;
    let is_of_tasks = site.kind.is_task()
        || site.kind.is_group()
        || matches!(
            site.kind,
            SiteKind::Root | SiteKind::Thread | SiteKind::Broadcast
        );
    is_of_tasks && !recurs
}

/// How to make serial code parallel.
pub(super) fn make_parallel(runtime: Option<RuntimeKind>) -> &'static str {
    find("make_parallel", None, runtime).unwrap_or_default()
}

/// The subject under which advice stands.
pub(super) fn subject(evidence: &Evidence) -> &'static str {
    match evidence {
        Evidence::SkewedChildren(SkewedBy::Depth { .. }) => "skewed_depth",
        Evidence::SkewedChildren(SkewedBy::Pieces { .. }) => "skewed_pieces",
        Evidence::Serialised(Serialisation::Bridge { .. }) => "bridge",
        Evidence::OverSplitting { inside, .. } if inside.is_some() => "inner_splitting",
        _ => evidence.diagnosis().name(),
    }
}

/// The first line that fits of the runtime's section, or else of the last one.
fn find(
    subject: &str,
    kind: Option<SiteKind>,
    runtime: Option<RuntimeKind>,
) -> Option<&'static str> {
    let fits = |head: &str| {
        let (about, kinds) = head.split_once(' ').unwrap_or((head, ""));
        let mut kinds = kinds.split_whitespace().peekable();
        let of_kind = |wanted: &str| kind.is_some_and(|kind| kind.name() == wanted);
        about == subject && (kinds.peek().is_none() || kinds.any(of_kind))
    };
    let runtimes = [runtime.unwrap_or(RuntimeKind::Rayon), RuntimeKind::C];
    runtimes.iter().find_map(|runtime| {
        let (_, section) = ADVICE.split_once(&format!("[{}]\n", runtime.name()))?;
        let lines = section.lines().take_while(|line| !line.is_empty());
        let mut lines = lines.filter_map(|line| line.split_once(": "));
        lines.find_map(|(head, text)| fits(head).then_some(text))
    })
}

#[cfg(test)]
mod tests {
    use workspan_model::{
        Estimate, InflatedCounter, InflationCause, Location, Nanos, NodeId, PairedRatio, Span,
        WaitCause, Work, analyse, example,
    };

    use super::*;

    /// Evidence of each diagnosis.
    fn evidences() -> Vec<Evidence> {
        let (tasks, span_share, overhead) = (9.0, 0.5, 0.2);
        let task = Nanos::from_nanos(50);
        let inflation = PairedRatio {
            ratio: Estimate {
                value: 3.0,
                low: 2.0,
                high: 4.0,
            },
            confidence: 0.98,
            is_sure: true,
            rounds: 7,
        };
        let inflated = |cause: Option<InflationCause>| Evidence::Inflated {
            inflation,
            on_path: None,
            more: task,
            work_share: 0.4,
            span_share,
            threads: 2,
            counters: 1,
            counter: cause.map(|cause| InflatedCounter {
                cause,
                metric: 1,
                inflation,
                more: 9.0,
            }),
        };
        vec![
            inflated(None),
            inflated(Some(InflationCause::Coherence)),
            inflated(Some(InflationCause::RemoteMemory)),
            inflated(Some(InflationCause::LastLevelMisses)),
            Evidence::InsufficientParallelism {
                parallelism: 2.0,
                of_site: None,
                span_share,
            },
            Evidence::FineTasks {
                tasks: 9,
                task,
                overhead: Some(overhead),
                parallelism: 4.0,
                burdened_parallelism: 1.0,
            },
            Evidence::SerialCode {
                time: task,
                span_share,
                work_share: 0.1,
            },
            Evidence::SkewedChildren(SkewedBy::Depth {
                depth: 90.0,
                balanced: 3.0,
                tasks,
            }),
            Evidence::SkewedChildren(SkewedBy::Pieces {
                longest: task,
                even: task,
            }),
            Evidence::ManySteals {
                stolen: 9,
                tasks: 9,
                task,
                cost: 0.3,
            },
            Evidence::Serialised(Serialisation::Waits {
                blocked: task,
                share: 0.5,
            }),
            Evidence::FewTasks { tasks, span_share },
            Evidence::SerialisingLock {
                held: task,
                work_share: 0.3,
                here: task,
                places: 1,
                acquisitions: 9,
                waits: 3,
                waited: task,
                most_speedup: 3.3,
                parallelism: 9.0,
            },
        ]
    }

    #[test]
    fn advice_for_other_runtimes_does_not_mention_rayon() {
        let words = [
            "par_", "with_m", "rayon", "join", "fold", "scope", "iter", "Vec",
        ];
        let site = analyse(&example::quicksort()).sites.remove(0);
        let kinds = [
            SiteKind::Parallel,
            SiteKind::Loop,
            SiteKind::Sections,
            SiteKind::Task,
            SiteKind::Taskgroup,
            SiteKind::Critical,
            SiteKind::Atomic,
            SiteKind::Ordered,
            SiteKind::Lock,
        ];
        for runtime in RuntimeKind::ALL {
            if runtime == RuntimeKind::Rayon {
                continue;
            }
            for (evidence, kind) in evidences()
                .iter()
                .flat_map(|evidence| kinds.map(|kind| (evidence, kind)))
            {
                let site = SiteRow {
                    kind,
                    ..site.clone()
                };
                let text = advice(evidence, &site, Some(runtime))
                    .unwrap_or_default()
                    .replace("iteration", "")
                    .replace("join them", "")
                    .replace("join of a parallel_reduce", "")
                    .replace("join less", "");
                for word in words {
                    assert!(!text.contains(word), "{runtime:?} {kind}: {text}");
                }
            }
            assert!(!make_parallel(Some(runtime)).contains("par_iter"));
        }
    }

    #[test]
    fn each_runtime_has_words_of_its_own() {
        let site = analyse(&example::quicksort()).sites.remove(0);
        let mut evidences = evidences().into_iter();
        let serial = evidences.find(|evidence| matches!(evidence, Evidence::SerialCode { .. }));
        let serial = &serial.unwrap();
        let text = |runtime| advice(serial, &site, runtime).unwrap();
        assert!(text(None).contains("par_iter"));
        assert!(text(Some(RuntimeKind::Rayon)).contains("par_iter"));
        assert!(text(Some(RuntimeKind::OpenMp)).contains("parallel for"));
        assert!(text(Some(RuntimeKind::Tbb)).contains("parallel_for"));
        assert!(text(Some(RuntimeKind::Cilk)).contains("cilk_for"));
    }

    #[test]
    fn what_an_iterator_goes_through_may_be_what_is_serial() {
        let advice_at = |line: u32| {
            let mut profile = example::quicksort();
            profile.tree[0].on_span.local_span = Span::from_nanos(90_000_000);
            profile.tree[0].on_work.local_work = Work::from_nanos(90_000_000);
            profile.span = Span::from_nanos(98_000_000);
            profile.sites[1].kind = SiteKind::ParIter;
            profile.sites[1].function = Some("main".to_owned());
            profile.sites[1].location = Some(Location::new("src/main.rs", 31, 9));
            let stacks: &[(u32, &[u32], f64, f64)] = &[(0, &[0], 400.0, 400.0)];
            let mut samples = example::samples(&["main"], stacks);
            samples.frames[0].location = Some(Location::new("src/main.rs", line, 5));
            samples.frames[0].definition = Some(Location::new("src/main.rs", 20, 1));
            profile.samples = Some(samples);
            let analysis = analyse(&profile);
            let is_serial =
                |finding: &&Finding| matches!(finding.evidence, Evidence::SerialCode { .. });
            let finding = analysis.findings.iter().find(is_serial).unwrap();
            super::super::finding::finding(finding, &analysis)
                .advice
                .unwrap()
        };
        assert!(advice_at(31).starts_with("one thread does what that line does"));
        assert!(advice_at(30).starts_with("make its loop a par_iter"));
    }

    #[test]
    fn threads_that_run_in_turn_are_to_be_joined_later() {
        let advice_by = |join: &str, on_path: u64, of_work: i64, joined: i64| {
            let joined = Nanos::from_nanos(joined);
            let mut profile = example::waiting(join, 3, joined, Nanos::ZERO);
            profile.run.runtimes[0].kind = RuntimeKind::Threads;
            profile.run.assumed_cores = 0;
            profile.machine.cores = 16;
            profile.sites[1].kind = SiteKind::Thread;
            profile.waits.queues[0].awaited = Some(WaitCause::Thread);
            profile.waits.queues[0].waits[0].node = NodeId::ROOT;
            let threads = &mut profile.tree[1];
            threads.on_work.local_work = Work::from_nanos(of_work);
            (threads.on_work.count, threads.on_work.top_count) = (4, 4);
            (threads.on_work.spawns, threads.on_work.syncs) = (0, 0);
            (threads.on_span.count, threads.on_span.top_count) = (on_path, on_path);
            let analysis = analyse(&profile);
            let finding = analysis.findings.iter().find(|finding| finding.row == 0);
            let words = super::super::finding::finding(finding.unwrap(), &analysis);
            words.advice.unwrap()
        };
        for join in [
            "pthread_join",
            "std::thread::scoped::ScopedJoinHandle::join",
        ] {
            let in_turn = advice_by(join, 4, 76_600_000, 70_000_000);
            assert!(in_turn.starts_with("start all of these threads before the first is joined"));
            assert!(in_turn.contains("main.rs:10"), "{join}: {in_turn}");
        }
        let advice_of =
            |on_path, of_work, joined| advice_by("pthread_join", on_path, of_work, joined);
        // Not every wait for a thread's end is seen.
        let unseen = advice_of(4, 76_600_000, 10_000_000);
        assert!(unseen.ends_with("had been joined."), "{unseen}");
        let others = [
            // One long thread, and three short ones beside it.
            advice_of(1, 76_600_000, 70_000_000),
            // Two pairs, in each of which one has little to do.
            advice_of(2, 76_600_000, 70_000_000),
            // Some of them ran side by side.
            advice_of(4, 100_000_000, 70_000_000),
        ];
        for text in others {
            assert!(!text.contains("joined"), "{text}");
        }
    }

    #[test]
    fn there_is_advice_for_everything() {
        let of_findings = evidences().into_iter().map(|evidence| subject(&evidence));
        let others = [
            "bridge",
            "over_splitting",
            "inner_splitting",
            "make_parallel",
            "fed_serially",
        ];
        let subjects: Vec<&str> = of_findings.chain(others).collect();
        let known = |runtime, subject: &str| find(subject, None, runtime).is_some();
        for runtime in RuntimeKind::ALL {
            // No other runtime has bridges, or iterates over maps.
            let of_rayon = ["bridge", "fed_serially"];
            let mut subjects = (subjects.iter()).filter(|subject| !of_rayon.contains(subject));
            assert!(
                subjects.all(|subject| known(Some(runtime), subject)),
                "{runtime:?}"
            );
        }
        assert!(subjects.iter().all(|subject| known(None, subject)));
        // No line is of a subject or a kind that there is not.
        let lines = ADVICE
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(": "));
        for (head, _) in lines {
            let mut words = head.split_whitespace();
            assert!(
                words
                    .next()
                    .is_some_and(|subject| subjects.contains(&subject)),
                "{head}"
            );
            let is_kind = |word| SiteKind::ALL.iter().any(|kind| kind.name() == word);
            assert!(words.all(is_kind), "{head}");
        }
    }
}
