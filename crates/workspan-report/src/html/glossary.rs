//! What the figures of a page mean.

use serde::Serialize;

/// A figure and its definition.
#[derive(Serialize)]
pub(super) struct Term {
    /// The key by which the scripts know it.
    key: &'static str,
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
}

const fn term(
    key: &'static str,
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
) -> Term {
    Term {
        key,
        name,
        unit,
        meaning,
    }
}

/// Every figure that the page explains.
#[rustfmt::skip]
pub(super) const TERMS: &[Term] = &[
    term("work", "Work T₁", "amount", "The time of all strands together: what the program would take on one core. Strands are stretches of code without parallel constructs."),
    term("span", "Span T∞", "amount", "The longest chain of strands that depend on one another: what the program would take on any number of cores."),
    term("burdened_span", "Burdened span T̂∞", "amount", "The span, were every task that another core can take really moved there: the cost of moving is added on each such edge of the chain."),
    term("parallelism", "Parallelism", "ratio", "Work / span. No number of cores makes the program faster than this many times. A program should have several times more than there are cores."),
    term("burdened_parallelism", "Burdened parallelism", "ratio", "Work / burdened span. Where it is far below the parallelism, tasks are too small to be worth moving to another core."),
    term("spawns", "Tasks", "count", "How many tasks were created that another core could have taken."),
    term("stolen", "Stolen", "count", "Tasks that ran on another thread than the one that created them."),
    term("syncs", "Syncs", "count", "Waits for tasks: ends of join, of scope, of parallel iterators."),
    term("average_strand", "Average strand", "amount", "Work / (1 + 2 · tasks + syncs), after Cilkview. Below some microseconds, creating tasks takes much of the time."),
    term("overhead", "Tasking overhead", "amount", "What creating and scheduling the tasks costs, from what each costs on this machine; not part of the work."),
    term("blocked", "Blocked", "time", "Time in which strands waited of their own will (sleep, I/O, locks). It is part of the work and of the span."),
    term("elapsed", "Elapsed", "time", "Wall-clock time of the profiled run."),
    term("upper", "Upper bound", "speedup", "min(P, parallelism, work / time under the lock that is held longest): no scheduler makes the program faster on P cores."),
    term("lower", "Lower bound", "speedup", "1 / (1/P + 1.7 (1 − 1/P) / burdened parallelism), after Cilkview, where the time under the lock that is held longest is added to the burdened span: what a work-stealing scheduler reaches at least, as far as tasks are concerned."),
    term("predicted", "Predicted", "speedup", "The median of simulated runs of the recorded tasks on P cores under a work-stealing scheduler, and in brackets the least and the most of them. What cores take from one another in shared memory is not in it."),
    term("measured", "Measured", "speedup", "T_1 / T_P: the mean time on one thread over that on P threads, of the program as it is, without the profiler; with its 95% confidence interval."),
    term("share_of_span", "Share of the span", "share", "The part of the critical path that is a site's own code, without that of sites within: where to look first."),
    term("share_below", "Share with all within", "share", "The part of the critical path, or of the work, of a site with all that it runs."),
    term("sampled_own", "Share by samples, itself", "share", "The part of the samples that fell into this line, of those on the critical path or of all; with its 95% confidence interval."),
    term("sampled_all", "Share by samples, in all", "share", "The part of the samples that fell into this line or into what it called; with its 95% confidence interval."),
    term("strands", "Strands on the path", "count", "How many strands of this code lie on the critical path; a subtree of tiny tasks that was folded counts as one."),
    term("longest_strand", "Longest strand", "amount", "The longest of them: what one task at least has to take if the code stays as it is."),
    term("count", "Count", "count", "Executions. On the span: those that start on the critical path."),
    term("site_parallelism", "Parallelism of a site", "ratio", "Work / span of the executions of the site: how many cores it could keep busy by itself."),
    term("on_work", "On the work", "", "Over all executions of a site, wherever they ran."),
    term("on_span", "On the span", "", "Over the executions on the critical path only: the chain of strands that is the span."),
    term("top_call_site", "Top call site", "", "Whole executions that lie in no other execution of the same site, so that recursion counts nothing twice: is the site parallel by itself? (Cilkprof §6)"),
    term("top_caller", "Top caller", "", "Of these, the ones made by the outermost execution of the function around the site: which site of the function matters most? (Cilkprof §6)"),
    term("local", "Local", "", "Every execution, without what it calls: where does the time go? (Cilkprof §6)"),
    term("factored", "Factored speedups", "speedup", "What the speedup would be without some of what it is lost to (Acar, Charguéraud and Rainey): without idle time, without work that takes longer in parallel, without both. The gaps between the curves are what each costs."),
    term("gap", "Time lost", "time", "What all cores together spend on this in a run on so many threads, beyond what they would without; with its 95% interval. Below 0: it is a gain."),
    term("gap_share", "Share of a gap", "share", "The time lost as a part of the time of all cores, which is the number of threads times the time of the run."),
    term("busy", "Busy", "time", "Time in which a worker ran strands of the program."),
    term("scheduling", "Scheduling", "time", "Time in which a worker created, took and stole tasks."),
    term("idle", "Idle", "time", "Time in which a worker had no task to run."),
    term("held", "Held", "amount", "By how much the path of whoever holds the lock grows under it, over all acquisitions. No execution of the program takes less time than that, on any number of cores."),
    term("most_speedup", "Most speedup by a lock", "speedup", "Work / time for which the lock is held: no number of cores makes the program faster than this many times, since one thread at a time holds a lock."),
    term("acquisitions", "Acquired", "count", "How often the lock was acquired."),
    term("lock_waits", "Waits for a lock", "count", "How often it was not free, and how long threads waited for it, on the threads of this run. Waiting is no work."),
    term("critical_path", "Critical path", "amount", "The longest chain of strands that depend on one another. Only making it shorter makes the program faster on many cores."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_told_apart_and_explained() {
        for (at, term) in TERMS.iter().enumerate() {
            assert!(
                TERMS[..at].iter().all(|other| other.key != term.key),
                "{}",
                term.key
            );
            assert!(term.meaning.ends_with(['.', ')', '?']), "{}", term.key);
        }
    }
}
