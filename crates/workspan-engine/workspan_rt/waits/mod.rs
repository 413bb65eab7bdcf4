//! What strands of the program wait for: futexes, through which all locks, channels and parked
//! threads of the standard library wait; sleep; input, output and child processes.
//!
//! A wait is noted only where a running strand really calls the kernel ([`calls`]), which takes
//! microseconds: what is not contended makes no call. Waits of the engine, and of a runtime's
//! workers between tasks, are in no running strand.
//!
//! All is kept in tables of a fixed size, so that nothing is allocated or locked: the caller may be
//! an allocator. What finds no room is counted. Each entry belongs to whoever sets its key first;
//! its figures are sums, to which any thread adds. So relaxed atomics suffice, but for the stack of
//! a place, whose length is written last.
//!
//! The places where the program restricts its threads to some processors are kept among them.

// Where the engine can interpose functions of the C library, as in `constructs/user_thread`.
#[cfg_attr(
    not(all(
        target_os = "linux",
        target_env = "gnu",
        any(target_arch = "x86_64", target_arch = "aarch64"),
        target_pointer_width = "64",
        not(target_feature = "crt-static"),
        not(miri),
        not(workspan_sanitizer)
    )),
    path = "unseen.rs"
)]
mod calls;
mod intervals;

use crate::thread::{self, Thread};
use crate::{clock, stack};
use intervals::Intervals;
use std::fmt::Write as _;
use std::ptr;
use std::sync::atomic::{
    AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering,
};

static QUEUES: [Queue; 512] = [const { Queue::new() }; 512];
static PLACES: [Place; 1024] = [const { Place::new() }; 1024];

/// Waits, calls that end some, and calls that restrict threads, for which there was no room.
static LOST: AtomicU64 = AtomicU64::new(0);

/// How often the tables were cleared.
static CLEARED: AtomicU64 = AtomicU64::new(0);

/// The thread of the program that ended the last wait of the root; null if another one did, or if it
/// has waited since.
static WOKE_ROOT: AtomicPtr<Thread> = AtomicPtr::new(ptr::null_mut());

/// Stand for the address at which a thread waits that sleeps, or that waits for another thread's
/// end, for a call that it has handed to the runtime, for input or output, or for a child process;
/// and for that of calls which restrict threads. No futex has them: they are aligned.
const SLEEP: u64 = 1;
const THREAD: u64 = 3;
const CALL: u64 = 5;
const OUTSIDE: u64 = 7;
const CHILD: u64 = 9;
const RESTRICTION: u64 = 11;

/// An address at which threads wait.
struct Queue {
    /// 0: the entry is free.
    address: AtomicU64,
    waiting: AtomicI64,
    /// Whether the root is among those that wait.
    has_root: AtomicBool,
    /// When at least one thread waited.
    any: Intervals,
    /// When one waited and none was woken since: if it is for a lock, somebody held it. A woken
    /// thread still has to get a processor, while the lock may be free.
    unwoken: Intervals,
}

impl Queue {
    const fn new() -> Self {
        Self {
            address: AtomicU64::new(0),
            waiting: AtomicI64::new(0),
            has_root: AtomicBool::new(false),
            any: Intervals::new(),
            unwoken: Intervals::new(),
        }
    }
}

/// Where in the program threads wait, or end others' waits.
struct Place {
    /// Tells it from all others; 0: the entry is free.
    key: AtomicU64,
    address: AtomicU64,
    wakes: AtomicBool,
    node: AtomicU32,
    count: AtomicU64,
    /// How long its threads have waited, and of those that still wait the sum of when they began.
    nanos: AtomicI64,
    waiting: AtomicI64,
    began: AtomicI64,
    /// A [copy](stack::copy) of the stack, and how many words of it are written.
    stack: [AtomicU64; stack::LONGEST],
    length: AtomicUsize,
}

impl Place {
    const fn new() -> Self {
        Self {
            key: AtomicU64::new(0),
            address: AtomicU64::new(0),
            wakes: AtomicBool::new(false),
            node: AtomicU32::new(0),
            count: AtomicU64::new(0),
            nanos: AtomicI64::new(0),
            waiting: AtomicI64::new(0),
            began: AtomicI64::new(0),
            stack: [const { AtomicU64::new(0) }; stack::LONGEST],
            length: AtomicUsize::new(0),
        }
    }

    /// The place on the stack of the calling thread, whose data is `thread`, if that runs a strand
    /// of the program. It is not in its bookkeeping.
    fn here(thread: &Thread, address: u64, wakes: bool) -> Option<&'static Self> {
        if thread.is_aside.get() {
            return None;
        }
        let node = thread.node_of_wait()?;
        let base = thread.base();
        let parts = [stack::known_key(base), address, node.into(), wakes.into()];
        let key = parts.into_iter().fold(0, |key, part| hash(key ^ part)) | 1;
        let place = entry(&PLACES, key, |place| &place.key)?;
        if place.address.swap(address, Ordering::Relaxed) == 0 {
            place.node.store(node, Ordering::Relaxed);
            place.wakes.store(wakes, Ordering::Relaxed);
            let length = stack::copy_here(base, &place.stack);
            // Release: whoever sees the length sees what was written before.
            place.length.store(length, Ordering::Release);
        }
        Some(place)
    }
}

/// The entry of a table with this key, which it gets if there is none yet; `None` if there is no
/// room.
fn entry<T>(table: &'static [T], key: u64, key_of: fn(&T) -> &AtomicU64) -> Option<&'static T> {
    let found = entries(table, key).find(|entry| {
        let present = key_of(entry).load(Ordering::Relaxed);
        present == key
            || present == 0
                && key_of(entry)
                    .compare_exchange(0, key, Ordering::Relaxed, Ordering::Relaxed)
                    .map_or_else(|found| found == key, |_| true)
    });
    if found.is_none() {
        LOST.fetch_add(1, Ordering::Relaxed);
    }
    found
}

/// At most so many entries are looked at for a key.
const PROBES: usize = 16;

/// The entries of a table in the order in which a key is looked for.
fn entries<T>(table: &'static [T], key: u64) -> impl Iterator<Item = &'static T> {
    let (before, from) = table.split_at(hash(key) as usize % table.len());
    from.iter().chain(before).take(PROBES)
}

fn hash(word: u64) -> u64 {
    (word ^ word >> 32)
        .wrapping_mul(0x517C_C1B7_2722_0A95)
        .rotate_left(23)
}

/// A wait under way.
struct Wait {
    queue: &'static Queue,
    place: &'static Place,
    began: i64,
    cleared: u64,
    is_of_strand: bool,
}

/// What ends a wait, whatever else may.
#[derive(Clone, Copy, PartialEq)]
enum Until {
    /// Only another thread.
    Woken,
    /// A moment.
    Moment,
}

impl Wait {
    /// The calling thread is about to wait at `address`; `None` if it neither runs a strand of the
    /// program nor waits for a call of it.
    fn begin(address: u64, until: Until) -> Option<Self> {
        // SAFETY: null, or the calling thread's data, which are never freed.
        let this = unsafe { thread::current().as_ref() }?;
        let is_of_strand = this.is_running();
        let address = match is_of_strand {
            false if address != THREAD => CALL,
            _ => address,
        };
        let place = note(this, address, false)?;
        let queue = entry(&QUEUES, address, |queue| &queue.address)?;
        if is_of_strand && this.is_root() {
            WOKE_ROOT.store(ptr::null_mut(), Ordering::Relaxed);
            queue.has_root.store(true, Ordering::Relaxed);
        } else if is_of_strand && ptr::eq(WOKE_ROOT.load(Ordering::Relaxed), this) {
            // It is not about to end.
            WOKE_ROOT.store(ptr::null_mut(), Ordering::Relaxed);
        }
        let cleared = CLEARED.load(Ordering::Relaxed);
        let began = clock::monotonic_nanos();
        place.waiting.fetch_add(1, Ordering::Relaxed);
        place.began.fetch_add(began, Ordering::Relaxed);
        if queue.waiting.fetch_add(1, Ordering::Relaxed) == 0 {
            queue.any.begin(began);
        }
        queue.unwoken.begin(began);
        this.waits.store(true, Ordering::Relaxed);
        if until == Until::Woken {
            this.waits_since.store(began, Ordering::Relaxed);
        }
        Some(Self {
            queue,
            place,
            began,
            cleared,
            is_of_strand,
        })
    }

    /// The thread goes on; `how` it came to that.
    fn end(self, how: End) {
        let Self {
            queue,
            place,
            began,
            cleared,
            is_of_strand,
        } = self;
        // SAFETY: null, or the calling thread's data, which are never freed.
        let this = unsafe { thread::current().as_ref() };
        if let Some(this) = this {
            this.waits_since.store(0, Ordering::Relaxed);
            this.waits.store(false, Ordering::Relaxed);
        }
        if cleared != CLEARED.load(Ordering::Relaxed) {
            return;
        }
        if is_of_strand && this.is_some_and(Thread::is_root) {
            queue.has_root.store(false, Ordering::Relaxed);
        }
        let now = clock::monotonic_nanos();
        match how {
            End::Woken => {}
            End::NoWait => queue.unwoken.forget(began),
            End::Other => queue.unwoken.end(now),
        }
        if queue.waiting.fetch_sub(1, Ordering::Relaxed) == 1 {
            queue.any.end(now);
            // Whoever woke the last ones may have done so before one of them began to wait.
            queue.unwoken.end(now);
        }
        place.waiting.fetch_sub(1, Ordering::Relaxed);
        place.began.fetch_sub(began, Ordering::Relaxed);
        if how != End::NoWait {
            place.count.fetch_add(1, Ordering::Relaxed);
            place.nanos.fetch_add(now - began, Ordering::Relaxed);
        }
    }
}

/// How a wait ended.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// Another thread ended it.
    Woken,
    /// There was nothing to wait for.
    NoWait,
    /// Its time was over, or a signal came.
    Other,
}

/// The calling thread is about to wake those that wait at `address`, if any do.
fn wake(address: u64) {
    let queue = entries(&QUEUES, address)
        .map(|queue| (queue, queue.address.load(Ordering::Relaxed)))
        .find(|(_, found)| [0, address].contains(found));
    let Some((queue, _)) = queue
        .filter(|(queue, found)| *found == address && queue.waiting.load(Ordering::Relaxed) > 0)
    else {
        return;
    };
    queue.unwoken.end(clock::monotonic_nanos());
    if queue.has_root.load(Ordering::Relaxed) {
        let this = thread::current();
        // SAFETY: null, or the calling thread's data, which are never freed.
        let is_of_program = unsafe { this.as_ref() }.is_some_and(|this| this.is_user_thread.get());
        let waker = if is_of_program { this } else { ptr::null() };
        WOKE_ROOT.store(waker.cast_mut(), Ordering::Relaxed);
    }
    // SAFETY: null, or the calling thread's data, which are never freed.
    let this = unsafe { thread::current().as_ref() };
    if let Some(place) = this.and_then(|this| note(this, address, true)) {
        place.count.fetch_add(1, Ordering::Relaxed);
    }
}

/// Lets the calling thread wait by `join` for the end of another one.
pub(crate) fn for_thread<R>(join: impl FnOnce() -> R) -> R {
    // SAFETY: null, or the calling thread's data, which are never freed.
    let this = unsafe { thread::current().as_ref() };
    let before = this.map(|this| this.calling.replace(this.present()));
    let wait = Wait::begin(THREAD, Until::Woken);
    let result = join();
    if let Some(wait) = wait {
        wait.end(End::Woken);
    }
    if let (Some(this), Some(before)) = (this, before) {
        this.calling.set(before);
    }
    result
}

/// The strand of `thread`, the calling one, has waited at `address` for so long until now.
fn note_past(thread: &Thread, address: u64, nanos: i64) {
    let place = (nanos > 0).then(|| note(thread, address, false)).flatten();
    let queue = place.and_then(|_| entry(&QUEUES, address, |queue| &queue.address));
    if let (Some(place), Some(queue)) = (place, queue) {
        let now = clock::monotonic_nanos();
        queue.any.add(now - nanos, now);
        place.count.fetch_add(1, Ordering::Relaxed);
        place.nanos.fetch_add(nanos, Ordering::Relaxed);
    }
}

/// The calling thread has restricted one to fewer processors.
fn note_restriction() {
    // SAFETY: null, or the calling thread's data, which are never freed.
    let this = unsafe { thread::current().as_ref() };
    if let Some(place) = this.and_then(|this| note(this, RESTRICTION, false)) {
        place.count.fetch_add(1, Ordering::Relaxed);
    }
}

/// The place at which `thread`, the calling one, waits, wakes or restricts; `None` if it neither runs
/// a strand of the program nor waits for a call of it, or if it is no address.
fn note(thread: &Thread, address: u64, wakes: bool) -> Option<&'static Place> {
    if address == 0 || !clock::chosen().is_real_time() {
        return None;
    }
    // Most of a program's waits are those of workers without a task, which have nothing to note.
    if !thread.is_running() && !thread.is_calling() {
        return None;
    }
    let mut place = None;
    thread::guarded_if_free(thread, |thread| place = Place::here(thread, address, wakes));
    place
}

/// The thread of the program that ended the last wait of the root and has not waited since, once
/// for each such wait.
pub(crate) fn take_waker_of_root() -> Option<&'static Thread> {
    // SAFETY: null, or a thread's data, which are never freed.
    unsafe { WOKE_ROOT.swap(ptr::null_mut(), Ordering::Relaxed).as_ref() }
}

/// Forgets everything, for a new session, and prepares for it.
pub(crate) fn forget() {
    calls::prepare();
    CLEARED.fetch_add(1, Ordering::Relaxed);
    LOST.store(0, Ordering::Relaxed);
    WOKE_ROOT.store(ptr::null_mut(), Ordering::Relaxed);
    for queue in QUEUES.iter().filter(|queue| is_used(&queue.address)) {
        queue.address.store(0, Ordering::Relaxed);
        queue.waiting.store(0, Ordering::Relaxed);
        queue.has_root.store(false, Ordering::Relaxed);
        queue.any.clear();
        queue.unwoken.clear();
    }
    for place in PLACES.iter().filter(|place| is_used(&place.key)) {
        for word in [&place.key, &place.address, &place.count] {
            word.store(0, Ordering::Relaxed);
        }
        for figure in [&place.nanos, &place.waiting, &place.began] {
            figure.store(0, Ordering::Relaxed);
        }
        place.length.store(0, Ordering::Relaxed);
    }
}

fn is_used(key: &AtomicU64) -> bool {
    key.load(Ordering::Relaxed) != 0
}

/// Writes what was noted up to `now`, the end of a session of `elapsed` nanoseconds. Threads may begin
/// and end waits meanwhile.
pub(crate) fn write(text: &mut String, now: i64, elapsed: i64) {
    let lost = LOST.load(Ordering::Relaxed);
    let _ = writeln!(text, "engine waits_lost {lost}");
    let mut number = 0;
    for queue in QUEUES.iter().filter(|queue| is_used(&queue.address)) {
        let address = queue.address.load(Ordering::Relaxed);
        let mut places = String::new();
        let of_queue = |place: &&Place| place.address.load(Ordering::Relaxed) == address;
        for place in PLACES.iter().filter(of_queue) {
            place.write(&mut places, Some(number), now, elapsed);
        }
        if !places.is_empty() {
            let kind = match address {
                SLEEP => "sleep",
                THREAD => "thread",
                CALL => "call",
                OUTSIDE => "outside",
                CHILD => "child",
                _ => "futex",
            };
            let any = queue.any.sum(now);
            let unwoken = queue.unwoken.sum(now).min(any);
            let _ = write!(text, "queue {number} {kind} {any} {unwoken}\n{places}");
            number += 1;
        }
    }
    let restricts = |place: &&Place| place.address.load(Ordering::Relaxed) == RESTRICTION;
    for place in PLACES.iter().filter(restricts) {
        place.write(text, None, now, elapsed);
    }
}

impl Place {
    fn write(&self, text: &mut String, queue: Option<usize>, now: i64, elapsed: i64) {
        let length = self.length.load(Ordering::Acquire);
        let waiting = self.waiting.load(Ordering::Relaxed).max(0);
        let under_way = waiting * now - self.began.load(Ordering::Relaxed);
        // Another length is that of a wait that began or ended between the two readings.
        let is_possible = (0..=waiting * elapsed).contains(&under_way);
        let under_way = if is_possible { under_way } else { 0 };
        let nanos = self.nanos.load(Ordering::Relaxed) + under_way;
        let count = self.count.load(Ordering::Relaxed) + waiting as u64;
        if length == 0 || count == 0 {
            return;
        }
        let words = self.stack[..length].iter();
        let copy: Vec<u64> = words.map(|word| word.load(Ordering::Relaxed)).collect();
        let node = self.node.load(Ordering::Relaxed);
        let stack = stack::text(&copy);
        let _ = match queue {
            None => writeln!(text, "restriction {node} {count} {stack}"),
            Some(queue) if self.wakes.load(Ordering::Relaxed) => {
                writeln!(text, "wake {queue} {node} {count} {stack}")
            }
            Some(queue) => writeln!(
                text,
                "wait {queue} {node} {count} {nanos} {waiting} {under_way} {stack}"
            ),
        };
    }
}
