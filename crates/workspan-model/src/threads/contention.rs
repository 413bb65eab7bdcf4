//! What tasks waited for, and what that may say about more cores.

use std::collections::BTreeMap;

use super::standstill::{Standstill, standstill};
use crate::profile::threads::{running, threads};
use crate::sampling::library::{
    FewAtomics, SampledAtomics, SampledLock, bridged_share, few_atomics, lock_place,
    mostly_receives, sampled_atomics, sampled_lock, sampled_runtime, spun_lock,
};
use crate::{
    Location, LockRow, Nanos, NodeId, Profile, Queue, RuntimeKind, SiteKind, SiteRow, Totals,
    WaitCause, WaitPlace, Work,
};

/// The waits of tasks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Awaited {
    /// How long tasks waited of their own will on the threads of the run.
    pub blocked: Nanos,
    /// The construct whose tasks waited longest, as an index into the site rows.
    pub row: Option<usize>,
    /// The line at which serial code waited for messages for most of the time that it waited.
    pub received_at: Option<Location>,
    /// Whether serial code runs in a channel, taking what tasks send, for most of its part of the longest
    /// chain: however many send, it takes one message after the other.
    pub receives: bool,
    /// The line at which threads waited for others to end for most of the longest chain.
    pub joined_at: Option<Location>,
    /// For how long child processes ran that tasks may have waited for, if that is most of what no
    /// other reason explains.
    pub children: Option<Nanos>,
    /// The child processes that the serial code likely waited for, for most of the time that it
    /// waited.
    pub serial_children: Option<SerialChildren>,
    /// How much of that may have been for one lock.
    pub for_one_lock: Nanos,
    /// If it was for one lock: the least share of the work that is done while it is held.
    pub least_held: f64,
    /// That share if threads come to the lock at random.
    pub likely_held: f64,
    /// The lock that tasks waited for longest, as calls of the kernel or samples of spinning threads
    /// show it.
    pub contended: Option<ContendedLock>,
    /// What tasks waited for most of the time that they waited, if it was no lock.
    pub reason: Option<Reason>,
    /// What the threads of a program without a runtime waited for longest, if it was no lock.
    pub of_threads: Option<Reason>,
    /// What its threads waited for when a signal ended it, if it stood still.
    pub standstill: Option<Standstill>,
    /// The lock that samples found threads at.
    pub lock: Option<SampledLock>,
    /// The atomic instructions that much of the work was sampled at.
    pub atomics: Option<SampledAtomics>,
    /// The atomic instructions of which more samples, or those of a run in which threads meet, may show
    /// that they limit many more threads than ran.
    pub few_atomics: Option<FewAtomics>,
    /// The share of the work that was sampled in the runtime, where it is much.
    pub runtime_share: Option<f64>,
    /// What the kernel did of the process's work, where that is much.
    pub kernel: Option<Kernel>,
    /// The least share of the work in iterators that feed `par_bridge`s, as samples show it.
    pub bridge_held: f64,
    /// The lock that was recorded and had to be waited for, as an index into the rows of locks; none that
    /// changes no answer.
    pub recorded: Option<usize>,
}

/// What threads may wait for one another at.
#[derive(Clone, Copy, Debug)]
pub enum Contender<'a> {
    /// A lock.
    Lock(&'a ContendedLock),
    /// Cache lines.
    Atomics(&'a SampledAtomics),
    /// The runtime, with its share of the samples of the work.
    Runtime(f64),
    /// The kernel.
    Kernel(&'a Kernel),
}

/// Child processes that serial code likely waited for.
#[derive(Clone, Debug, PartialEq)]
pub struct SerialChildren {
    /// Their processor time.
    pub ran: Nanos,
    /// How long it waited for the end of one, for input and for output: theirs, or others'.
    pub waited: Nanos,
    /// The line at which it waited longest.
    pub location: Option<Location>,
}

/// What the kernel did for a process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kernel {
    /// Its share of the process's processor time.
    pub share: f64,
    /// How often it put a page of memory where the program touched it, if that was much of its work.
    pub page_faults: Option<u64>,
}

/// A lock that tasks waited for in calls of the kernel, or spinning.
#[derive(Clone, Debug, PartialEq)]
pub struct ContendedLock {
    /// The user's line that waits for it.
    pub location: Option<Location>,
    /// The user's function that does.
    pub function: Option<String>,
    /// Whether it is the allocator's, called from there.
    pub is_allocators: bool,
    /// The function of a library, called from there, that has the lock for its own purposes.
    pub library: Option<String>,
    /// Whether it is that of something made once, by the thread that uses it first.
    pub is_initialisation: bool,
    /// The line whose release of it most often ended a wait.
    pub holder: Option<Location>,
    /// How often threads slept for it.
    pub waits: u64,
    /// The share of the run's time in which at least one waited; of a spinning one, at least.
    pub share: f64,
    /// The share h of each thread's work that is done under it, if threads come to it at random: then
    /// P of them wait for P·(P − 1)·h²/2 of the time ([`awaited`]).
    pub likely_held: f64,
    /// How long it was held, at least: while one waited for it and none was woken. What its holder
    /// was off the processor meanwhile is taken off, as much as strands were on average.
    pub held: Nanos,
    /// T₁/H over that time, T₁ without waits: no speedup over one core is greater. Infinite if
    /// `held` is not known.
    pub most_speedup: f64,
    /// That if threads come to it at random ([`awaited`]); infinite where few slept for it, or all for
    /// an initialisation.
    pub likely_most_speedup: f64,
    /// Whether strands were nearly always on a processor, so that `held` is no estimate.
    pub is_exact: bool,
    /// Whether strands waited for processors so long that few ran at the same time, and yet met at
    /// the lock whenever they changed places.
    pub is_starved: bool,
}

/// From this share of the run's time on, waits for a lock are worth a word.
const WORTH_A_WORD: f64 = 0.01;
/// From this share of each thread's work on that is likely done under a lock, many waits for it limit:
/// that leaves a speedup of twenty on any number of cores.
const MUCH_HELD: f64 = 0.05;
/// From this share of the run's time on, few long waits limit as well.
const MUCH_WAITED: f64 = 0.1;
/// Up to this share of their time off the processor, strands were nearly always on one.
const NEARLY_ALWAYS: f64 = 0.05;
/// From this share on, few of two threads' strands ran at the same time.
const STARVED: f64 = 0.2;
/// Of two threads that take turns on a processor, a few milliseconds each, one meets the other's lock
/// at most turns if that is held most of the time: at least once in this time off the processor.
const TURNS: Nanos = Nanos::from_nanos(20_000_000);
/// Fewer waits are chance.
const FEW: u64 = 10;

/// Serial code that waits for less of the longest chain hardly waits.
const HARDLY: f64 = 0.1;

/// Whether a recorded lock may limit some machine, or was waited for long.
fn is_worth_a_word(lock: &LockRow, totals: &Totals) -> bool {
    let waited = lock.waited.share_of(totals.work.time());
    lock.limits_many_cores() || waited >= WORTH_A_WORD
}

impl ContendedLock {
    /// Whether it limits the speedup of a run: threads waited for it long, or met at it whenever
    /// they could.
    pub fn limits(&self) -> bool {
        let is_often = self.waits >= FEW && self.likely_held >= MUCH_HELD;
        self.share >= MUCH_WAITED || is_often || self.is_starved
    }

    /// Whether it certainly keeps half of so many `cores` idle.
    pub fn idles_half(&self, cores: u32) -> bool {
        // Of an estimate, twice that.
        let margin = if self.is_exact { 1.0 } else { 2.0 };
        self.share >= MUCH_WAITED && margin * self.most_speedup < f64::from(cores) / 2.0
    }
}

/// What tasks waited for, other than locks.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// The kinds of the waits, the longest first: sleep, the end of another thread, or some of the
    /// [messages](WaitCause::MESSAGES) or of [what is outside](WaitCause::OUTSIDE).
    pub causes: Vec<WaitCause>,
    /// The user's line that waits longest.
    pub location: Option<Location>,
    /// How long tasks waited so.
    pub waited: Nanos,
}

impl Awaited {
    /// The greatest speedup on any number of cores if all waits were for one lock; infinite if
    /// nothing waited.
    pub fn most_speedup(&self) -> f64 {
        1.0 / self.least_held
    }

    /// [`most_speedup`](Self::most_speedup) if threads came to the lock at random.
    pub fn likely_most_speedup(&self) -> f64 {
        1.0 / self.likely_held
    }

    /// What tasks waited for most of the time that they waited, unless a lock limits them.
    pub fn reason_besides_locks(&self) -> Option<&Reason> {
        self.reason.as_ref().filter(|_| self.limiting().is_none())
    }

    /// Whether a wait for a lock was seen.
    pub const fn has_lock(&self) -> bool {
        self.contended.is_some() || self.lock.is_some() || self.recorded.is_some()
    }

    /// Whether much of the work was in what threads share: cache lines, the runtime, the kernel.
    pub const fn shares_something(&self) -> bool {
        self.atomics.is_some() || self.runtime_share.is_some() || self.kernel.is_some()
    }

    /// The share of the work, by samples, in which threads may have spun at a lock.
    pub fn spinning_share(&self) -> f64 {
        let at_lock = self.lock.as_ref().map_or(0.0, |lock| lock.share);
        let spun = self.contended.as_ref().filter(|lock| lock.waits == 0);
        let at_atomics = self.atomics.as_ref().map_or(0.0, |atomics| atomics.share);
        at_lock
            .max(spun.map_or(0.0, |lock| lock.share))
            .max(at_atomics)
            .min(1.0)
    }

    /// What keeps more threads from being faster, as waits and samples show it.
    pub fn contender(&self) -> Option<Contender<'_>> {
        let (runtime, kernel) = (self.runtime_share, self.kernel.as_ref());
        let others = [runtime, kernel.map(|kernel| kernel.share)];
        let is_most = |atomics: &&SampledAtomics| {
            (others.into_iter().flatten()).all(|share| atomics.share >= share)
        };
        (self.limiting().map(Contender::Lock))
            .or_else(|| {
                let atomics = self.atomics.as_ref().filter(is_most);
                atomics.map(Contender::Atomics)
            })
            .or_else(|| runtime.map(Contender::Runtime))
            .or_else(|| kernel.map(Contender::Kernel))
    }

    /// The lock whose waits certainly keep half of so many `cores` idle.
    pub fn certain_lock(&self, cores: u32) -> Option<&ContendedLock> {
        self.limiting().filter(|lock| lock.idles_half(cores))
    }

    /// The lock whose waits limit the run's speedup.
    pub fn limiting(&self) -> Option<&ContendedLock> {
        self.contended.as_ref().filter(|lock| lock.limits())
    }
}

/// Whether the run is to say what many more cores than it had would do.
fn is_for_many_more(profile: &Profile) -> bool {
    profile.run.assumed_cores >= 4 * threads(profile)
}

/// The waits of the tasks of `profile`.
///
/// While one thread waits for a lock another one works under it. So of P threads at most P − 1
/// wait at a time, and the lock is held for at least their waits divided by that.
///
/// A thread that comes at random to a lock held for a share h of each thread's work finds it held
/// with a probability of (P − 1)·h, and waits for half a hold on average: so it waits for
/// (P − 1)·h²/2 of its work.
pub fn awaited(profile: &Profile, totals: &Totals, rows: &[SiteRow], locks: &[LockRow]) -> Awaited {
    let tasks = || {
        let rows = rows.iter().enumerate();
        rows.filter(|(_, row)| row.kind.is_parallel())
    };
    let runs_threads = profile.runtime() == Some(RuntimeKind::Threads);
    let in_work: Nanos = tasks().map(|(_, row)| row.on_work.blocked).sum();
    let blocked = in_work + waits_between_threads(profile);
    let others = profile.run.threads.saturating_sub(1);
    let serial = rows.iter().find(|row| row.kind == SiteKind::Root);
    let of_serial_code = serial.map_or(Nanos::ZERO, |row| row.on_work.blocked);
    let by_lock = waits_by_lock(profile);
    let unknown = (blocked - by_lock.values().copied().sum()).max(Nanos::ZERO);
    let children = children(profile, unknown, of_serial_code);
    let outside = waits_of_tasks(profile).into_iter();
    let outside: Nanos = outside
        .filter(|(cause, _)| WaitCause::OUTSIDE.contains(cause))
        .flat_map(|(_, lines)| lines.into_values())
        .sum();
    // May have been for one and the same lock: waits at one address, and those that nothing
    // explains.
    let for_others = children.unwrap_or_default().max(outside);
    let unknown = (unknown - for_others).max(Nanos::ZERO);
    let for_one_lock = unknown + by_lock.into_values().max().unwrap_or_default().min(blocked);
    let least_held = if others == 0 || runs_threads || !profile.run.metric.is_time() {
        0.0
    } else {
        for_one_lock.share_of(totals.work.time()) / f64::from(others)
    };
    // Threads that got so much done at once held no lock for longer than this leaves.
    let reached = f64::from(others + 1) * (1.0 - f64::from(others) * least_held);
    let likely_held = (2.0 * least_held)
        .sqrt()
        .min(1.0 / reached.max(1.0))
        .max(least_held);
    let longest = if runs_threads {
        let threads = rows.iter().enumerate();
        threads
            .filter(|(_, row)| row.kind == SiteKind::Thread)
            .max_by_key(|(_, row)| row.on_work.local_work)
    } else {
        tasks().max_by_key(|(_, row)| row.on_work.blocked)
    };
    let work = Work::from(totals.work.time() - in_work);
    let off = profile.run.off_processor;
    let is_starved = off.share_of(totals.work.time() + off) >= STARVED;
    let can_meet = threads(profile) > 1 && !is_starved;
    let slept_for = contended_lock(profile, work, blocked);
    let spun_for = lock_of_spinners(profile, work);
    Awaited {
        blocked,
        row: longest
            .filter(|_| blocked > Nanos::ZERO)
            .map(|(row, _)| row),
        received_at: waits_of_serial_code(profile, &WaitCause::MESSAGES)
            .into_iter()
            .find(|(_, waited)| *waited + *waited >= of_serial_code)
            .and_then(|(line, _)| line.cloned()),
        receives: receives(profile, totals, of_serial_code),
        joined_at: joined_at(profile, totals),
        children,
        serial_children: serial_children(profile, of_serial_code),
        for_one_lock,
        least_held,
        likely_held,
        contended: [slept_for, spun_for]
            .into_iter()
            .flatten()
            .max_by(|one, other| one.share.total_cmp(&other.share)),
        reason: reason(profile, &OTHER_THAN_LOCKS[..3], blocked).filter(|reason| {
            // Children that run need cores, as tasks do.
            children.is_none() || !WaitCause::OUTSIDE.contains(&reason.causes[0])
        }),
        of_threads: reason(profile, &OTHER_THAN_LOCKS, Nanos::ZERO).filter(|_| runs_threads),
        standstill: standstill(profile),
        lock: sampled_lock(profile, blocked > Nanos::ZERO),
        atomics: sampled_atomics(profile, is_for_many_more(profile), can_meet),
        few_atomics: (threads(profile) > 1 && is_for_many_more(profile))
            .then(|| few_atomics(profile, can_meet))
            .flatten(),
        runtime_share: sampled_runtime(profile),
        kernel: kernel(profile, totals.work),
        bridge_held: bridged_share(profile),
        recorded: locks
            .iter()
            .position(|lock| lock.waits > 0 && is_worth_a_word(lock, totals)),
    }
}

/// How long tasks waited in calls that name an address, by lock. Those without an address of their
/// own are known by their line.
fn waits_by_lock(profile: &Profile) -> BTreeMap<(usize, Option<&Location>), Nanos> {
    let mut by_lock = BTreeMap::<_, Nanos>::new();
    let queues = profile.waits.queues.iter().enumerate();
    // Waits for threads and calls are between strands; those for what is outside are for no lock.
    for (index, queue) in queues.filter(|(_, queue)| queue.awaited.is_none()) {
        let of_tasks = queue.waits.iter();
        for place in of_tasks.filter(|place| is_of_task(profile, place.node)) {
            let lock = match profile.waits.has_one_holder(place) {
                true => (index, None),
                false => (usize::MAX, profile.waits.innermost_line(place)),
            };
            *by_lock.entry(lock).or_default() += place.waited;
        }
    }
    by_lock
}

/// For how long child processes of `profile` ran, if that is most of the `unknown` time that tasks
/// waited. The serial code may have waited for them, too, as long as it waited in all.
fn children(profile: &Profile, unknown: Nanos, of_serial_code: Nanos) -> Option<Nanos> {
    let ran = Nanos::from_nanos(profile.count_of_engine("children_nanos")?) - of_serial_code;
    (unknown > Nanos::ZERO && ran + ran > unknown).then_some(ran)
}

/// The child processes of `profile` that serial code likely waited for, for most of the time that it
/// waited in all.
fn serial_children(profile: &Profile, of_serial_code: Nanos) -> Option<SerialChildren> {
    let ran = Nanos::from_nanos(profile.count_of_engine("children_nanos")?);
    let lines = waits_of_serial_code(profile, &WaitCause::OUTSIDE);
    let waited = lines.values().copied().sum::<Nanos>();
    let (location, _) = lines.into_iter().max_by_key(|(_, waited)| *waited)?;
    (waited + waited >= of_serial_code && ran + ran >= waited).then(|| SerialChildren {
        ran,
        waited,
        location: location.cloned(),
    })
}

/// The lock that tasks of `profile` waited for longest. They waited for `blocked` in all, which is no
/// part of `work`.
fn contended_lock(profile: &Profile, work: Work, blocked: Nanos) -> Option<ContendedLock> {
    let waits = &profile.waits;
    let is_wait = |queue: &Queue, place: &WaitPlace| {
        is_of_task(profile, place.node) && waits.cause(queue, place) == Some(WaitCause::Lock)
    };
    // Locks without an address of their own share a queue with other waits of the thread.
    let any = |queue: &Queue| {
        let of_lock = queue.waits.iter().filter(|place| is_wait(queue, place));
        of_lock
            .map(|place| place.waited)
            .sum::<Nanos>()
            .min(queue.any)
    };
    let queue = (waits.queues.iter())
        .filter(|queue| any(queue) > Nanos::ZERO)
        .max_by_key(|queue| any(queue))?;
    let place = (queue.waits.iter().filter(|place| is_wait(queue, place)))
        .max_by_key(|place| place.waited)?;
    let off = profile.run.off_processor;
    let off_share = off.share_of(work.time() + off);
    let share = any(queue).share_of(profile.run.elapsed);
    let of_lock = || queue.waits.iter().filter(|place| is_wait(queue, place));
    let count = of_lock().map(|place| place.count).sum();
    let threads = match u64::from(profile.run.threads) {
        0 => profile.threads_that_ran().unwrap_or(0),
        threads => threads,
    };
    let threads = threads.max(2) as f64;
    let is_starved = off_share >= STARVED
        && count >= FEW
        && count as f64 >= off.as_nanos() as f64 / TURNS.as_nanos() as f64;
    if share < WORTH_A_WORD && !is_starved {
        return None;
    }
    let held = if waits.has_one_holder(place) {
        // Whatever else tasks waited for, the holder may have: it was no work under the lock.
        let others = blocked - of_lock().map(|place| place.waited).sum();
        let held = queue.unwoken - others.max(Nanos::ZERO);
        Nanos::from_nanos_f64(held.max(Nanos::ZERO).as_nanos() as f64 * (1.0 - off_share))
    } else {
        Nanos::ZERO
    };
    let slept: Nanos = of_lock().map(|place| place.waited).sum();
    let slept = slept.min(blocked).share_of(work.time() + blocked);
    let found = lock_place(waits.frames_of(place));
    Some(ContendedLock {
        location: found.location.cloned(),
        function: found.function.map(str::to_owned),
        is_allocators: found.is_allocators,
        library: found.library.map(str::to_owned),
        is_initialisation: waits.is_initialisation(place),
        holder: waits.waker(queue).cloned(),
        waits: count,
        share,
        likely_held: (2.0 * share / (threads * (threads - 1.0))).sqrt(),
        held,
        most_speedup: crate::run::lock::most_speedup(work, held.into()),
        likely_most_speedup: match count {
            0..FEW => f64::INFINITY,
            _ if waits.is_initialisation(place) => f64::INFINITY,
            _ => ((threads - 1.0) / (2.0 * slept)).sqrt().max(1.0),
        },
        is_exact: off_share <= NEARLY_ALWAYS,
        is_starved,
    })
}

/// The lock for which threads were sampled spinning most. If it is one lock, another thread holds it
/// meanwhile, and at most P − 1 of P threads spin at once, or P if there are more threads than
/// processors: it is held for at least the time that all spin, divided by that. Samples show lines,
/// not locks: it is one if threads also slept there, and always for the same.
fn lock_of_spinners(profile: &Profile, work: Work) -> Option<ContendedLock> {
    let threads = threads(profile);
    // The one that holds it may be off the processor.
    let spinning = threads - u32::from(running(profile) <= threads);
    if spinning == 0 || !profile.run.metric.is_time() {
        return None;
    }
    let spun = spun_lock(profile)?;
    let nanos = work.time().shown() as f64;
    let off = profile.run.off_processor;
    let off_share = off.share_of(work.time() + off);
    let held = Nanos::from_nanos_f64(spun.share * nanos * (1.0 - off_share) / f64::from(spinning));
    let share = held.share_of(profile.run.elapsed).min(1.0);
    let slept_for = |queue: &&Queue| {
        let mut lines = queue
            .waits
            .iter()
            .map(|place| profile.waits.user_line(place));
        spun.place.location.is_some() && lines.any(|line| line == spun.place.location)
    };
    let is_one = profile.waits.queues.iter().filter(slept_for).count() == 1;
    let held = if is_one && spun.has_one_holder {
        held
    } else {
        Nanos::ZERO
    };
    (share >= MUCH_WAITED).then(|| ContendedLock {
        location: spun.place.location.cloned(),
        function: spun.place.function.map(str::to_owned),
        is_allocators: spun.place.is_allocators,
        library: spun.place.library.map(str::to_owned),
        is_initialisation: false,
        holder: None,
        waits: 0,
        share,
        likely_held: share,
        held,
        most_speedup: crate::run::lock::most_speedup(
            Work::from(Nanos::from_nanos_f64((1.0 - spun.share) * nanos)),
            held.into(),
        ),
        likely_most_speedup: f64::INFINITY,
        is_exact: false,
        is_starved: false,
    })
}

/// From this share of its processor time on, what the kernel does for a process may limit it: much
/// of that is done for one thread at a time.
const MUCH_IN_THE_KERNEL: f64 = 0.3;

/// Where strands ran for less of the processor time, the kernel's part may be of what ran outside.
const NEARLY_ALL: f64 = 0.8;
/// The start of a process is the kernel's, and counts in less time.
const LONG: Nanos = Nanos::from_nanos(200_000_000);
/// A page fault takes at least that.
const PAGE_FAULT: Nanos = Nanos::from_nanos(250);

fn kernel(profile: &Profile, work: Work) -> Option<Kernel> {
    let used = profile.run.processors?.used;
    let in_kernel = Nanos::from_nanos(profile.count_of_engine("kernel_nanos")?);
    let share = in_kernel.share_of(used);
    let of_work = used >= LONG && work.time().share_of(used) >= NEARLY_ALL;
    let page_faults = profile.count_of_engine("page_faults").unwrap_or(0);
    let of_faults = Nanos::from_nanos(page_faults.saturating_mul(PAGE_FAULT.as_nanos()));
    let many = of_faults.share_of(in_kernel) >= MUCH_WAITED;
    (of_work && share >= MUCH_IN_THE_KERNEL).then(|| Kernel {
        share,
        page_faults: many.then_some(page_faults as u64),
    })
}

/// What tasks may wait for, other than locks; the last between strands.
const OTHER_THAN_LOCKS: [&[WaitCause]; 4] = [
    &WaitCause::MESSAGES,
    &WaitCause::OUTSIDE,
    &[WaitCause::Sleep],
    &[WaitCause::Thread],
];

/// Which of these `kinds` of waits tasks spent most time in, if that is most of the time that they
/// were `blocked`.
fn reason(profile: &Profile, kinds: &[&[WaitCause]], blocked: Nanos) -> Option<Reason> {
    let by_cause = waits_of_tasks(profile);
    let of_kind = |kind: &&[WaitCause]| {
        let found = by_cause.iter().filter(|(cause, _)| kind.contains(cause));
        let mut found: Vec<_> = found
            .map(|(cause, lines)| (*cause, lines.values().copied().sum::<Nanos>()))
            .collect();
        found.sort_by_key(|&(_, waited)| std::cmp::Reverse(waited));
        found
    };
    let all = |kind: &Vec<(WaitCause, Nanos)>| kind.iter().map(|(_, waited)| *waited).sum();
    let longest = (kinds.iter().map(of_kind)).max_by_key(|kind| -> Nanos { all(kind) })?;
    let (mut causes, mut waited) = (Vec::new(), Nanos::ZERO);
    for (cause, time) in longest {
        if causes.is_empty() || waited + waited < blocked {
            causes.push(cause);
            waited += time;
        }
    }
    let lines = by_cause
        .iter()
        .filter(|(cause, _)| causes.contains(cause))
        .flat_map(|(_, lines)| lines);
    let (line, _) = lines.max_by_key(|(_, waited)| **waited)?;
    (waited + waited >= blocked).then(|| Reason {
        causes,
        location: line.cloned(),
        waited,
    })
}

/// How long tasks waited, by what for and by line.
fn waits_of_tasks(profile: &Profile) -> BTreeMap<WaitCause, BTreeMap<Option<&Location>, Nanos>> {
    let waits = &profile.waits;
    let mut causes = BTreeMap::<_, BTreeMap<_, Nanos>>::new();
    for queue in &waits.queues {
        let of_tasks = queue.waits.iter();
        for place in of_tasks.filter(|place| is_of_task(profile, place.node)) {
            if let Some(cause) = waits.cause(queue, place) {
                let lines = causes.entry(cause).or_default();
                *lines.entry(waits.user_line(place)).or_default() += place.waited;
            }
        }
    }
    causes
}

/// For how long serial code waited for any of these, by line.
fn waits_of_serial_code<'a>(
    profile: &'a Profile,
    meant: &[WaitCause],
) -> BTreeMap<Option<&'a Location>, Nanos> {
    let waits = &profile.waits;
    let mut lines = BTreeMap::<_, Nanos>::new();
    for queue in &waits.queues {
        for place in &queue.waits {
            let cause = waits.cause(queue, place);
            if cause.is_some_and(|cause| meant.contains(&cause)) && !is_of_task(profile, place.node)
            {
                *lines.entry(waits.user_line(place)).or_default() += place.waited;
            }
        }
    }
    lines
}

/// Whether the serial code of `profile`, which waited for so long in all, took messages for most of its
/// part of the longest chain, and did not wait for them.
fn receives(profile: &Profile, totals: &Totals, blocked: Nanos) -> bool {
    let serial = |node| !is_of_task(profile, node);
    let waited = blocked.share_of(totals.span.value.time());
    waited < HARDLY && mostly_receives(profile, serial)
}

/// The line at which threads of `profile` waited for others to end, by calls that name them, for most of
/// the longest chain.
fn joined_at(profile: &Profile, totals: &Totals) -> Option<Location> {
    let waits = &profile.waits;
    let mut lines = BTreeMap::<_, Nanos>::new();
    for queue in &waits.queues {
        let joins = queue.waits.iter().filter(|place| {
            waits.cause(queue, place) == Some(WaitCause::Thread) && !waits.is_for_scope(place)
        });
        for (line, place) in joins.filter_map(|place| Some((waits.user_line(place)?, place))) {
            *lines.entry(line).or_default() += place.waited;
        }
    }
    let span = totals.span.value.time();
    let mut long = (lines.into_iter()).filter(|&(_, waited)| waited + waited >= span);
    let (line, _) = long.next()?;
    // Of several, it is not known which one a thread ran after.
    long.next().is_none().then(|| line.clone())
}

/// Whether serial code, which waited for so long in all, did so for tasks: as messages show it, and
/// tasks that ran for half as long; or because strands ran for longer than they can have while it
/// did not wait.
pub(crate) fn serial_code_awaits_tasks(profile: &Profile, blocked: Nanos) -> bool {
    let messages: Nanos = waits_of_serial_code(profile, &WaitCause::MESSAGES)
        .values()
        .copied()
        .sum();
    let ran = |is_meant: &dyn Fn(NodeId) -> bool| -> Nanos {
        let nodes = (0..).map(NodeId).zip(&profile.tree);
        let nodes = nodes.filter(|(id, _)| is_meant(*id));
        nodes
            .map(|(_, node)| node.on_work.local_work.time() - node.on_work.blocked)
            .sum()
    };
    let of_tasks = ran(&|node| is_of_task(profile, node));
    let threads = f64::from(threads(profile));
    let without_wait = (profile.run.elapsed - blocked).max(Nanos::ZERO);
    let most = threads * without_wait.as_nanos() as f64;
    messages + messages >= blocked && of_tasks + of_tasks >= blocked
        || ran(&|_| true).as_nanos() as f64 > 1.2 * most
}

/// Whether strands at `node` are a task's, or a thread's of a program without a runtime.
fn is_of_task(profile: &Profile, node: NodeId) -> bool {
    let runs_threads = profile.runtime() == Some(RuntimeKind::Threads);
    let mut above = profile.with_above(node).map(|node| {
        let node = &profile.tree[node.index()];
        profile.site_of(node).kind
    });
    above.any(|kind| kind.is_parallel() || runs_threads && kind == SiteKind::Thread)
}

/// How long the threads of a program without a runtime waited for one another, or slept. It is no
/// work, and which of it lies on the longest path is not known.
pub(crate) fn waits_between_threads(profile: &Profile) -> Nanos {
    if profile.runtime() != Some(RuntimeKind::Threads) {
        return Nanos::ZERO;
    }
    let waited = profile.count_of_engine("threads_waited_nanos");
    let waits = &profile.waits;
    let sum = |is_meant: &dyn Fn(&WaitPlace) -> bool| -> Nanos {
        let places = waits.queues.iter().flat_map(|queue| &queue.waits);
        let meant = places.filter(|place| is_meant(place));
        meant.map(|place| place.waited).sum()
    };
    // The end of a scope's threads is on the path, and is counted unless they had ended by then.
    let for_scopes = sum(&|place| !is_of_task(profile, place.node) && waits.is_for_scope(place));
    let of_threads = sum(&|place| is_of_task(profile, place.node));
    let waited = Nanos::from_nanos(waited.unwrap_or(0));
    (waited - for_scopes).max(of_threads.min(waited))
}

#[cfg(test)]
mod tests;
