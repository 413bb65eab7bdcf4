//! What to try, in words of the program's runtime.

use workspan_model::{
    Evidence, InflatedCounter, InflationCause, RuntimeKind, Serialisation, SiteKind, SiteRow,
    SkewedBy,
};

/// What to try if `site` shows `evidence`; in words of rayon if the runtime is unknown.
pub(super) fn advice(
    evidence: &Evidence,
    site: &SiteRow,
    runtime: Option<RuntimeKind>,
) -> Option<&'static str> {
    if is_of_tasks_in_a_row(site) {
        match evidence {
            // What is to be advised is of a recursion.
            Evidence::InsufficientParallelism { .. } => return None,
            Evidence::FewTasks { .. } => {
                return Some("more and smaller tasks, or a parallel loop over the parts");
            }
            _ => {}
        }
    }
    Some(match runtime {
        None | Some(RuntimeKind::Rayon) => rayon(evidence, site),
        Some(RuntimeKind::OpenMp) => openmp(evidence, site.kind),
        Some(RuntimeKind::Tbb) => tbb(evidence, site.kind),
        Some(RuntimeKind::Cilk) => cilk(evidence, site.kind),
        Some(RuntimeKind::C) => any(evidence, site.kind),
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
    match runtime {
        None | Some(RuntimeKind::Rayon) => "make it a par_iter, a join or a scope",
        Some(RuntimeKind::OpenMp) => "make it a parallel for, or tasks",
        Some(RuntimeKind::Tbb) => "make it a parallel_for, a parallel_reduce or a task_group",
        Some(RuntimeKind::Cilk) => "make it a cilk_for, or spawn its parts",
        Some(RuntimeKind::C) => "share its pieces out to threads",
    }
}

fn rayon(evidence: &Evidence, site: &SiteRow) -> &'static str {
    let is_iterator = matches!(site.kind, SiteKind::ParIter | SiteKind::ParSort);
    match (evidence, site.kind) {
        (Evidence::InsufficientParallelism { .. }, _) if is_iterator => {
            "shorten what a piece does at its end (reduce merges serially: merge less, or collect first), and split \
             long items by a par_iter or join within"
        }
        (Evidence::InsufficientParallelism { .. }, _) => {
            "make what runs before and after the branches parallel too (par_chunks, par_iter with reduce), and cut \
             the recursion at smaller pieces"
        }
        (Evidence::FineTasks { .. }, SiteKind::ParIter) => {
            "larger pieces, so that one takes 10 µs or more: with_min_len over a slice, a Vec or another iterator that \
             has it, else items that are chunks; where the whole loop is shorter than \
             that, make the loop around it parallel and this one serial"
        }
        (Evidence::FineTasks { .. }, SiteKind::ParSort) => "sort slices this short serially",
        (Evidence::FineTasks { .. }, SiteKind::Spawn) => {
            "spawn one task for many items, so that it takes 10 µs or more"
        }
        (Evidence::FineTasks { .. }, _) => {
            "a cutoff: below some size call the function directly instead of making tasks, so that a task takes 10 µs \
             or more"
        }
        (Evidence::SerialCode { .. }, _) => {
            "make its loop a par_iter (with map and reduce, or par_chunks), or run it beside other work by join"
        }
        (Evidence::SkewedChildren(SkewedBy::Depth { .. }), _) => {
            "split in the middle (split_at(len / 2)), or choose a better pivot; for a list of tasks use par_iter"
        }
        (Evidence::SkewedChildren(SkewedBy::Pieces { .. }), SiteKind::Spawn) => {
            "divide the work evenly (deal a remainder out over all tasks), or spawn more and smaller tasks"
        }
        (Evidence::SkewedChildren(SkewedBy::Pieces { .. }), _) => {
            "with_max_len(1), so that long items are tasks of their own, and a par_iter or join within the longest"
        }
        (Evidence::ManySteals { .. }, _) => {
            "par_iter or join, which divide by halves, so that a thief gets half of what is left; or spawn one task for \
             many items"
        }
        (Evidence::Serialised(Serialisation::Bridge { .. }), _) => {
            "par_iter over a range, a slice or a Vec (collect the items first), or par_bridge over chunks of items"
        }
        (Evidence::Serialised(Serialisation::Waits { .. }), _) => {
            "give each task a value of its own and join them by fold and reduce, or map and collect, in place of a \
             lock; read and wait outside of tasks"
        }
        (Evidence::FewTasks { .. }, _) if is_iterator => {
            "iterate over more: one loop over all pairs in place of the outer loop, or smaller items (of chunks, smaller \
             ones; of with_min_len, less)"
        }
        (Evidence::FewTasks { .. }, _) => {
            "cut the recursion at smaller pieces, or use par_iter over the parts"
        }
        (Evidence::OverSplitting { inside: None, .. }, _) => {
            "leave out with_max_len, or with_min_len, so that a piece takes 10 µs or more"
        }
        (Evidence::OverSplitting { .. }, _) => "iter in place of the inner par_iter",
        (Evidence::SerialisingLock { .. }, _) => {
            "a value for each task, combined by fold and reduce; compute before the lock is acquired and only store under it; several locks, each for a part of what \
             this one guards"
        }
        (Evidence::Inflated { counter, .. }, _) => inflated_in_rust(counter.as_ref()),
    }
}

fn openmp(evidence: &Evidence, kind: SiteKind) -> &'static str {
    match (evidence, kind) {
        (Evidence::InsufficientParallelism { .. }, SiteKind::Task | SiteKind::Taskgroup) => {
            "make what runs before and after the tasks parallel too (taskloop, parallel for with reduction), and cut the \
             recursion at smaller pieces"
        }
        (Evidence::InsufficientParallelism { .. }, _) => {
            "shorten what a thread does alone between two barriers: make single and critical parts parallel, let go of \
             barriers that nothing needs (nowait), and cut long iterations into tasks"
        }
        (Evidence::FineTasks { .. }, SiteKind::Loop | SiteKind::Sections) => {
            "larger pieces, by schedule(static) or by a chunk size, so that one takes 10 µs or more; where the whole loop \
             is shorter than that, make the loop around it parallel and this one serial"
        }
        (Evidence::FineTasks { .. }, SiteKind::Parallel) => {
            "one parallel region around several loops in place of one for each, and an if clause where there is little \
             to do"
        }
        (Evidence::FineTasks { .. }, _) => {
            "a cutoff: below some size call the function directly instead of making tasks (an if clause still makes \
             them), so that a task takes 10 µs or more; for a loop taskloop with grainsize"
        }
        (Evidence::SerialCode { .. }, _) => {
            "make its loop a parallel for (with reduction), or run it beside other work as a task"
        }
        (Evidence::SkewedChildren(SkewedBy::Depth { .. }), _) => {
            "split in the middle, or choose a better pivot; for a list of tasks use taskloop"
        }
        (Evidence::SkewedChildren(SkewedBy::Pieces { .. }), _) => {
            "schedule(dynamic) or schedule(guided) with a small chunk, so that threads take what is left, and tasks \
             within the longest iterations"
        }
        (Evidence::ManySteals { .. }, SiteKind::Parallel) => {
            "one parallel region around several loops in place of one for each"
        }
        (Evidence::ManySteals { .. }, SiteKind::Loop | SiteKind::Sections) => {
            "larger chunks, so that there are fewer of them"
        }
        (Evidence::ManySteals { .. }, _) => {
            "taskloop, or tasks that divide by halves, so that a thief gets half of what is left; or one task for many \
             items"
        }
        (Evidence::Serialised(_), _) => {
            "give each thread a value of its own and join them by reduction, in place of critical or a lock; read and \
             wait outside of tasks"
        }
        (Evidence::FewTasks { .. }, SiteKind::Loop) => {
            "share out more: collapse over nested loops, or a smaller chunk"
        }
        (Evidence::FewTasks { .. }, SiteKind::Sections) => {
            "a parallel for over the parts, or tasks within the sections"
        }
        (Evidence::FewTasks { .. }, _) => {
            "cut the recursion at smaller pieces, or use taskloop over the parts"
        }
        (Evidence::OverSplitting { .. }, _) => "larger pieces",
        (Evidence::SerialisingLock { .. }, SiteKind::Ordered) => {
            "move out of the ordered part all that needs no order, or store results by iteration and go through them \
             after the loop"
        }
        (Evidence::SerialisingLock { .. }, SiteKind::Atomic) => {
            "a reduction; or a type that processors update without a lock"
        }
        (Evidence::SerialisingLock { .. }, SiteKind::Critical) => {
            "a reduction, or a copy for each thread that is combined after the loop; compute before the critical section \
             and only store in it; atomic for a single update; names for critical sections that have nothing to do with one \
             another"
        }
        (Evidence::SerialisingLock { .. }, _) => {
            "a copy for each thread that is combined at the end, or a reduction; compute before the lock is set and only \
             store under it; several locks, each for a part of what this one guards"
        }
        (Evidence::Inflated { counter, .. }, _) => inflated_in_c(counter.as_ref()),
    }
}

fn tbb(evidence: &Evidence, kind: SiteKind) -> &'static str {
    match (evidence, kind) {
        (Evidence::InsufficientParallelism { .. }, SiteKind::Loop) => {
            "shorten what a piece does at its end (the join of a parallel_reduce is serial: join less, or collect first), \
             and split long items by a parallel_for within"
        }
        (Evidence::InsufficientParallelism { .. }, _) => {
            "make what runs before and after the tasks parallel too (parallel_reduce, parallel_scan), and cut the \
             recursion at smaller pieces"
        }
        (Evidence::FineTasks { .. }, SiteKind::Loop) => {
            "a grain size for the range with simple_partitioner, or auto_partitioner, so that a piece takes 10 µs or \
             more; where the whole loop is shorter than that, make the loop around it parallel and this one serial"
        }
        (Evidence::FineTasks { .. }, _) => {
            "a cutoff: below some size call the function directly instead of making tasks, so that a task takes 10 µs \
             or more"
        }
        (Evidence::SerialCode { .. }, _) => {
            "make its loop a parallel_for or a parallel_reduce, or run it beside other work by parallel_invoke or a \
             task_group"
        }
        (Evidence::SkewedChildren(SkewedBy::Depth { .. }), _) => {
            "split in the middle, or choose a better pivot; for a list of tasks use parallel_for"
        }
        (Evidence::SkewedChildren(SkewedBy::Pieces { .. }), _) => {
            "a grain size of 1 for the range, so that long items are tasks of their own (static_partitioner moves \
             nothing), and a parallel_for or parallel_invoke within the longest"
        }
        (Evidence::ManySteals { .. }, SiteKind::Loop) => {
            "a larger grain size, or static_partitioner, so that there are fewer pieces"
        }
        (Evidence::ManySteals { .. }, _) => {
            "parallel_for or parallel_invoke, which divide by halves, so that a thief gets half of what is left; or one \
             task for many items"
        }
        (Evidence::Serialised(_), _) => {
            "parallel_reduce, or values in a combinable or enumerable_thread_specific, in place of a lock; read and wait \
             outside of tasks"
        }
        (Evidence::FewTasks { .. }, SiteKind::Loop) => {
            "a blocked_range2d or blocked_range3d over nested loops, or a smaller grain size"
        }
        (Evidence::FewTasks { .. }, _) => {
            "cut the recursion at smaller pieces, or use parallel_for over the parts"
        }
        (Evidence::OverSplitting { .. }, _) => "larger pieces",
        (Evidence::SerialisingLock { .. }, _) => {
            "values in a combinable or enumerable_thread_specific; compute before the lock is acquired and only store under it; several locks, each for a part of what \
             this one guards"
        }
        (Evidence::Inflated { counter, .. }, _) => inflated_in_c(counter.as_ref()),
    }
}

fn cilk(evidence: &Evidence, kind: SiteKind) -> &'static str {
    match (evidence, kind) {
        (Evidence::InsufficientParallelism { .. }, _) => {
            "make what runs before the spawn and after the sync parallel too (cilk_for, reducers), and cut the recursion \
             at smaller pieces"
        }
        (Evidence::FineTasks { .. }, SiteKind::Loop) => {
            "a larger grainsize for the cilk_for, so that a piece takes 10 µs or more; where the whole loop is shorter \
             than that, make the loop around it parallel and this one serial"
        }
        (Evidence::FineTasks { .. }, _) => {
            "a cutoff: below some size call the function without cilk_spawn, so that a task takes 10 µs or more"
        }
        (Evidence::SerialCode { .. }, _) => {
            "make its loop a cilk_for (with a reducer), or run it beside other work by cilk_spawn"
        }
        (Evidence::SkewedChildren(SkewedBy::Depth { .. }), _) => {
            "split in the middle, or choose a better pivot; for a list of tasks use cilk_for"
        }
        (Evidence::SkewedChildren(SkewedBy::Pieces { .. }), _) => {
            "a grainsize of 1, so that long iterations are tasks of their own, and cilk_spawn or cilk_for within the \
             longest"
        }
        (Evidence::ManySteals { .. }, SiteKind::Loop) => {
            "a larger grainsize, so that there are fewer pieces"
        }
        (Evidence::ManySteals { .. }, _) => {
            "cilk_for, which divides by halves, so that a thief gets half of what is left; or one spawn for many items"
        }
        (Evidence::Serialised(_), _) => {
            "a reducer in place of a lock; read and wait outside of spawned functions"
        }
        (Evidence::FewTasks { .. }, SiteKind::Loop) => {
            "one cilk_for over all pairs in place of the outer loop, or a smaller grainsize"
        }
        (Evidence::FewTasks { .. }, _) => {
            "cut the recursion at smaller pieces, or use cilk_for over the parts"
        }
        (Evidence::OverSplitting { .. }, _) => "larger pieces",
        (Evidence::SerialisingLock { .. }, _) => {
            "a reducer in place of the lock; compute before the lock is acquired and only store under it; several locks, each for a part of what \
             this one guards"
        }
        (Evidence::Inflated { counter, .. }, _) => inflated_in_c(counter.as_ref()),
    }
}

/// In words of no particular runtime.
fn any(evidence: &Evidence, kind: SiteKind) -> &'static str {
    match (evidence, kind) {
        (Evidence::InsufficientParallelism { .. }, _) => {
            "make what runs before and after the tasks parallel too, and cut the work into smaller pieces"
        }
        (Evidence::FineTasks { .. }, SiteKind::Loop | SiteKind::Sections) => {
            "larger pieces, so that one takes 10 µs or more"
        }
        (Evidence::FineTasks { .. }, _) => {
            "a cutoff: below some size call the function directly instead of making tasks, so that a task takes 10 µs \
             or more"
        }
        (Evidence::SerialCode { .. }, _) => {
            "make its loop parallel, or run it beside other work as a task"
        }
        (Evidence::SkewedChildren(SkewedBy::Depth { .. }), _) => {
            "split in the middle, or choose a better pivot; for a list of tasks use a parallel loop"
        }
        (Evidence::SkewedChildren(SkewedBy::Pieces { .. }), _) => {
            "smaller pieces, handed out as threads become free, and tasks within the longest"
        }
        (Evidence::ManySteals { .. }, _) => {
            "tasks that divide by halves, so that a thief gets half of what is left; or one task for many items"
        }
        (Evidence::Serialised(_), _) => {
            "give each task a value of its own and join them at the end, in place of a lock; read and wait outside of \
             tasks"
        }
        (Evidence::FewTasks { .. }, _) => "cut the work into smaller pieces",
        (Evidence::OverSplitting { .. }, _) => "larger pieces",
        (Evidence::SerialisingLock { .. }, _) => {
            "a value for each thread, combined at the end; compute before the lock is acquired and only store under it; several locks, each for a part of what \
             this one guards"
        }
        (Evidence::Inflated { counter, .. }, _) => inflated_in_c(counter.as_ref()),
    }
}

/// What to do about work that takes longer in parallel, in Rust.
fn inflated_in_rust(counter: Option<&InflatedCounter>) -> &'static str {
    match counter.map(|counter| counter.cause) {
        None => NAME_THE_CAUSE,
        Some(InflationCause::Coherence) => {
            "let no two tasks write next to one another: sum up in a local variable and store once (fold and reduce, map and \
             collect), or keep values of different tasks 128 bytes apart (#[repr(align(128))])"
        }
        Some(InflationCause::RemoteMemory) => {
            "first write each part of the data by the task that will use it (a par_iter that fills it), divide it always the \
             same way, or run one process a socket (numactl)"
        }
        Some(InflationCause::LastLevelMisses) => {
            "smaller blocks, so that what all cores work on at once fits into the cache, and all steps of a block one after the \
             other by the same task"
        }
    }
}

/// As [`inflated_in_rust`], in C and C++.
fn inflated_in_c(counter: Option<&InflatedCounter>) -> &'static str {
    match counter.map(|counter| counter.cause) {
        None => NAME_THE_CAUSE,
        Some(InflationCause::Coherence) => {
            "let no two threads write next to one another: sum up in a local variable and store once (a reduction), or keep \
             values of different threads 128 bytes apart (alignas(128))"
        }
        Some(InflationCause::RemoteMemory) => {
            "first write each part of the data by the thread that will use it (a parallel loop that fills it), divide it always \
             the same way (schedule(static), an affinity partitioner), and bind threads to cores"
        }
        Some(InflationCause::LastLevelMisses) => {
            "smaller blocks, so that what all cores work on at once fits into the cache, and all steps of a block one after the \
             other by the same thread"
        }
    }
}

/// What to do if no counter names the cause of inflation.
const NAME_THE_CAUSE: &str = "counters name the cause, where the machine has them (--metric time,cache-misses); else `workspan bandwidth` \
     tells whether copies of the program, which share no data, slow one another down as much: then it is the memory or the cache, if \
     not, data that tasks write to next to one another, in one line of 64 bytes";

#[cfg(test)]
mod tests {
    use workspan_model::{Nanos, PairedRatio, analyse, example};

    use super::*;

    /// Evidence of each diagnosis.
    fn evidences() -> Vec<Evidence> {
        let (tasks, span_share, overhead) = (9.0, 0.5, 0.2);
        let task = Nanos::from_nanos(50);
        let inflation = PairedRatio {
            value: 3.0,
            low: 2.0,
            high: 4.0,
            confidence: 0.98,
            is_sure: true,
            pairs: 7,
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
}
