//! Where the threads' time went, and whether work and span explain it.
//!
//! A greedy scheduler leaves one of P threads without a task only while a strand of the span runs, or
//! would, if other programs let it. So all threads together are idle for P − 1 times that at most
//! (Graham 1969; Cilkview §2), serial code included. Their time P·E is then spent on strands, on
//! waits for locks, on the engine, in the run queue, or idle within that bound. Where it exceeds
//! this, a speedup predicted from work and span would be one of another program.
//!
//! Threads without a task run or sleep: processor time that neither strands nor the engine used is
//! what the runtime took to make and find tasks, or to spin. Only sleep that the span does not
//! explain has no owner.

mod waits;

use super::efficiency::Efficiency;
use crate::profile::threads::{running, threads};
use crate::quantity::units::times;
use crate::{Estimate, Nanos, Profile, SampledOutside, Span, Totals, WaitCause, Work};
use waits::ByCause;

/// The time of all threads, by what it was spent on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Books {
    /// E: from the start of the process to the writing of the profile.
    pub elapsed: Nanos,
    /// P: threads that ran strands, as many of them as there are processors.
    pub threads: u32,
    /// Whether more threads ran than there are processors.
    pub outnumber_processors: bool,
    /// Processor time of the process.
    pub processor_time: Nanos,
    /// T₁: the time of all strands, with their voluntary waits.
    pub work: Work,
    /// The part of the work in which strands waited voluntarily.
    pub blocked: Nanos,
    /// How long strands waited by what for, as far as calls of the kernel show it.
    by_cause: ByCause,
    /// T∞, and its interval.
    pub span: Estimate<Span>,
    /// Waits for locks between strands.
    pub waiting: Nanos,
    /// The engine's own cost: what was taken off the strands, and its start and calibration on all
    /// threads.
    pub engine: Nanos,
    /// Time in which threads were ready, and the machine ran something else.
    pub taken_by_others: Nanos,
    /// What of the threads' time the program used, by causes; `None` where that isn't known, and in
    /// [`Analysis::books`](crate::Analysis::books) where they are not balanced for code that isn't
    /// seen, or strands that stood still.
    pub efficiency: Option<Efficiency>,
}

named! {
    /// What threads spent time on.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Spent {
        /// Strands, without their waits.
        Work = "work",
        /// Voluntary waits in strands: sleep, input and output, locks, channels.
        WaitingInTasks = "waits in tasks",
        /// Waits for locks between strands.
        WaitingForLocks = "waits for locks",
        /// Without a task, on a processor: the runtime makes and looks for tasks, or threads spin.
        RanWithoutTask = "running without a task",
        /// Without a task, off the processors, while a strand of the span ran.
        IdleOnSpan = "idle while the span ran",
        /// The engine.
        Profiler = "the profiler",
        /// Ready, while the machine ran something else.
        OtherPrograms = "other programs",
        /// None of these.
        Unexplained = "not explained",
    }
}

/// From this share of the threads' time on, what is unexplained is reported.
const REPORTED: f64 = 0.05;
/// From this share on, what others took hides what threads do to one another.
const MUCH_TAKEN: f64 = 0.2;
/// Threads that are known to have run at the same time for less than this share of the run hardly met.
const HARDLY: f64 = 0.1;
/// From this share on, nothing can be said of how the program scales.
const MOST_LEFT_OPEN: f64 = 0.2;
/// What is shorter than this is no reason: a process has to start and to end.
const LEAST: Nanos = Nanos::from_nanos(20_000_000);
/// Where a strand and the tasks that it makes take less than this on average, the runtime's own
/// cost is the likeliest cause.
const FINE: Nanos = Nanos::from_nanos(10_000);

named! {
    /// Why work and span do not explain the run, in the order of what is looked for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Discrepancy {
        /// Threads ran the program's own code outside of all tasks that are known.
        Unseen = "unseen",
        /// Threads were in no task, and the tasks are so short that making and finding them is likely
        /// what took the time.
        FineTasks = "fine_tasks",
        /// Threads were in no task, and ran: they spin.
        Spinning = "spinning",
        /// Threads were in no task, and slept: they wait outside of tasks.
        Sleeping = "sleeping",
        /// Strands lasted longer than threads ran in them, though no wait was seen there.
        Stalled = "stalled",
    }
}

/// The books of a run; `None` if its processor time was not measured.
pub fn books(profile: &Profile, totals: &Totals) -> Option<Books> {
    let run = &profile.run;
    let used = run.processors.filter(|_| run.is_of_time())?;
    let threads = threads(profile);
    let on_all = |nanos: Nanos| times(nanos, threads);
    let unused = times(run.elapsed, profile.machine.cores) - used.used;
    let start = ["start_nanos", "calibration_nanos"].map(|name| profile.count_of_engine(name));
    let start: Nanos = start.into_iter().flatten().map(Nanos::from_nanos).sum();
    let engine = run.own_cost + on_all(start);
    // Both leave something out: the one what was between strands, the other what a hypervisor took.
    // Where threads outnumber the processors, they also wait for one another, so others took no more
    // than the process did not use.
    let taken_by_others = run
        .off_processor
        .max(used.queued.unwrap_or_default())
        .min(unused.max(Nanos::ZERO));
    Some(Books {
        elapsed: run.elapsed,
        threads,
        outnumber_processors: running(profile) > threads,
        processor_time: used.used,
        work: totals.work,
        blocked: totals.blocked,
        by_cause: waits::by_cause(profile),
        span: totals.span,
        waiting: profile.lock_uses().map(|lock| lock.waited).sum(),
        engine,
        taken_by_others,
        efficiency: Efficiency::from_run(profile, totals, engine + taken_by_others),
    })
}

impl Books {
    /// (P − 1)·(T∞ + taken by others): how long greedily scheduled threads are idle at most. All that
    /// others took may have delayed the span.
    pub fn idle_on_span(&self) -> Nanos {
        self.idle_on(self.span.value)
    }

    fn idle_on(&self, span: Span) -> Nanos {
        times(span.time() + self.taken_by_others, self.threads - 1)
    }

    /// P·E, divided without a rest, in the order of a report. Work, waits, the engine and what
    /// others took are measured. Of what is left, threads ran for at least the processor time that
    /// none of these explains, and were idle for as long as the upper end of the span's interval
    /// allows.
    ///
    /// Where threads outnumber the processors, only those waits count that leave one idle. Other
    /// parts that overlap, or that the clock of another processor measured, can make the sum larger
    /// than P·E.
    pub fn parts(&self) -> [(Spent, Nanos); 8] {
        let left = self.left();
        let beyond_blocked = (-left - self.blocked).max(Nanos::ZERO);
        let without_task = left.max(Nanos::ZERO);
        let ran = self.ran_without_task().min(without_task);
        let longest = self.span.high.min(Span::from(self.elapsed));
        let idle = (without_task - ran).min(self.idle_on(longest));
        [
            (Spent::Work, self.processor_time_of_strands()),
            (Spent::WaitingInTasks, self.waiting_in_tasks()),
            (
                Spent::WaitingForLocks,
                (self.waiting - beyond_blocked).max(Nanos::ZERO),
            ),
            (Spent::RanWithoutTask, ran),
            (Spent::IdleOnSpan, idle),
            (Spent::Profiler, self.engine),
            (Spent::OtherPrograms, self.taken_by_others),
            (Spent::Unexplained, without_task - ran - idle),
        ]
    }

    /// What of the threads' time was [waiting in tasks](Spent::WaitingInTasks), by what for, the
    /// longest part first; `None` comes last: what calls of the kernel do not show.
    pub fn waits_in_tasks(&self) -> Vec<(Option<WaitCause>, Nanos)> {
        waits::divided(self.waiting_in_tasks(), self.blocked, &self.by_cause)
    }

    fn waiting_in_tasks(&self) -> Nanos {
        let beyond = (-self.left()).max(Nanos::ZERO);
        (self.blocked - beyond).max(Nanos::ZERO)
    }

    /// What of P·E is not measured; below zero where what is measured overlaps.
    fn left(&self) -> Nanos {
        times(self.elapsed, self.threads) - self.explained()
    }

    fn explained(&self) -> Nanos {
        self.work.time() + self.waiting + self.engine + self.taken_by_others
    }

    /// P·E, without what others took of it.
    pub fn threads_time(&self) -> Nanos {
        times(self.elapsed, self.threads) - self.taken_by_others
    }

    /// The share of P·E that others took, if that is so much that what threads take from one another
    /// hardly shows: of two threads that run in turns, neither finds a lock held or a cache line taken.
    pub fn share_taken(&self) -> Option<f64> {
        let all = times(self.elapsed, self.threads);
        let share = self.taken_by_others.share_of(all);
        (self.threads > 1 && share >= MUCH_TAKEN).then_some(share)
    }

    /// Whether others took so much that hardly any two threads are known to have run at the same time.
    /// If more than one ran for a time O, the process used processors for at most E + (P − 1)·O.
    pub fn ran_one_at_a_time(&self) -> bool {
        let together = self.processor_time - self.elapsed;
        let most = times(self.elapsed, self.threads.saturating_sub(1));
        self.share_taken().is_some() && together.share_of(most) < HARDLY
    }

    /// The threads' time, without what others took, in which they ran neither strands nor the
    /// engine.
    pub fn without_work(&self) -> Nanos {
        let spent = self.processor_time_of_strands() + self.engine;
        (self.threads_time() - spent).max(Nanos::ZERO)
    }

    /// What no part of the threads' time explains.
    pub fn unexplained(&self) -> Nanos {
        let [.., (_, unexplained)] = self.parts();
        unexplained
    }

    /// That, as a share of the threads' time.
    pub fn unexplained_share(&self) -> f64 {
        self.share_of_threads(self.unexplained())
    }

    /// P·E − T₁ − waiting − engine − taken by others − (P − 1)·(T∞ + taken by others), or 0 if that
    /// is less: how long threads had no task beyond what the span explains.
    pub fn beyond_span(&self) -> Nanos {
        (self.left() - self.idle_on_span()).max(Nanos::ZERO)
    }

    /// That, as a share of the threads' time.
    pub fn beyond_span_share(&self) -> f64 {
        self.share_of_threads(self.beyond_span())
    }

    /// A share of the threads' time; 0 where others took most of it, and the rest is as uncertain
    /// as what they took.
    fn share_of_threads(&self, part: Nanos) -> f64 {
        let threads_time = self.threads_time();
        if self.taken_by_others > threads_time {
            return 0.0;
        }
        part.share_of(threads_time)
    }

    /// Whether so much is unexplained that the report has to say so.
    pub fn leave_something_open(&self) -> bool {
        self.unexplained_share() > REPORTED || self.exceed_processor_time()
    }

    /// How much longer strands lasted, without their waits, than the process used processors.
    pub fn beyond_processor_time(&self) -> Nanos {
        (self.processor_time_of_strands() - self.processor_time).max(Nanos::ZERO)
    }

    /// Whether that is so much of the work that the report has to say so.
    pub fn exceed_processor_time(&self) -> bool {
        let beyond = self.beyond_processor_time();
        beyond > LEAST && beyond.share_of(self.work.time()) > REPORTED
    }

    /// The processor time that neither strands nor the engine used, nor, if they spun, waits for
    /// locks.
    pub fn ran_without_task(&self) -> Nanos {
        let explained = self.processor_time_of_strands() + self.engine + self.waiting;
        (self.processor_time - explained).max(Nanos::ZERO)
    }

    /// The processor time that strands took, if they ran whenever they were not seen to wait.
    pub fn processor_time_of_strands(&self) -> Nanos {
        self.work.time() - self.blocked
    }

    /// The processor time in which strands can have run.
    pub fn useful(&self) -> Nanos {
        let without_engine = (self.processor_time - self.engine).max(Nanos::ZERO);
        self.processor_time_of_strands().min(without_engine)
    }

    /// Whether the books do not balance, and why that is likely: then the report says neither that
    /// the parallelism is enough nor that there is nothing to do.
    ///
    /// Where other programs took most of the machine, the threads' time says little, but their
    /// processor time still does: beside strands and the engine there is what idle threads spin.
    pub fn discrepancy(&self, average_strand: Nanos) -> Option<Discrepancy> {
        let exceeds =
            |part: Nanos, whole: Nanos| part > LEAST && part.share_of(whole) > MOST_LEFT_OPEN;
        let outside = self.ran_without_task();
        let spins_on_span = times(self.span.value.time(), self.threads - 1);
        let ran = exceeds(outside - spins_on_span, self.processor_time);
        let is_open = self.shows_in_time();
        if ran || is_open {
            return Some(if average_strand < FINE {
                Discrepancy::FineTasks
            } else if ran || outside + outside > self.beyond_span() {
                Discrepancy::Spinning
            } else {
                Discrepancy::Sleeping
            });
        }
        exceeds(self.beyond_processor_time(), self.work.time()).then_some(Discrepancy::Stalled)
    }

    /// Whether the program's own code ran for much of the processor time in no task that is known.
    pub(crate) fn leave_out(&self, outside: &SampledOutside) -> bool {
        let own = outside.own_code;
        if own.share.value <= 0.0 {
            return false;
        }
        let least = own.time.as_nanos() as f64 * own.share.low / own.share.value;
        let least = Nanos::from_nanos_f64(least);
        least > LEAST && least.share_of(self.processor_time) > MOST_LEFT_OPEN
    }

    /// Whether the threads' time shows that the books do not balance, and not only their processor
    /// time.
    pub fn shows_in_time(&self) -> bool {
        self.beyond_span() > LEAST && self.beyond_span_share() > MOST_LEFT_OPEN
    }
}

#[cfg(test)]
mod tests;
