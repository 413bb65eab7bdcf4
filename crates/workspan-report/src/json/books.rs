//! Where the threads' time went, and what tasks waited for.

use workspan_model::{
    Analysis, Awaited, Balance, Books, ContendedLock, Efficiency, LineUse, Nanos, Reason,
    SampledLock, SampledOutside, Spent, StandingWait, Timeline, TimelinePart, WaitCause,
};

use super::keys::place;
use crate::object::{Document, object};

pub(super) fn books(
    books: &Books,
    timeline: Option<&Timeline>,
    analysis: &Analysis,
) -> impl Document {
    object! {
        /// From the start of the process to the writing of the profile, in nanoseconds
        elapsed_ns: books.elapsed.shown(),
        /// P: threads that ran strands, as many of them as there are processors
        threads: books.threads,
        /// Processor time of the process, in nanoseconds
        processor_time_ns: books.processor_time.shown(),
        /// Work, in nanoseconds
        work_ns: books.work.time().shown(),
        /// Voluntary waits of strands, part of the work, in nanoseconds
        blocked_ns: books.blocked.shown(),
        /// Waits for locks between strands, in nanoseconds
        waiting_ns: books.waiting.shown(),
        /// What the profiler took of the threads' time, in nanoseconds
        engine_ns: books.engine.shown(),
        /// Time in which threads were ready and the machine ran something else, in nanoseconds
        taken_by_others_ns: books.taken_by_others.shown(),
        /// (P - 1) (span + taken by others): how long greedily scheduled threads are idle at most, in
        /// nanoseconds; `parts` take the upper end of the span's interval
        idle_on_span_ns: books.idle_on_span().shown(),
        /// The threads' time, P times the elapsed time, by what it went to
        parts: books.parts().into_iter().map(part).collect::<Vec<_>>(),
        /// Of these parts the waits in tasks, by what for, as far as calls of the kernel show it
        waits_in_tasks: books.waits_in_tasks().into_iter().map(wait_in_tasks).collect::<Vec<_>>(),
        /// How long threads had no task beyond `idle_on_span_ns`, in nanoseconds; where that is a fifth
        /// of their time, `discrepancy` may say why
        beyond_span_ns: books.beyond_span().shown(),
        /// What none of the parts explains of P times the elapsed time, in nanoseconds
        unexplained_ns: books.unexplained().shown(),
        /// That, as a share of the threads' time without what others took, from 0
        unexplained_share: books.unexplained_share(),
        /// What of the threads' time the program used, by POP's model; null where it is not known which
        /// thread ran for how long, on one thread, and where threads outnumber the processors
        efficiency: books.efficiency.map(efficiency),
        /// How evenly parallel regions, loops, sections and named regions in which several threads took
        /// part were divided among them
        balances: analysis.balances.iter().map(balance).collect::<Vec<_>>(),
        /// Why the run does not show how the program scales; null where work and span explain its time
        #[cfg_attr(test, schemars(extend("enum" = ["unseen", "fine_tasks", "spinning", "sleeping", "stalled", null])))]
        discrepancy: analysis.discrepancy().map(|(_, discrepancy)| discrepancy.name()),
        /// Where threads ran most while they had no strand; null where samples do not tell
        outside_strands: analysis.outside.as_ref().map(outside),
        /// What ran at which time of the run, by samples; null where threads were not sampled all the
        /// time
        timeline: timeline.map(parts_of_time),
    }
}

fn efficiency(of: Efficiency) -> impl Document {
    object! {
        /// The share of the threads' time, without the profiler and other programs, in which they ran
        /// strands without waiting: load balance × communication
        parallel: of.parallel(),
        /// How long threads ran strands on average, as a share of how long the one did that ran longest
        load_balance: of.load_balance(),
        /// How long that thread ran them, as a share of the run: serialisation × transfer
        communication: of.communication(),
        /// How long it ran them, as a share of the time that the run would have taken if making and
        /// moving tasks cost nothing; null where it is not known what they cost
        serialisation: of.serialisation(),
        /// That time as a share of the run; null where it is not known
        transfer: of.transfer(),
    }
}

fn balance(of: &Balance) -> impl Document {
    let by_thread = of.by_thread.iter().map(|ran| ran.shown());
    object! {
        /// Index into `sites`
        site: of.row,
        /// The mean of `threads_ns` as a share of the longest; of a named region the mean of all threads
        /// of the run
        load_balance: of.load_balance,
        /// The time of each thread that took part, longest first, in nanoseconds
        threads_ns: by_thread.collect::<Vec<_>>(),
    }
}

fn parts_of_time(timeline: &Timeline) -> impl Document {
    let of_all = |time: fn(&TimelinePart) -> Nanos| {
        let parts = timeline.parts.iter();
        parts.map(|part| time(part).shown()).collect::<Vec<_>>()
    };
    object! {
        /// How long a part is, in nanoseconds; the last is as short as the run leaves it
        part_ns: timeline.part.shown(),
        /// Processor time in strands, of each part from the start on, in nanoseconds
        strands_ns: of_all(|part| part.strands),
        /// Processor time of threads that had no strand, of each part, in nanoseconds
        without_task_ns: of_all(|part| part.without_task),
    }
}

fn part((what, time): (Spent, Nanos)) -> impl Document {
    object! {
        /// What it went to
        name: what.name() => Spent,
        /// How much, in nanoseconds
        time_ns: time.shown(),
    }
}

/// What `cause` may be.
#[cfg(test)]
fn causes() -> Vec<Option<&'static str>> {
    let named = WaitCause::ALL.map(|cause| Some(cause.name()));
    named.into_iter().chain([None]).collect()
}

fn wait_in_tasks((cause, time): (Option<WaitCause>, Nanos)) -> impl Document {
    object! {
        /// What tasks waited for; null: not known
        #[cfg_attr(test, schemars(extend("enum" = causes())))]
        cause: cause.map(WaitCause::name),
        /// How long, in nanoseconds
        time_ns: time.shown(),
    }
}

fn outside(outside: &SampledOutside) -> impl Document {
    object! {
        #[serde(flatten)]
        place: place(outside.location.as_ref()),
        /// The function of the program there; null where the runtime ran by itself
        function: &outside.function,
        /// What it called
        called: &outside.called,
        /// Its share of the samples of threads that had no strand
        share: outside.share,
        /// The share in which threads ran the program's own code, and did not wait in a call
        own_code: outside.own_code,
    }
}

pub(super) fn waits(awaited: &Awaited) -> impl Document {
    object! {
        /// How long tasks waited of their own will on the threads of the run, in nanoseconds
        blocked_ns: awaited.blocked.shown(),
        /// Index into `sites` of the construct whose tasks waited longest
        site: awaited.row,
        /// For how long child processes ran that tasks may have waited for; null where that
        /// explains little
        children_ns: awaited.children.map(Nanos::shown),
        /// The child processes that the serial code likely waited for, for most of the time that it
        /// waited
        serial_children: awaited.serial_children.as_ref().map(|children| object! {
            #[serde(flatten)]
            place: place(children.location.as_ref()),
            /// Their processor time, in nanoseconds
            ran_ns: children.ran.shown(),
            /// How long it waited for the end of one, for input and for output, in nanoseconds
            waited_ns: children.waited.shown(),
        }),
        /// The line at which serial code waited for messages for most of the time that it waited
        received_at: awaited.received_at.as_ref().map(ToString::to_string),
        /// If it was for one lock: the least share of the work that is done under it
        least_held: awaited.least_held,
        /// That share if threads come to the lock at random
        likely_held: awaited.likely_held,
        /// The lock that tasks waited for longest, as calls of the kernel show it
        contended: awaited.contended.as_ref().map(contended_lock),
        /// What tasks waited for most of the time that they waited, if it was no lock
        reason: awaited.reason.as_ref().map(reason),
        /// What the threads of a program without a runtime waited for longest, if it was no lock
        of_threads: awaited.of_threads.as_ref().map(reason),
        /// How the program stood still when a signal ended it
        standstill: awaited.standstill.as_ref().map(|standstill| object! {
            /// For how long at least, in nanoseconds
            waited_ns: standstill.lasted.shown(),
            /// The lines at which its threads waited
            lines: standstill.waits.iter().map(standing_wait).collect::<Vec<_>>(),
        }),
        /// The lock that samples found threads at
        lock: awaited.lock.as_ref().map(sampled_lock),
        /// The function of the program with atomic operations that much of the work was sampled at, and the
        /// line with most of them
        atomics: awaited.atomics.as_ref().map(|found| object! {
            #[serde(flatten)]
            place: place(found.location.as_ref()),
            /// The function around it
            function: &found.function,
            /// The share of the samples of work at atomic operations of the function, or in loops that wait there
            work_share: found.share,
            /// Whether samples show different threads at the same cache line there: `line`; or,
            /// each at words of its own, `false_sharing`; null: not known
            shared: match found.line {
                LineUse::Shared => Some("line"),
                LineUse::Apart => Some("false_sharing"),
                LineUse::Unknown | LineUse::Own => None,
            },
        }),
        /// The function with atomic operations that so few samples are at that a longer run may
        /// show them to limit more threads, and the line with most of them
        few_atomics: awaited.few_atomics.as_ref().map(|found| object! {
            #[serde(flatten)]
            place: place(found.location.as_ref()),
            /// The function around it
            function: &found.function,
            /// The samples there
            samples: found.samples[0],
        }),
        /// The share of the samples of work in the runtime, where it is much
        runtime_share: awaited.runtime_share,
        /// The kernel's share of the process's processor time, where it is much
        kernel_share: awaited.kernel.map(|kernel| kernel.share),
        /// The least share of the work in iterators that feed par_bridges, as samples show it
        bridge_held: awaited.bridge_held,
    }
}

fn reason(reason: &Reason) -> impl Document {
    object! {
        #[serde(flatten)]
        place: place(reason.location.as_ref()),
        /// What was waited for, the longest first. sleep: the end of their sleep; some of channel,
        /// condition and park: being woken by another thread; or of input_output and child_process;
        /// or thread: the end of one
        causes: reason.causes.iter().map(|cause| cause.name()).collect::<Vec<_>>(),
        /// How long all waited so, in nanoseconds
        waited_ns: reason.waited.shown(),
    }
}

fn standing_wait(wait: &StandingWait) -> impl Document {
    object! {
        #[serde(flatten)]
        place: place(wait.location.as_ref()),
        /// lock; channel; condition; park: being woken by another thread; thread: the end of one;
        /// runtime: a call that a pool was to run
        cause: wait.cause.map(WaitCause::name),
        /// The line that ended such waits before
        ended_by: wait.ended_by.as_ref().map(|line| object! {
            #[serde(flatten)]
            place: place(Some(line)),
        }),
        /// How many threads waited there
        threads: wait.threads,
        /// For how long, on average, in nanoseconds
        waited_ns: wait.waited.shown(),
    }
}

fn contended_lock(lock: &ContendedLock) -> impl Document {
    object! {
        #[serde(flatten)]
        place: place(lock.location.as_ref()),
        /// The function of the program that waits for it, or that allocates
        function: &lock.function,
        /// Whether it is the allocator's
        is_allocators: lock.is_allocators,
        /// The function of a library, called there, that has the lock for its own purposes
        library_function: &lock.library,
        /// Whether it is that of something made once, by the thread that uses it first
        is_initialisation: lock.is_initialisation,
        /// The line whose release most often ended a wait
        holder: lock.holder.as_ref().map(|holder| place(Some(holder))),
        /// How often threads waited for it
        waits: lock.waits,
        /// The share of the run's time in which at least one waited
        time_share: lock.share,
        /// How long it was held at least, in nanoseconds; 0: not known
        held_ns: lock.held.shown(),
        /// The greatest speedup on any number of cores by that; null: not known
        most_speedup: Some(lock.most_speedup).filter(|most| most.is_finite()),
        /// That if threads come to it at random; null where few slept for it
        likely_most_speedup: Some(lock.likely_most_speedup).filter(|most| most.is_finite()),
        /// Whether strands were nearly always on a processor, so that this is no estimate
        is_exact: lock.is_exact,
        /// Whether strands ran in turns, for want of processors, and met at it whenever they changed places
        is_starved: lock.is_starved,
    }
}

fn sampled_lock(lock: &SampledLock) -> impl Document {
    object! {
        #[serde(flatten)]
        place: place(lock.location.as_ref()),
        /// The function of the program that acquires it, or that allocates
        function: &lock.function,
        /// Whether it is the allocator's
        is_allocators: lock.is_allocators,
        /// The share of the samples of work that were taken while a thread acquired it
        work_share: lock.share,
    }
}
