//! One profile from its start to its end.
//!
//! A process that was started with `WORKSPAN_PROFILE=FILE` begins its session before `main` and writes FILE
//! when it exits. The other variables, all read once and then removed so that processes started by the
//! program do not inherit them:
//!
//! | variable | meaning |
//! |---|---|
//! | `WORKSPAN_ASSUME_CORES` | cores to answer for in pools of default size; absent or 0: the real number |
//! | `WORKSPAN_THREADS` | threads of pools of default size; absent or 0: the runtime's own default |
//! | `WORKSPAN_BURDEN` | burden of a stealable edge, `15000cycles` or `6250ns`; of a metric that is no time a number of events |
//! | `WORKSPAN_CLOCK` | `tsc`, `monotonic`, `thread`, under an emulator `emulated`, or for tests `virtual`; absent: `tsc` where it can be trusted |
//! | `WORKSPAN_FUNCTIONS` | file that lists the functions whose calls are sites; implies exact timing |
//! | `WORKSPAN_INSTANCES` | how many instances of each region are told one by one; absent: 1000 |
//! | `WORKSPAN_GRAIN_NANOS` | subtrees of less work are folded in the record, of twice as much for each 16 MiB that it has; 0: none are, and timing is exact; absent: 10000 |
//! | `WORKSPAN_METRIC` | what is measured of strands, by its name; absent: `time` |
//! | `WORKSPAN_RECORD` | file that the task dag is recorded in; absent: it is not |
//! | `WORKSPAN_RECORD_BYTES` | how many bytes that may have; absent: 256 MiB |
//! | `WORKSPAN_SAMPLE_HZ` | samples to take in a second of each thread's processor time; absent or 0: none |
//! | `WORKSPAN_TIMING` | `exact`: read the clock at every boundary; absent: trees of tiny tasks as a whole |

use crate::calibration::Calibration;
use crate::clock::{self, Clock, Mark};
use crate::events::Costs;
use crate::frame::Frame;
use crate::longest::Longest;
use crate::metric::Metric;
use crate::mode::Mode;
use crate::raw::{Ending, Outcome};
use crate::record::{self, Recording};
use crate::runtime::Runtime;
use crate::segment::Chain;
use crate::stop::Stop;
use crate::{
    calibration, emulated, functions, message, mode, output, own_counter, raw, region, runtime,
    sampler, serial, stop, thread, tree, user_thread,
};
use std::panic;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// What a session is started with.
#[derive(Clone, Debug)]
pub struct Config {
    /// What is measured of strands.
    pub metric: Metric,
    /// The clock that strands are measured with.
    pub clock: Clock,
    /// Why `clock` is not the time-stamp counter, if that was wanted.
    pub clock_note: Option<String>,
    /// The burden of a stealable edge.
    pub burden: Burden,
    /// Cores to answer for in pools of default size; 0: the real number.
    pub assumed_cores: usize,
    /// Threads of pools of default size; 0: the runtime's own default.
    pub threads: usize,
    /// Branches of forks that are expected to take less than this many nanoseconds (of a virtual clock, ticks) may
    /// be timed as a whole; 0: the clock is read at every boundary.
    pub grain: i64,
    /// How many instances of each region are told one by one.
    pub instances: u64,
    /// Samples to take in a second of each thread's processor time; 0: none. Of a virtual clock: whether there are any.
    pub sample_rate: u32,
    /// Where and how the task dag is recorded; `None`: it is not.
    pub recording: Option<Recording>,
}

/// What [`Recording::grain`] is unless the environment says otherwise.
const DEFAULT_RECORD_GRAIN: i64 = 10_000;

/// What [`Config::instances`] is unless the environment says otherwise.
const DEFAULT_INSTANCES: u64 = 1_000;

/// What [`Config::grain`] is unless the environment asks for exact timing.
const DEFAULT_GRAIN: i64 = 8_000;

/// Cost of migrating a stolen task (Cilkview §3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Burden {
    /// Ticks of the time-stamp counter; of a virtual clock, its ticks.
    Cycles(i64),
    /// Nanoseconds.
    Nanos(i64),
    /// Ticks of the session's clock: events of its metric.
    Ticks(i64),
}

/// Cilkview's figure (§3): 15,000 instructions, taken as cycles.
const DEFAULT_BURDEN: Burden = Burden::Cycles(15_000);

impl Default for Config {
    fn default() -> Self {
        Self {
            metric: Metric::time(),
            clock: Clock::Monotonic,
            clock_note: None,
            burden: DEFAULT_BURDEN,
            assumed_cores: 0,
            threads: 0,
            grain: 0,
            instances: DEFAULT_INSTANCES,
            sample_rate: 0,
            recording: None,
        }
    }
}

/// What every thread needs of the session at every boundary; in ticks. Each keeps a copy, and looks again when
/// the epoch has changed.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) clock: Clock,
    /// The burden of a stealable edge.
    pub(crate) burden: i64,
    /// Longest strand that is taken as it is.
    pub(crate) check_after: i64,
    /// What the engine itself spends in a strand that ends at an ordinary boundary, and at a spawn.
    pub(crate) boundary_cost: i64,
    /// The same where functions are measured, and so constructs seldom follow each other.
    pub(crate) ordinary_cost: i64,
    pub(crate) spawn_cost: i64,
    /// The same at a boundary without a reading of the clock.
    pub(crate) unread_cost: i64,
    /// What it spends more in a fork without readings of the clock that leads to another node.
    pub(crate) crossing_cost: i64,
    /// What is taken off strands at the events of other runtimes; `None`: not known.
    pub(crate) event_costs: Option<Costs>,
    /// The same at the entry and the exit of a function.
    pub(crate) function_cost: i64,
    /// Branches that are expected to take less may be timed as a whole ([`crate::stretch`]); 0: none is.
    pub(crate) grain: i64,
    /// What the runtime itself makes the shortest strand there is, at least 1.
    pub(crate) strand: i64,
    /// Length up to which a single measurement tells little; 0 if all are taken as they are.
    pub(crate) unsure: i64,
    /// How many instances of each region's node are kept.
    pub(crate) instances: u64,
    /// Subtrees of less work are folded in the record, 0: none; `None` if there is no record.
    pub(crate) record_grain: Option<i64>,
    /// After how many ticks a thread's record is written at the latest.
    pub(crate) record_every: i64,
}

impl Settings {
    const NONE: Self = Self {
        clock: Clock::Monotonic,
        burden: 0,
        check_after: i64::MAX,
        boundary_cost: 0,
        ordinary_cost: 0,
        spawn_cost: 0,
        unread_cost: 0,
        crossing_cost: 0,
        event_costs: None,
        function_cost: 0,
        grain: 0,
        strand: 1,
        unsure: 0,
        instances: 0,
        record_grain: None,
        record_every: i64::MAX,
    };
}

impl Default for Settings {
    fn default() -> Self {
        Self::NONE
    }
}

pub(crate) fn settings() -> Settings {
    *SETTINGS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Changes the settings; threads see them at their next new call.
fn change_settings(change: impl FnOnce(&mut Settings)) {
    change(&mut SETTINGS.lock().unwrap_or_else(PoisonError::into_inner));
    next_epoch();
}

static ROOT_FRAME: AtomicPtr<Frame> = AtomicPtr::new(ptr::null_mut());
static DETACHED: Longest = Longest::new();
static DETACHED_RUNNING: AtomicI64 = AtomicI64::new(0);
/// What is open on paths that left a stretch before it was known how long that took.
static ESCAPED: AtomicI64 = AtomicI64::new(0);
static EPOCH: AtomicU64 = AtomicU64::new(0);
/// How many sessions have been started.
static STARTED: AtomicU64 = AtomicU64::new(0);
static SETTINGS: Mutex<Settings> = Mutex::new(Settings::NONE);
/// Bits of an `f64`.
static TICKS_PER_NANO: AtomicU64 = AtomicU64::new(0);
static ASSUMED_CORES: AtomicUsize = AtomicUsize::new(0);
static THREADS: AtomicUsize = AtomicUsize::new(0);
static POOL_THREADS: AtomicUsize = AtomicUsize::new(0);
static PROCESS: AtomicU32 = AtomicU32::new(0);
static SESSION: Mutex<Option<Session>> = Mutex::new(None);

/// Where the profile goes, if the environment says so.
static OUTPUT: OnceLock<PathBuf> = OnceLock::new();

pub(crate) struct Session {
    config: Config,
    start: Mark,
    start_ticks: i64,
    calibration: Calibration,
    /// The program's parallel runtimes and their versions.
    runtimes: Vec<(Runtime, String)>,
    /// What the start took.
    start_nanos: i64,
    output: Option<std::path::PathBuf>,
}

fn lock() -> MutexGuard<'static, Option<Session>> {
    SESSION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Is a session under way?
#[inline(always)]
pub fn active() -> bool {
    stop::mode() == stop::ON
}

/// The number of the present session, or of the last. For bookkeeping, which begins after the session's start.
#[inline]
pub(crate) fn generation() -> u64 {
    STARTED.load(Ordering::Relaxed)
}

/// The number of cores that the program is to be told of in pools of default size; `None`: the real one.
pub fn assumed_cores() -> Option<usize> {
    Some(ASSUMED_CORES.load(Ordering::Relaxed)).filter(|n| *n > 0 && chooses_sizes())
}

/// The number of threads that pools of default size are to have; `None`: the runtime's default.
pub fn default_threads() -> Option<usize> {
    Some(THREADS.load(Ordering::Relaxed)).filter(|n| *n > 0 && chooses_sizes())
}

fn chooses_sizes() -> bool {
    matches!(mode::mode(), Mode::Profile | Mode::Idle)
}

/// Chooses what [`assumed_cores`] and [`default_threads`] answer without a session; 0: nothing.
pub(crate) fn choose_sizes(assumed_cores: usize, threads: usize) {
    ASSUMED_CORES.store(assumed_cores, Ordering::Relaxed);
    THREADS.store(threads, Ordering::Relaxed);
}

/// Tells the engine of a pool of `threads` threads. If it is of default size, no fewer cores can be assumed: the
/// program may index by thread.
pub fn note_pool(threads: usize, is_default: bool) {
    POOL_THREADS.fetch_max(threads, Ordering::Relaxed);
    LARGEST_POOL.fetch_max(threads, Ordering::Relaxed);
    if is_default && ASSUMED_CORES.load(Ordering::Relaxed) > 0 {
        ASSUMED_CORES.fetch_max(threads, Ordering::Relaxed);
    }
}

/// Threads of the largest pool: as many tasks that wait for one another are enough to hang it, however many other pools there are.
static LARGEST_POOL: AtomicUsize = AtomicUsize::new(0);

/// Threads of the pools that there are now.
static LIVE_THREADS: AtomicUsize = AtomicUsize::new(0);

/// As [`note_pool`], of a pool that is there beside others until [`end_pool`]: what counts is how many threads there are at once.
pub fn begin_pool(threads: usize, is_default: bool) {
    let live = LIVE_THREADS.fetch_add(threads, Ordering::Relaxed) + threads;
    POOL_THREADS.fetch_max(live, Ordering::Relaxed);
    note_pool(threads, is_default);
}

/// A pool of `threads` threads is dropped.
pub fn end_pool(threads: usize) {
    LIVE_THREADS.fetch_sub(threads, Ordering::Relaxed);
}

/// Remembers that the program uses `runtime`.
pub fn note_runtime(runtime: Runtime, version: &str) {
    if !is_ours() {
        return;
    }
    let mut guard = lock();
    let Some(session) = guard.as_mut() else {
        return;
    };
    let known = session
        .runtimes
        .iter_mut()
        .find(|(known, _)| *known == runtime);
    match known {
        Some((_, known)) if known.is_empty() => version.clone_into(known),
        Some(_) => {}
        None => session.runtimes.push((runtime, version.to_owned())),
    }
}

pub(crate) fn largest_pool() -> usize {
    LARGEST_POOL.load(Ordering::Relaxed)
}

/// Starts a session with the calling thread as the root. [`finish`] ends it.
///
/// # Panics
/// If a session is under way.
pub fn start(config: Config) {
    start_with_output(config, None);
}

fn start_with_output(mut config: Config, output: Option<std::path::PathBuf>) {
    assert!(!active(), "one session at a time");
    STARTED.fetch_add(1, Ordering::Relaxed);
    match config.clock {
        Clock::Counter => own_counter::choose(&config.metric),
        _ => own_counter::forget(),
    }
    clock::choose(config.clock);
    tree::lock().clear();
    thread::for_each(|thread, _| thread.clear());
    DETACHED.take();
    user_thread::forget();
    DETACHED_RUNNING.store(0, Ordering::Relaxed);
    ESCAPED.store(0, Ordering::Relaxed);
    // Not known yet. A virtual clock has none, and so no processor time before a thread's first call.
    TICKS_PER_NANO.store(0, Ordering::Relaxed);
    ASSUMED_CORES.store(config.assumed_cores, Ordering::Relaxed);
    THREADS.store(config.threads, Ordering::Relaxed);
    POOL_THREADS.store(0, Ordering::Relaxed);
    LARGEST_POOL.store(0, Ordering::Relaxed);
    runtime::forget();
    if config.clock == Clock::Emulated {
        config.grain = 0;
        emulated::prepare();
    }
    let start = Mark::now();
    config.recording = (config.recording.take())
        .filter(|recording| record::begin(recording, start, &config.metric));
    let record_grain = config.recording.as_ref().map(|recording| recording.grain);
    if record_grain == Some(0) {
        config.grain = 0;
    }
    change_settings(|settings| {
        *settings = Settings {
            clock: config.clock,
            instances: config.instances,
            record_grain,
            ..Settings::NONE
        };
        if let (
            Clock::Virtual,
            Burden::Cycles(ticks) | Burden::Nanos(ticks) | Burden::Ticks(ticks),
        ) = (config.clock, config.burden)
        {
            settings.burden = ticks;
            settings.grain = config.grain;
        }
    });
    note_process();
    let begin = clock::monotonic_nanos();
    sampler::start(config.sample_rate, config.clock);
    let clock_of_session = config.clock;
    *lock() = Some(Session {
        config,
        start,
        start_ticks: clock::now(),
        calibration: Calibration::default(),
        runtimes: Vec::new(),
        start_nanos: 0,
        output,
    });
    if clock_of_session == Clock::Emulated {
        // No rate has to be waited for.
        settle_rate();
    }
    stop::turn_on(clock_of_session == Clock::Emulated);
    let root = Box::into_raw(Box::new(Frame::at(0, 0, 0, tree::ROOT, Chain::default())));
    ROOT_FRAME.store(root, Ordering::Relaxed);
    thread::with(|thread| thread.begin_root(root));
    if let Some(session) = lock().as_mut() {
        session.start_nanos = clock::monotonic_nanos() - begin;
    }
}

/// Learns the clock's rate, which wants a millisecond since the start, and what depends on it.
pub(crate) fn settle_rate() {
    let mut guard = lock();
    let Some(session) = guard.as_mut() else {
        return;
    };
    if session.config.clock == Clock::Virtual {
        return;
    }
    let per_nano = session.start.ticks_per_second() / 1e9;
    TICKS_PER_NANO.store(per_nano.to_bits(), Ordering::Relaxed);
    let check_after = match session.config.clock {
        // Never: but `processor` multiplies it.
        Clock::Thread => i64::MAX / 1_000_000,
        // Nor is there anything to take off.
        clock if clock.counts() => i64::MAX,
        _ => (crate::processor::CHECK_AFTER_NANOS * per_nano) as i64,
    };
    let burden = match session.config.burden {
        Burden::Cycles(cycles) if session.config.clock.counts() => cycles,
        // On a clock of nanoseconds, cycles are taken at a nominal rate of 2.5 GHz.
        Burden::Cycles(cycles) if session.config.clock != Clock::Tsc => {
            (cycles as f64 / 2.5) as i64
        }
        Burden::Cycles(cycles) => cycles,
        Burden::Nanos(nanos) => (nanos as f64 * per_nano) as i64,
        Burden::Ticks(ticks) => ticks,
    };
    let ticks = |nanos: i64| (nanos as f64 * per_nano) as i64;
    let grain = ticks(session.config.grain);
    let recording = session.config.recording.as_ref();
    // Any but 0 stays another.
    let record_grain = recording.map(|recording| match recording.grain {
        0 => 0,
        grain => ticks(grain).max(1),
    });
    change_settings(|settings| {
        *settings = Settings {
            check_after,
            burden,
            grain,
            record_grain: settings.record_grain.and(record_grain),
            record_every: ticks(1_000_000_000),
            ..*settings
        }
    });
}

/// As [`settle_rate`], but does nothing if that would have to wait.
pub(crate) fn settle_rate_if_old() {
    let start = lock().as_ref().map(|session| session.start);
    if start.is_some_and(Mark::is_old) {
        settle_rate();
    }
}

/// As [`settle_rate`], but does nothing if the rate is known.
pub(crate) fn settle_rate_once() {
    if TICKS_PER_NANO.load(Ordering::Relaxed) == 0 {
        settle_rate();
    }
}

/// Adds to what the start took, in nanoseconds.
pub(crate) fn add_start(nanos: i64) {
    if let Some(session) = lock().as_mut() {
        session.start_nanos += nanos;
    }
}

/// Sets what the entry and the exit of a function cost, from which the pair's cost is known.
pub(crate) fn set_function_cost(pair: f64) {
    change_settings(|settings| settings.function_cost = (pair / 2.0) as i64);
}

/// Sets what is taken off at the events of other runtimes; measuring that took so many nanoseconds.
pub(crate) fn set_event_costs(costs: Costs, nanos: i64) {
    change_settings(|settings| settings.event_costs = Some(costs));
    add_start(nanos);
}

/// Lets no thread record any more.
pub(crate) fn record_no_more() {
    change_settings(|settings| settings.record_grain = None);
}

/// Lets all threads fold what is of less than twice the work as before. A record of everything stays that.
pub(crate) fn record_coarser() {
    change_settings(|settings| {
        settings.record_grain = settings.record_grain.map(|grain| grain.saturating_mul(2));
    });
}

pub(crate) fn set_calibration(calibration: Calibration) {
    let boundary_cost = calibration.boundary.round() as i64;
    let spawn_cost = calibration.spawn_boundary.round() as i64;
    let unread_cost = calibration.unread_boundary as i64;
    let strand = (calibration.join as i64 / 3).max(1);
    change_settings(|settings| {
        *settings = Settings {
            boundary_cost,
            ordinary_cost: calibration.ordinary_boundary.round() as i64,
            spawn_cost,
            unread_cost,
            crossing_cost: calibration.crossing as i64,
            strand,
            unsure: if settings.grain > 0 {
                3 * boundary_cost
            } else {
                0
            },
            ..*settings
        }
    });
    if let Some(session) = lock().as_mut() {
        session.calibration = calibration;
    }
}

/// Ends the session and gives back the raw profile: what `workspan-format` reads. `None` if none is under way.
pub fn finish() -> Option<String> {
    finish_as(Ending::Exit).map(|(text, _)| text)
}

/// Ends the session, for the reason given.
pub(crate) fn finish_as(ending: Ending) -> Option<(String, Option<std::path::PathBuf>)> {
    // A child of a fork has its parent's session, which is not its to end.
    if !is_ours() {
        return None;
    }
    let cut = Cut::here();
    match stop::stop(others_busy) {
        Stop::Stopped => {}
        Stop::Off => return None,
        Stop::Stuck => {
            message::say(format_args!(
                "there is no profile: a thread has been writing its part of the task dag for {} s, to a disk that does not answer, \
                 or is held by a debugger",
                stop::PATIENCE.as_secs()
            ));
            tell_that_nothing_is_written();
            return None;
        }
    }
    let session = lock().take()?;
    sampler::stop();
    let text = tell(&session, &cut, ending);
    thread::for_each(|thread, _| {
        thread.end_root();
    });
    stop::turn_off();
    // The root's frame stays, and stays reachable: a thread that was stopped inside a construct may still point at it.
    Some((text, session.output))
}

/// Where a profile ends: the moment, and whether the calling thread ran a strand, which ends there.
pub(crate) struct Cut {
    ticks: i64,
    nanos: i64,
    was_running: bool,
}

impl Cut {
    pub(crate) fn here() -> Self {
        let ticks = clock::now();
        let nanos = clock::monotonic_nanos();
        settle_rate_once();
        let was_running = thread::with(|thread| {
            thread.refresh();
            thread.end_strand_if_any(clock::now() - ticks)
        });
        Self {
            ticks,
            nanos,
            was_running: was_running == Some(true),
        }
    }

    /// How many ticks of the running strand of `thread` came after it: until the world was stopped, and since.
    fn since(&self, thread: &thread::Thread) -> i64 {
        let now = clock::now();
        now - self.ticks.clamp(thread.last.get().min(now), now)
    }

    /// Lets the strand go on that ended there. What came in between was the engine's work.
    pub(crate) fn go_on(&self) {
        if self.was_running {
            thread::with(|thread| thread.start_strand_after_wait());
        }
    }
}

/// Is any thread but the calling one in the middle of its bookkeeping?
pub(crate) fn others_busy() -> bool {
    let this = thread::current();
    let mut busy = false;
    thread::for_each(|t, in_use| {
        busy |= in_use && !ptr::eq(t, this) && t.busy.load(Ordering::Acquire);
        busy |= t.samples.taking.load(Ordering::Acquire);
    });
    busy
}

/// Everything that a thread may lock without being in its bookkeeping, held so that a copy of the process finds it free.
pub(crate) struct Held {
    _locks: (
        MutexGuard<'static, Option<Session>>,
        MutexGuard<'static, Settings>,
        sampler::Held,
        thread::AllHeld,
    ),
}

pub(crate) fn hold() -> Held {
    Held {
        _locks: (
            lock(),
            SETTINGS.lock().unwrap_or_else(PoisonError::into_inner),
            // Before the list of threads: who ends all timers takes them in this order.
            sampler::hold(),
            thread::hold_all(),
        ),
    }
}

/// Tells the profile up to `cut` in a copy of the process, which ends then: what is under way is ended for it. The task dag
/// goes to `record`. `None` if there is no session.
pub(crate) fn tell_of_copy(cut: &Cut, record: &Path) -> Option<String> {
    let mut session = lock().take()?;
    if session.config.recording.is_some() {
        if let Err(error) = record::go_on_in(record) {
            let path = record.display();
            message::say(format_args!("the task dag is not kept in {path}: {error}"));
            session.config.recording = None;
        }
    }
    Some(tell(&session, cut, Ending::Not))
}

/// Ends what is under way, and gives back the text of the profile. The world is stopped.
fn tell(session: &Session, cut: &Cut, ending: Ending) -> String {
    let outcome = close_paths(thread::current(), cut);
    if session.config.recording.is_some() {
        record::end(&settings());
    }
    let (began, ended) = match session.config.clock.tells_when() {
        true => (session.start_ticks, cut.ticks),
        false => (session.start.nanos(), cut.nanos),
    };
    let elapsed = ended - began;
    raw::write(&raw::Profile {
        metric: &session.config.metric,
        clock: session.config.clock,
        clock_note: session
            .config
            .clock_note
            .as_deref()
            .or(own_counter::limit()),
        metric_problem: own_counter::problem(),
        ticks_per_second: session.start.ticks_per_second(),
        elapsed,
        threads: POOL_THREADS.load(Ordering::Relaxed),
        assumed_cores: ASSUMED_CORES.load(Ordering::Relaxed),
        burden: settings().burden,
        grain: session.config.grain,
        runtimes: &session.runtimes,
        ending,
        calibration: &session.calibration,
        function_cost: settings().function_cost,
        start_nanos: session.start_nanos,
        began,
        instances: settings().instances,
        end_nanos: cut.nanos,
        outcome,
    })
}

/// Brings every strand that still runs to its end at `cut`, and finds the longest path. The world is stopped.
fn close_paths(this: *const thread::Thread, cut: &Cut) -> Outcome {
    let root = ROOT_FRAME.load(Ordering::Relaxed);
    let is_of_thread = clock::chosen().is_of_thread();
    let mut unfinished = DETACHED_RUNNING.load(Ordering::Relaxed).max(0) as u64;
    let mut leaves = vec![root];
    let mut branches = 0;
    let mut running = Vec::new();
    thread::for_each(|thread, in_use| {
        let frame = thread.frame.load(Ordering::Relaxed);
        if !in_use || frame.is_null() {
            return;
        }
        // What other threads run at the end is not known to their own clocks.
        if thread.running.load(Ordering::Relaxed) && (!is_of_thread || ptr::eq(thread, this)) {
            thread.end_strand(cut.since(thread));
            running.push(thread);
        } else if cut.was_running && ptr::eq(thread, this) {
            running.push(thread);
        }
        // What a strand that ends in a stretch leaves may stand on top.
        let frame = thread.present();
        if frame != root {
            leaves.push(frame);
        }
        if serial::branch_of(frame) != root {
            branches += 1;
            unfinished = unfinished.max(branches);
        }
    });
    user_thread::offer_ended();
    thread::for_each(|thread, _| thread.leave_tasks_to_end());
    let (detached, mut burdened, mut open) = DETACHED.take();
    let mut depth = i64::MIN;
    let mut chain = Chain::default();
    let mut consider = |frame: &mut Frame, tops: &[(u32, i64)]| {
        burdened = burdened.max(frame.burdened());
        open = open.max(frame.open.get());
        if frame.depth > depth {
            depth = frame.depth;
            for (node, work) in tops {
                frame.add_top(*node, *work);
            }
            // SAFETY: the world is stopped, so nobody writes this frame or its parents.
            chain = unsafe { frame.freeze() };
        }
    };
    for leaf in leaves {
        // SAFETY: a thread's present frame is alive, and the world is stopped.
        consider(unsafe { &mut *leaf }, &serial::open_tops(leaf));
    }
    if let Some(mut frame) = detached {
        let ended = frame.ended();
        let top = (frame.node, ended.top_work);
        let tops = if ended.top_count != 0 {
            &[top][..]
        } else {
            &[]
        };
        consider(&mut frame, tops);
    }
    running.into_iter().for_each(serial::end_all);
    Outcome {
        span: depth,
        burdened_span: burdened,
        open: open + ESCAPED.load(Ordering::Relaxed),
        path: chain,
        unfinished,
    }
}

#[inline(always)]
pub(crate) fn epoch() -> u64 {
    EPOCH.load(Ordering::Relaxed)
}

/// Makes every thread forget the edges of the call tree that it keeps.
pub(crate) fn next_epoch() {
    EPOCH.fetch_add(1, Ordering::Relaxed);
}

/// Remembers which process is measured.
pub(crate) fn note_process() {
    PROCESS.store(std::process::id(), Ordering::Relaxed);
}

/// The process that is measured.
pub(crate) fn process() -> u32 {
    PROCESS.load(Ordering::Relaxed)
}

/// Is this the process that the session belongs to, and not a child of a fork? May be asked in a signal handler.
pub fn is_ours() -> bool {
    process() == std::process::id()
}

pub(crate) fn nanos_to_ticks(nanos: i64) -> i64 {
    (nanos as f64 * f64::from_bits(TICKS_PER_NANO.load(Ordering::Relaxed))) as i64
}

/// Ticks since the session started; 0 of a clock that goes on only where a thread runs.
pub(crate) fn elapsed() -> i64 {
    match clock::chosen() {
        Clock::Virtual | Clock::Emulated | Clock::Counter => 0,
        // Nanoseconds, as this clock's.
        Clock::Thread => lock().as_ref().map_or(0, |s| s.start.nanos_since()),
        _ => lock().as_ref().map_or(0, |s| clock::now() - s.start_ticks),
    }
}

/// Lets every path be open by `ticks` more.
pub(crate) fn open_everywhere(ticks: i64) {
    ESCAPED.fetch_add(ticks, Ordering::Relaxed);
}

pub(crate) fn begin_detached() {
    DETACHED_RUNNING.fetch_add(1, Ordering::Relaxed);
}

pub(crate) fn end_detached(frame: Frame) {
    DETACHED_RUNNING.fetch_sub(1, Ordering::Relaxed);
    offer_to_end(frame);
}

/// Lets the end of the program await the path of `frame`.
pub(crate) fn offer_to_end(frame: Frame) {
    DETACHED.offer(frame);
}

/// Lengths in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The work of the whole program so far.
    pub work: i64,
    /// The longest path to the calling strand.
    pub span: i64,
    /// The same with the burden on every stealable edge.
    pub burdened_span: i64,
}

/// The name of what the session measures, as the user gave it; `None` with the engine off.
pub fn metric() -> Option<String> {
    if !active() {
        return None;
    }
    Some(lock().as_ref()?.config.metric.name.clone())
}

/// What has been measured up to the calling strand; `None` with the engine off, and where nothing of the program runs.
pub fn totals() -> Option<Totals> {
    if !active() {
        return None;
    }
    settle_rate_once();
    thread::with(|this| {
        if !this.is_running() {
            return None;
        }
        this.end_ordinary_strand();
        let mut work = 0;
        let nodes = tree::lock().nodes.len();
        thread::for_each(|thread, _| {
            thread
                .table
                .for_each(nodes, |_, cell| work += cell.local.get());
        });
        // SAFETY: the present frame of this thread.
        let frame = unsafe { &*this.present() };
        let per_nano = match clock::chosen() {
            Clock::Virtual => 1.0,
            _ => f64::from_bits(TICKS_PER_NANO.load(Ordering::Relaxed)),
        };
        let nanos = |ticks: i64| (ticks as f64 / per_nano) as i64;
        let totals = Totals {
            work: nanos(work),
            span: nanos(frame.depth),
            burdened_span: nanos(frame.burdened()),
        };
        this.continue_strand();
        this.begin_strand_here();
        Some(totals)
    })
    .flatten()
}

/// The same of a path, if there is one, a burdened length, and an open one.
pub(crate) fn leave_to_end(path: Option<Frame>, burdened: i64, open: i64) {
    DETACHED.offer_lengths(burdened, open);
    if let Some(path) = path {
        DETACHED.offer(path);
    }
}

/// What the crate `workspan` refers to weakly, kept here so that the linker takes it in.
#[used]
static REGIONS: (
    unsafe extern "C" fn(*const u8, usize, *const u8, usize, u32, u32) -> u64,
    extern "C" fn(u64),
) = (region::workspan_region_begin, region::workspan_region_end);

/// Starts the session that the environment asks for, before `main`.
extern "C" fn start_from_environment() {
    message::note_standard_error();
    mode::start_from_environment();
    let Some(output) = std::env::var_os("WORKSPAN_PROFILE") else {
        return;
    };
    let mut metric = metric_of_environment();
    let (clock, clock_note) = choose_clock(&metric);
    if clock == Clock::Emulated {
        metric = Metric::of_name("instructions");
    }
    if clock == Clock::Emulated && !emulated::is_there() {
        message::say(format_args!(
            "there is no profile: WORKSPAN_CLOCK=emulated wants an emulator that counts, which `workspan run --emulate` starts"
        ));
        return;
    }
    let functions = std::env::var_os("WORKSPAN_FUNCTIONS");
    let config = Config {
        metric,
        clock,
        clock_note,
        burden: std::env::var("WORKSPAN_BURDEN")
            .ok()
            .and_then(|v| parse_burden(&v))
            .unwrap_or(DEFAULT_BURDEN),
        assumed_cores: number("WORKSPAN_ASSUME_CORES"),
        threads: number("WORKSPAN_THREADS"),
        grain: match std::env::var("WORKSPAN_TIMING").as_deref() {
            Ok("exact") => 0,
            // What several strands have counted together does not tell how it divides.
            _ if clock == Clock::Counter => 0,
            _ if functions.is_some() => 0,
            _ => DEFAULT_GRAIN,
        },
        instances: std::env::var("WORKSPAN_INSTANCES")
            .ok()
            .and_then(|v| v.parse().ok())
            .unwrap_or(DEFAULT_INSTANCES),
        sample_rate: number("WORKSPAN_SAMPLE_HZ") as u32,
        recording: std::env::var_os("WORKSPAN_RECORD").map(|path| Recording {
            path: path.into(),
            grain: std::env::var("WORKSPAN_GRAIN_NANOS")
                .ok()
                .and_then(|v| v.parse().ok())
                .unwrap_or(DEFAULT_RECORD_GRAIN),
            most_bytes: std::env::var("WORKSPAN_RECORD_BYTES")
                .ok()
                .and_then(|v| v.parse().ok())
                .unwrap_or(Recording::MOST_BYTES),
        }),
    };
    for name in [
        "PROFILE",
        "ASSUME_CORES",
        "THREADS",
        "BURDEN",
        "CLOCK",
        "METRIC",
        "TIMING",
        "FUNCTIONS",
        "INSTANCES",
        "SAMPLE_HZ",
        "RECORD",
        "RECORD_BYTES",
        "GRAIN_NANOS",
    ] {
        // Before `main` there is one thread, so nobody reads the environment at this moment.
        std::env::remove_var(format!("WORKSPAN_{name}"));
    }
    extern "C" {
        fn atexit(handler: extern "C" fn()) -> std::ffi::c_int;
        fn pthread_atfork(
            before: Option<extern "C" fn()>,
            parent: Option<extern "C" fn()>,
            child: Option<extern "C" fn()>,
        ) -> std::ffi::c_int;
    }
    if let Some(file) = functions {
        // SAFETY: before `main` there is one thread.
        unsafe { functions::start(&file) };
    }
    let output = OUTPUT.get_or_init(|| output.into());
    start_with_output(config, Some(output.clone()));
    calibration::calibrate_functions();
    // SAFETY: registers functions that live as long as the program.
    unsafe {
        atexit(finish_at_exit);
        pthread_atfork(None, None, Some(begin_copy));
    }
}

#[cfg(all(target_os = "linux", not(miri)))]
#[used]
#[link_section = ".init_array"]
static AT_START: extern "C" fn() = start_from_environment;

/// In a child of fork(2), which is not measured.
extern "C" fn begin_copy() {
    own_counter::stop();
    stop::turn_off();
}

extern "C" fn finish_at_exit() {
    // A panic here would end the program by SIGABRT after all its own work.
    let finished = panic::catch_unwind(|| finish_and_write(Ending::Exit));
    if finished.is_err() {
        stop::turn_off();
        tell_that_nothing_is_written();
        message::say(format_args!(
            "there is no profile: the engine has failed (please report it)"
        ));
    }
}

/// Ends the session and writes its file. Says on standard error why that failed, if it did.
pub(crate) fn finish_and_write(ending: Ending) {
    // A child of a fork has nothing to write, and a thread that is not there may hold the lock.
    if !is_ours() {
        return;
    }
    // Whoever comes second waits until the file is there: it may be about to end the process.
    static WRITING: Mutex<()> = Mutex::new(());
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let Some((text, Some(path))) = finish_as(ending) else {
        return;
    };
    if let Err(error) = output::write_whole(&path, &text) {
        tell_that_nothing_is_written();
        message::say(format_args!(
            "the profile could not be written to {}: {error}",
            path.display()
        ));
    }
}

/// Tells who waits for the profile that it is not the program's doing that there is none.
fn tell_that_nothing_is_written() {
    if let Some(path) = OUTPUT.get() {
        let _ = std::fs::File::create(path.with_extension("unwritten"));
    }
}

/// Makes the clock that the environment asks for, or the best, the one that is read.
pub(crate) fn choose_clock_of_environment() {
    clock::choose(choose_clock(&Metric::time()).0);
}

/// The number that the variable `name` says, 0 if it says none.
pub(crate) fn number(name: &str) -> usize {
    std::env::var(name)
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(0)
}

fn metric_of_environment() -> Metric {
    let name = std::env::var("WORKSPAN_METRIC");
    name.map_or_else(|_| Metric::time(), |name| Metric::of_name(&name))
}

fn choose_clock(metric: &Metric) -> (Clock, Option<String>) {
    match std::env::var("WORKSPAN_CLOCK").as_deref() {
        Ok("virtual") => (Clock::Virtual, Some("asked for".into())),
        Ok("emulated") => (Clock::Emulated, None),
        _ if !metric.is_time() => (Clock::Counter, None),
        Ok("monotonic") => (Clock::Monotonic, Some("asked for".into())),
        Ok("thread") => (Clock::Thread, Some("asked for".into())),
        _ => match clock::tsc_unusable() {
            None => (Clock::Tsc, None),
            Some(why) => (Clock::Monotonic, Some(why)),
        },
    }
}

fn parse_burden(text: &str) -> Option<Burden> {
    if let Ok(ticks) = text.parse() {
        return Some(Burden::Ticks(ticks));
    }
    match text.strip_suffix("cycles") {
        Some(cycles) => cycles.parse().ok().map(Burden::Cycles),
        None => text.strip_suffix("ns")?.parse().ok().map(Burden::Nanos),
    }
}
