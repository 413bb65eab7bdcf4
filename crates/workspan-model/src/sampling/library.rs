//! What sampled stacks show below the user's code: acquiring locks, freeing memory, filling
//! collections, joining results.

use std::collections::BTreeMap;

use crate::run::samples::{SampleWeight, programs_frame};
use crate::run::waits::is_of_channel;
use crate::{
    FrameId, LineUse, Location, NodeId, OutsideStack, Profile, SampleShare, SampleSize,
    SampledStack, Samples, StackFrame,
};

/// A lock that samples found threads at.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledLock {
    /// The user's line that acquires it.
    pub location: Option<Location>,
    /// The user's function that acquires it.
    pub function: Option<String>,
    /// Whether it is the allocator's, called from there.
    pub is_allocators: bool,
    /// The share of all samples that were taken while a thread acquired it; a thread that sleeps
    /// is not sampled, so it waits for at least that share.
    pub share: f64,
}

/// Where threads ran most while they had no strand.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledOutside {
    /// The user's line; `None` if the runtime ran by itself.
    pub location: Option<Location>,
    /// The user's function there.
    pub function: Option<String>,
    /// What it called.
    pub called: Option<String>,
    /// Its share of the processor time without a strand.
    pub share: SampleShare,
    /// The part of that time in which threads ran the program's own code, and did not wait in a
    /// call.
    pub own_code: SampleShare,
}

/// What atomic instructions are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AtomicsPurpose {
    /// The program's own.
    Own,
    /// A lock, which is acquired or released.
    Lock,
    /// A channel, which messages are sent through or taken from.
    Channel,
}

/// A function of the user in which samples found much of the work at atomic instructions, or
/// spinning.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledAtomics {
    /// The line with most of them.
    pub location: Option<Location>,
    /// The function.
    pub function: Option<String>,
    /// What they are for.
    pub purpose: AtomicsPurpose,
    /// The share of the samples of the work at atomic instructions of the function, or spinning there.
    pub share: f64,
    /// The part of it that spins: it waits in a loop for another thread.
    pub spinning: f64,
    /// Whether different threads write the same cache line there, and the same word of it, where
    /// samples show it.
    pub line: LineUse,
}

/// A function of the user whose samples at atomic instructions leave open whether it is much of the
/// work, and whose cache lines they write: they are few, or threads hardly ran at the same time.
#[derive(Clone, Debug, PartialEq)]
pub struct FewAtomics {
    /// The line with most of them.
    pub location: Option<Location>,
    /// The function.
    pub function: Option<String>,
    /// What they are for.
    pub purpose: AtomicsPurpose,
    /// The samples there, and all of the work.
    pub samples: [u64; 2],
    /// Whether threads ran at the same time, so that more samples show it.
    pub can_meet: bool,
}

impl FewAtomics {
    /// How many times as long a run has enough samples there.
    pub fn times_longer(&self) -> u64 {
        let [there, _] = self.samples;
        (ENOUGH_AT_ATOMICS as u64 / there.max(1)).max(2)
    }
}

/// Functions that acquire a lock of C, by name. Locks of Rust are known by their waits
/// ([`crate::Waits`]).
const LOCKING: [&str; 14] = [
    "pthread_mutex_lock",
    "__pthread_mutex_lock",
    "___pthread_mutex_lock",
    "pthread_rwlock_rdlock",
    "__pthread_rwlock_rdlock",
    "___pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "__pthread_rwlock_wrlock",
    "___pthread_rwlock_wrlock",
    "pthread_spin_lock",
    "__lll_lock_wait",
    "__lll_lock_wait_private",
    "futex_lock_pi",
    "__pthread_mutex_lock_full",
];

/// Functions of the C library that are called only where another thread holds a lock of C.
const CONTENDED: [&str; 2] = ["__lll_lock_wait", "__lll_lock_wait_private"];

/// Functions that free memory, by the last segment of their path.
const FREEING: [&str; 14] = [
    "free",
    "cfree",
    "__libc_free",
    "__GI___libc_free",
    "_int_free",
    "_int_free_chunk",
    "munmap",
    "__munmap",
    "madvise",
    "__madvise",
    "drop_in_place",
    "__rust_dealloc",
    "dealloc",
    "operator delete(void*)",
];

/// Functions through which an allocator is called, by the last segment of their path.
const ALLOCATING: [&str; 21] = [
    "malloc",
    "__libc_malloc",
    "__GI___libc_malloc",
    "calloc",
    "realloc",
    "posix_memalign",
    "aligned_alloc",
    "__rust_alloc",
    "__rust_alloc_zeroed",
    "__rust_realloc",
    "__libc_calloc",
    "__libc_realloc",
    "memalign",
    "operator new(unsigned long)",
    "operator new[](unsigned long)",
    "free",
    "cfree",
    "__libc_free",
    "__GI___libc_free",
    "__rust_dealloc",
    "operator delete(void*)",
];

/// Paths of modules whose functions do nothing but acquire and release locks.
const LOCK_MODULES: [&str; 7] = [
    "std::sys::sync::mutex::",
    "std::sys::sync::rwlock::",
    "std::sync::poison::mutex::",
    "std::sync::poison::rwlock::",
    "parking_lot::",
    "parking_lot_core::",
    "lock_api::",
];

/// Functions of these modules in which a thread tries again and again to get a lock that another
/// holds, before it sleeps.
const SPINNING: [&str; 5] = [
    "spin",
    "spin_read",
    "spin_write",
    "spin_until",
    "spin_no_yield",
];

/// Functions of the standard library and of rayon by which a parallel iterator fills a collection.
const COLLECTING: [&str; 2] = ["from_par_iter", "par_extend"];

/// Collections into which rayon puts one item, or one piece, after the other.
const SERIAL_COLLECTIONS: [&str; 7] = [
    "HashMap",
    "HashSet",
    "BTreeMap",
    "BTreeSet",
    "BinaryHeap",
    "LinkedList",
    "String",
];

/// From this share of the samples on, a lock is worth a word.
const LITTLE: f64 = 0.01;

/// The lock of C that most samples were taken at, if it is a share worth a word for certain. A call
/// acquires it whether or not it is free, so it counts if threads wait.
pub(crate) fn sampled_lock(profile: &Profile, waits: bool) -> Option<SampledLock> {
    let samples = profile.samples.as_ref()?;
    let mut places: BTreeMap<LockPlace<'_>, f64> = BTreeMap::new();
    for stack in &samples.stacks {
        let mut inner = library_frames(samples, stack).into_iter();
        if inner.any(|frame| {
            is_one_of(&LOCKING, name(frame)) && (waits || !name(frame).contains("pthread"))
        }) {
            let all_frames = frames(samples, &stack.frames).collect();
            *places.entry(lock_place(all_frames)).or_default() += stack.on_work;
        }
    }
    let (place, weight) = places
        .into_iter()
        .max_by(|one, other| one.1.total_cmp(&other.1))?;
    let weighed = |samples: f64| SampleWeight {
        samples,
        nanos: samples,
    };
    let stacks = samples.stacks.iter();
    let size = SampleSize::new(stacks.map(|stack| weighed(stack.on_work)));
    let share = size.share(weighed(weight)).share;
    (share.low >= LITTLE).then(|| SampledLock {
        location: place.location.cloned(),
        function: place.function.map(str::to_owned),
        is_allocators: place.is_allocators,
        share: share.value,
    })
}

/// Where the user's code acquires a lock, or calls the allocator that does.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LockPlace<'a> {
    pub(crate) is_allocators: bool,
    pub(crate) location: Option<&'a Location>,
    pub(crate) function: Option<&'a str>,
    /// The function of a library, called from there, that acquires it for its own purposes.
    pub(crate) library: Option<&'a str>,
}

/// Paths of functions that acquire locks for their caller, or run the caller's code.
const ACQUIRE_FOR_OTHERS: [&str; 14] = [
    "core::",
    "alloc::",
    "rayon::",
    "rayon_core::",
    "crossbeam_deque::",
    "spin::",
    "std::sync::",
    "std::sys::sync::",
    "std::sys::pal::",
    "std::thread::",
    "std::panic",
    "std::lock",
    "std::mutex",
    "tbb::",
];

/// Whether a function of a library, found around a lock, has it for its own purposes.
fn has_own_lock(function: &str) -> bool {
    let path = function.trim_start_matches('<');
    let for_others =
        || (ACQUIRE_FOR_OTHERS.iter().chain(&LOCK_MODULES)).any(|module| path.starts_with(module));
    let is_of_cpp = || {
        ["mutex", "unique_lock", "lock_guard"]
            .iter()
            .any(|part| path.contains(part))
    };
    path.contains("::") && !for_others() && !is_of_cpp()
}

/// The place on a stack whose innermost frames acquire a lock.
pub(crate) fn lock_place(all_frames: Vec<&StackFrame>) -> LockPlace<'_> {
    // An allocator may be the user's, too, but where it is called is what can be changed.
    let mut outermost = all_frames.iter().rev();
    let allocator =
        outermost.position(|frame| !frame.user_code && is_one_of(&ALLOCATING, name(frame)));
    let outside = allocator.map_or(0, |from_outside| all_frames.len() - from_outside);
    let caller = programs_frame(all_frames[outside..].iter().copied());
    let mut below = (all_frames.iter()).take_while(|frame| !frame.user_code);
    let library = below
        .find(|frame| has_own_lock(name(frame)))
        .map(|frame| name(frame));
    LockPlace {
        library: library.filter(|_| allocator.is_none() && caller.is_some()),
        is_allocators: allocator.is_some(),
        location: caller.and_then(|frame| frame.location.as_ref()),
        function: caller.and_then(|frame| frame.function.as_deref()),
    }
}

/// A lock for which threads were sampled waiting: they spin, or are about to sleep.
pub(crate) struct SpunLock<'a> {
    pub(crate) place: LockPlace<'a>,
    /// Whether one thread at a time holds it: readers hold theirs side by side.
    pub(crate) has_one_holder: bool,
    /// The share of the samples of the work that did, at least.
    pub(crate) share: f64,
}

/// The lock for which most samples show threads waiting.
pub(crate) fn spun_lock(profile: &Profile) -> Option<SpunLock<'_>> {
    let samples = profile.samples.as_ref()?;
    let weight = |stack: &SampledStack| SampleWeight {
        samples: stack.on_work,
        nanos: stack.on_work,
    };
    let mut places: BTreeMap<(LockPlace<'_>, bool), SampleWeight> = BTreeMap::new();
    for stack in &samples.stacks {
        let inner = library_frames(samples, stack);
        let any = |test: fn(&str) -> bool| inner.iter().any(|frame| test(name(frame)));
        let of_c = any(|name| is_one_of(&CONTENDED, name));
        if of_c || any(|name| is_of_lock_module(name) && is_one_of(&SPINNING, name)) {
            let mut place = lock_place(frames(samples, &stack.frames).collect());
            let is_programs = any(|name| name.contains("pthread") || name.contains("::"));
            if of_c && !is_programs && !place.is_allocators && place.function.is_some() {
                let names = inner.last().map(|frame| name(frame));
                place.library = names.map(|name| if name.is_empty() { "a library" } else { name });
            }
            let has_one_holder = !any(|name| name.contains("rwlock"));
            let sum = places.entry((place, has_one_holder)).or_default();
            sum.add(weight(stack));
        }
    }
    let ((place, has_one_holder), most) = places
        .into_iter()
        .max_by(|(_, one), (_, other)| one.nanos.total_cmp(&other.nanos))?;
    let size = SampleSize::new(samples.stacks.iter().map(weight));
    let share = size.share(most).share.low;
    Some(SpunLock {
        place,
        has_one_holder,
        share,
    })
}

/// From this share of the work on, atomic instructions, or the runtime, may be what limits.
const MUCH: f64 = 0.2;

/// From this share on, atomic instructions for which nobody sleeps may limit many more threads than
/// ran: those of no lock, and those of a lock that readers may hold side by side. With 64 threads at
/// one cache line, they take a hundred times as long as alone.
const MUCH_BARE: f64 = 0.05;
/// From this share on, they may if different threads were seen to write the same cache line, or to spin.
const MUCH_SHARED: f64 = 0.02;

/// Fewer samples than this at atomic instructions don't tell whose lines they write.
const LEAST_AT_ATOMICS: f64 = 10.0;
/// So many do, however threads share the lines.
const ENOUGH_AT_ATOMICS: f64 = 20.0;

/// The atomic instructions of the user's code that certainly take most of the work, if it is much.
///
/// One that nobody else wants takes some 20 cycles; one whose cache line other threads write takes
/// hundreds, and more the more they are. Which it is shows in the threads that samples find at each
/// line, where there are enough of them, and in threads that spin there. Locks with one holder each
/// that hardly any thread waits for may be many.
///
/// That threads do not meet says something only if they `can_meet`, running at the same time.
pub(crate) fn sampled_atomics(
    profile: &Profile,
    for_many_more: bool,
    can_meet: bool,
) -> Option<SampledAtomics> {
    let samples = profile.samples.as_ref()?;
    let all: f64 = samples.stacks.iter().map(|stack| stack.on_work).sum();
    let enough = LEAST_AT_ATOMICS * samples.periods_per_sample();
    let is_much = |has_one_holder: bool, place: &AtPlace<'_>| {
        let exceeds = |weight: f64, least: f64| weight >= least * all && weight >= enough;
        let much_shared = if for_many_more { MUCH_SHARED } else { MUCH };
        let much = match place.line_use(samples, can_meet) {
            LineUse::Own => f64::INFINITY,
            LineUse::Shared | LineUse::Apart => much_shared,
            LineUse::Unknown if for_many_more && !has_one_holder => MUCH_BARE,
            LineUse::Unknown => MUCH,
        };
        // Threads that spin do wait.
        exceeds(place.spinning, much_shared) || exceeds(place.all(), much)
    };
    let (purpose, place) = (places_at_atomics(samples).into_iter())
        .filter(|((.., has_one_holder), place)| is_much(*has_one_holder, place))
        .map(|((_, _, purpose, _), place)| (purpose, place))
        .max_by(|(_, one), (_, other)| one.all().total_cmp(&other.all()))?;
    let code = place.code()?;
    Some(SampledAtomics {
        location: code.location.clone(),
        function: code.function.clone(),
        purpose,
        share: place.all() / all,
        spinning: place.spinning / all,
        line: place.line_use(samples, can_meet),
    })
}

/// The atomic instructions of the user's code of which more samples, in a longer run, may show that
/// they limit many more threads than ran. Where threads hardly `can_meet`, any number of samples leaves
/// that open.
pub(crate) fn few_atomics(profile: &Profile, can_meet: bool) -> Option<FewAtomics> {
    let samples = profile.samples.as_ref()?;
    let per_sample = samples.periods_per_sample();
    let weight = |nanos: f64| SampleWeight {
        samples: nanos / per_sample,
        nanos,
    };
    let size = SampleSize::new(samples.stacks.iter().map(|stack| weight(stack.on_work)));
    let is_open = |place: &AtPlace<'_>| {
        let there = weight(place.all());
        let is_little = size.share(there).share.high < MUCH_SHARED;
        let is_unknown = if can_meet {
            place.needs_samples(samples)
        } else {
            place.line_use(samples, can_meet) == LineUse::Unknown
        };
        there.samples > 0.0 && !is_little && is_unknown
    };
    let (purpose, place) = (places_at_atomics(samples).into_iter())
        .map(|((_, _, purpose, _), place)| (purpose, place))
        .filter(|(_, place)| is_open(place))
        .max_by(|(_, one), (_, other)| one.all().total_cmp(&other.all()))?;
    let code = place.code()?;
    Some(FewAtomics {
        location: code.location.clone(),
        function: code.function.clone(),
        purpose,
        samples: [place.all() / per_sample, size.samples].map(|samples| samples.round() as u64),
        can_meet,
    })
}

/// The line of a source file, if it is known.
type Line<'a> = Option<(&'a str, u32)>;
/// The function, or the line where that is not known; what for, and whether for a lock that one
/// holds at a time.
type Place<'a> = (Option<&'a str>, Line<'a>, AtomicsPurpose, bool);

/// The samples at atomic instructions, or spinning, of the user's code and of what was inlined
/// there.
fn places_at_atomics(samples: &Samples) -> BTreeMap<Place<'_>, AtPlace<'_>> {
    let mut places: BTreeMap<Place<'_>, AtPlace<'_>> = BTreeMap::new();
    for stack in &samples.stacks {
        let all_frames = frames(samples, &stack.frames);
        let mut inner = all_frames.clone().peekable();
        let is_schedulers =
            |frame: &&StackFrame| is_inside(frame, &["rayon_core::", "crossbeam_deque::"]);
        let mut inside =
            (all_frames.clone()).take_while(|frame| !frame.user_code || is_schedulers(frame));
        let innermost = inner.peek();
        let spins = innermost.is_some_and(|frame| frame.spins);
        let is_there = spins || innermost.is_some_and(|frame| frame.at_atomic);
        if !is_there || inside.any(|frame| is_schedulers(&frame)) {
            continue;
        }
        // A function of a library that was not inlined has its atomics for its own purposes, unless it
        // is a lock's.
        let (mut is_inside, mut of_lock, mut has_readers, mut code) = (true, false, false, None);
        for frame in inner {
            if is_inside && frame.user_code {
                code = programs_frame(all_frames.clone());
                break;
            }
            let is_locks = is_of_lock_module(name(frame));
            of_lock |= is_locks;
            has_readers |= is_locks && name(frame).contains("rwlock");
            is_inside &= frame.inlined || is_locks;
        }
        let Some(code) = code else { continue };
        let line = code.location.as_ref();
        let line = line.map(|line| (line.file.as_str(), line.line));
        let function = code.function.as_deref();
        let unnamed = line.filter(|_| function.is_none());
        let below = all_frames.take_while(|frame| !std::ptr::eq(*frame, code));
        let mut names = below.map(name);
        let purpose = if names.clone().any(is_of_channel) {
            AtomicsPurpose::Channel
        } else if of_lock || names.any(is_of_lock) {
            AtomicsPurpose::Lock
        } else {
            AtomicsPurpose::Own
        };
        let has_one_holder = of_lock && !has_readers;
        let place = (function, unnamed, purpose, has_one_holder);
        let at_place = places.entry(place).or_default();
        let of_line = at_place.lines.entry(line).or_insert((0.0, code));
        of_line.0 += stack.on_work;
        if spins {
            at_place.spinning += stack.on_work;
        } else {
            *at_place.uses.entry(stack.line).or_default() += stack.on_work;
        }
    }
    places
}

/// The samples at atomic instructions of a function.
#[derive(Default)]
struct AtPlace<'a> {
    /// By line of the source.
    lines: BTreeMap<Option<(&'a str, u32)>, (f64, &'a StackFrame)>,
    /// By what is known of their cache lines.
    uses: BTreeMap<LineUse, f64>,
    /// Those of threads that spin.
    spinning: f64,
}

/// Two threads that use a line equally have half of its samples after one another; one that uses it
/// nine times as much as the other, 18 %. Those that hardly ever meet there certainly have less
/// than this.
const HARDLY_SHARED: f64 = 0.1;
/// From this share on, several threads use a line. It is less than half, since one of them may use it
/// more than the others, and since they may run in turns on a processor.
const SHARED: f64 = 0.25;

/// Of threads that have a word each, only a new owner is found at a word after another thread: that
/// is one sample in so many, or fewer. Of eight words that all threads use, it is one in eight.
const SELDOM: f64 = 20.0;

impl<'a> AtPlace<'a> {
    fn all(&self) -> f64 {
        self.spinning + self.uses.values().sum::<f64>()
    }

    /// The code with most of the samples.
    fn code(&self) -> Option<&'a StackFrame> {
        let lines = self.lines.values();
        let most = lines.max_by(|one, other| one.0.total_cmp(&other.0));
        most.map(|(_, code)| *code)
    }

    /// Whether more samples may show that threads meet here. Where most are at lines that are not
    /// known, these are so many that each is used little.
    fn needs_samples(&self, samples: &Samples) -> bool {
        let unknown = self.uses.get(&LineUse::Unknown).copied().unwrap_or(0.0);
        let enough = match 2.0 * unknown > self.all() {
            true => LEAST_AT_ATOMICS,
            false => ENOUGH_AT_ATOMICS,
        };
        self.line_use(samples, true) == LineUse::Unknown
            && self.all() < enough * samples.periods_per_sample()
    }

    /// What its samples certainly show.
    fn line_use(&self, samples: &Samples, can_meet: bool) -> LineUse {
        let weight = |line| {
            let periods = self.uses.get(&line).copied().unwrap_or(0.0);
            SampleWeight {
                samples: periods / samples.periods_per_sample(),
                nanos: periods,
            }
        };
        let [own, shared, apart] = [LineUse::Own, LineUse::Shared, LineUse::Apart].map(weight);
        let mut of_others = shared;
        of_others.add(apart);
        let size = SampleSize::new([own, of_others]);
        let share = size.share(of_others).share;
        let all: f64 = self.uses.values().sum();
        if size.samples < LEAST_AT_ATOMICS || own.nanos + of_others.nanos < all / 2.0 {
            // Of so many lines, each is used little.
            LineUse::Unknown
        } else if can_meet && share.high <= HARDLY_SHARED {
            LineUse::Own
        } else if share.low < SHARED {
            LineUse::Unknown
        } else if apart.nanos >= SELDOM * shared.nanos {
            LineUse::Apart
        } else {
            LineUse::Shared
        }
    }
}

/// The share of the samples of the work in OpenMP's or oneTBB's runtime, which shares out loops and
/// tasks, if it is much.
pub(crate) fn sampled_runtime(profile: &Profile) -> Option<f64> {
    const RUNTIMES: [&str; 5] = ["__kmp", "kmp_", "GOMP_", "gomp_", "tbb::detail::r1::"];
    let samples = profile.samples.as_ref()?;
    // These wait for other threads, however large the pieces are.
    const WAITING: [&str; 5] = ["critical", "ordered", "lock", "barrier", "wait"];
    let is_inside = |stack: &&SampledStack| {
        let inner = library_frames(samples, stack);
        let any = |test: &dyn Fn(&str) -> bool| inner.iter().any(|frame| test(name(frame)));
        any(&|name| RUNTIMES.iter().any(|prefix| name.starts_with(prefix)))
            && !any(&|name| WAITING.iter().any(|word| name.contains(word)))
    };
    let weight = |stack: &SampledStack| stack.on_work;
    let inside: f64 = samples.stacks.iter().filter(is_inside).map(weight).sum();
    let all: f64 = samples.stacks.iter().map(weight).sum();
    (all > 0.0 && inside >= MUCH * all).then(|| inside / all)
}

/// Parts of the names of functions in which threads look for tasks, or wait for one another.
const WAITING: [&str; 14] = [
    "cilk",
    "kmp",
    "gomp",
    "GOMP",
    "tbb::",
    "rayon",
    "crossbeam",
    "std::sync",
    "std::thread",
    "parking_lot",
    "pthread",
    "futex",
    "lll_lock",
    "sched_yield",
];

/// With fewer samples outside of strands than this, nothing is said of them.
const LEAST_OUTSIDE: f64 = 20.0;

/// Where threads ran most while they had no strand, if samples tell.
pub(crate) fn sampled_outside(profile: &Profile) -> Option<SampledOutside> {
    let samples = profile
        .samples
        .as_ref()
        .filter(|samples| samples.rate > 0)?;
    let nanos_per_period = 1e9 / f64::from(samples.rate);
    let periods_per_sample = samples.periods_per_sample();
    let weight = |stack: &OutsideStack| SampleWeight {
        samples: stack.periods / periods_per_sample,
        nanos: stack.periods * nanos_per_period,
    };
    /// The user's frame, and the function that it called.
    type Place<'a> = (Option<&'a StackFrame>, Option<&'a str>);
    let mut places: Vec<(Place<'_>, SampleWeight)> = Vec::new();
    let mut own_code = SampleWeight::default();
    for stack in &samples.outside {
        let all: Vec<&StackFrame> = frames(samples, &stack.frames).collect();
        // Rayon finds its tasks by other crates than its own.
        let queues = ["crossbeam_deque::", "crossbeam_epoch::"];
        let is_own = |frame: &&StackFrame| frame.user_code && !is_inside(frame, &queues);
        let user = all.iter().position(is_own);
        let may_wait = |frame: &&StackFrame| WAITING.iter().any(|part| name(frame).contains(part));
        // The standard library's algorithms do the program's work on threads of oneTBB.
        let algorithm = (all.iter()).position(|frame| is_inside(frame, &["__pstl::"]));
        let mut own = [user, algorithm].into_iter().flatten();
        if own.any(|at| !all[..at].iter().any(may_wait)) {
            own_code.add(weight(stack));
        }
        let called = user.and_then(|user| user.checked_sub(1));
        let place = (
            user.map(|user| all[user]),
            called.map(|called| name(all[called])),
        );
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, sum)) => sum.add(weight(stack)),
            None => places.push((place, weight(stack))),
        }
    }
    let size = SampleSize::new(samples.outside.iter().map(weight));
    let ((user, called), most) = places
        .into_iter()
        .max_by(|(_, one), (_, other)| one.nanos.total_cmp(&other.nanos))
        .filter(|_| size.effective >= LEAST_OUTSIDE)?;
    let called = called.filter(|name| !name.is_empty()).map(str::to_owned);
    Some(SampledOutside {
        location: user.and_then(|frame| frame.location.clone()),
        function: user.and_then(|frame| frame.function.clone()),
        called,
        share: size.share(most),
        own_code: size.share(own_code),
    })
}

/// What code does in a library, or for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LibraryWork {
    /// It frees memory.
    Frees,
    /// It fills the map, set or list of a parallel iterator.
    Collects,
    /// It joins what two pieces of rayon's `reduce` return.
    Merges,
}

/// What samples show the code at `nodes` to do for most of its part of the critical path, if it is
/// one of these.
pub(crate) fn library_work(
    profile: &Profile,
    nodes: impl Fn(NodeId) -> bool,
) -> Option<LibraryWork> {
    let samples = profile.samples.as_ref()?;
    let in_library = |is_meant: fn(&str) -> bool| {
        mostly_runs(samples, &nodes, |stack| {
            let mut inner = library_frames(samples, stack).into_iter();
            inner.any(|frame| is_meant(name(frame)))
        })
    };
    if in_library(|name| is_one_of(&FREEING, name)) {
        return Some(LibraryWork::Frees);
    }
    if in_library(|name| {
        is_one_of(&COLLECTING, name) && SERIAL_COLLECTIONS.iter().any(|part| name.contains(part))
    }) {
        return Some(LibraryWork::Collects);
    }
    let merges = |stack: &SampledStack| {
        let mut names = frames(samples, &stack.frames).map(name);
        names.any(|name| name.starts_with("rayon::") && name.ends_with("ReduceConsumer::reduce"))
    };
    mostly_runs(samples, &nodes, merges).then_some(LibraryWork::Merges)
}

/// Functions by which messages are taken from a channel.
const RECEIVING: [&str; 3] = ["recv", "recv_timeout", "next"];
/// Functions in which a receiver spins while there is no message.
const AWAITS_MESSAGE: [&str; 3] = ["snooze", "spin_heavy", "yield_now"];

/// Whether samples show the code at `nodes` to run in channels, taking messages from them, for most of
/// its part of the critical path.
pub(crate) fn mostly_receives(profile: &Profile, nodes: impl Fn(NodeId) -> bool) -> bool {
    let is_receiving = |samples: &Samples, stack: &SampledStack| {
        let names = || frames(samples, &stack.frames).map(name);
        let mut receives = names().filter(|name| is_of_channel(name));
        receives.any(|name| is_one_of(&RECEIVING, name))
            && !names().any(|name| is_one_of(&AWAITS_MESSAGE, name))
    };
    let samples = profile.samples.as_ref();
    samples.is_some_and(|samples| mostly_runs(samples, nodes, |stack| is_receiving(samples, stack)))
}

/// Whether most of the samples at `nodes` on the critical path are `inside` of something.
fn mostly_runs(
    samples: &Samples,
    nodes: impl Fn(NodeId) -> bool,
    is_inside: impl Fn(&SampledStack) -> bool,
) -> bool {
    let at_nodes = || samples.stacks.iter().filter(|stack| nodes(stack.node));
    let weight = |stack: &SampledStack| SampleWeight {
        samples: stack.on_work,
        nanos: stack.on_span,
    };
    let mut inside = SampleWeight::default();
    at_nodes()
        .filter(|stack| is_inside(stack))
        .for_each(|stack| inside.add(weight(stack)));
    let size = SampleSize::new(at_nodes().map(weight));
    size.share(inside).share.low >= 0.5
}

/// The share of the samples on the work at `nodes` that `par_bridge` takes under its lock: waiting
/// for it, and in the serial iterator.
pub(crate) fn bridge_lock_share(profile: &Profile, nodes: impl Fn(NodeId) -> bool) -> f64 {
    let Some(samples) = &profile.samples else {
        return 0.0;
    };
    let (mut all, mut locked) = (0.0, 0.0);
    for stack in samples.stacks.iter().filter(|stack| nodes(stack.node)) {
        all += stack.on_work;
        let names: Vec<&str> = frames(samples, &stack.frames).map(name).collect();
        let bridge = names.iter().position(|name| name.contains(BRIDGE));
        let called = bridge.and_then(|at| at.checked_sub(1)).map(|at| names[at]);
        if called.is_some_and(|name| name.ends_with("::next") || is_of_lock_module(name)) {
            locked += stack.on_work;
        }
    }
    if all > 0.0 { locked / all } else { 0.0 }
}

/// The least share of the program's work that samples show in the iterators which feed
/// `par_bridge`s: one thread at a time calls them.
pub(crate) fn bridged_share(profile: &Profile) -> f64 {
    let Some(samples) = &profile.samples else {
        return 0.0;
    };
    let weight = |stack: &SampledStack| SampleWeight {
        samples: stack.on_work,
        nanos: stack.on_work,
    };
    let is_fed = |stack: &&SampledStack| {
        let mut inner = "";
        frames(samples, &stack.frames).map(name).any(|outer| {
            let is_next = outer.contains(BRIDGE) && inner.ends_with("::next");
            inner = outer;
            is_next
        })
    };
    let mut fed = SampleWeight::default();
    let stacks = samples.stacks.iter();
    stacks
        .clone()
        .filter(is_fed)
        .for_each(|stack| fed.add(weight(stack)));
    SampleSize::new(stacks.map(weight)).share(fed).share.low
}

/// Work that rayon's iterators did once for each piece, before its first item: the identity of
/// `fold` and `reduce`, the value of `map_init`.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkPerPiece {
    /// The user's line with most of it.
    pub location: Option<Location>,
    /// The least share of the samples of the work.
    pub share: f64,
}

/// From this share of the work on, a third of a speedup is lost to what one thread need not do.
const MUCH_PER_PIECE: f64 = 1.0 / 3.0;

/// The work that was done once for each piece, if it is much.
pub(crate) fn work_per_piece(profile: &Profile) -> Option<WorkPerPiece> {
    let samples = profile.samples.as_ref()?;
    let weight = |stack: &SampledStack| SampleWeight {
        samples: stack.on_work,
        nanos: stack.on_work,
    };
    let mut places: BTreeMap<Option<&Location>, SampleWeight> = BTreeMap::new();
    for stack in &samples.stacks {
        let all_frames = frames(samples, &stack.frames);
        let is_start =
            |frame: &StackFrame| !frame.user_code && is_one_of(&["into_folder"], name(frame));
        if let Some(at) = all_frames.clone().position(is_start) {
            let place = programs_frame(all_frames.take(at));
            let location = place.and_then(|frame| frame.location.as_ref());
            places.entry(location).or_default().add(weight(stack));
        }
    }
    let (location, _) =
        (places.iter()).max_by(|(_, one), (_, other)| one.nanos.total_cmp(&other.nanos))?;
    let mut all = SampleWeight::default();
    places.values().for_each(|part| all.add(*part));
    let size = SampleSize::new(samples.stacks.iter().map(weight));
    let share = size.share(all).share.low;
    (share >= MUCH_PER_PIECE).then(|| WorkPerPiece {
        location: location.cloned(),
        share,
    })
}

/// The module of rayon whose functions call the iterator.
const BRIDGE: &str = "rayon::iter::par_bridge::";

fn frames<'a>(
    samples: &'a Samples,
    frames: &'a [FrameId],
) -> impl Iterator<Item = &'a StackFrame> + Clone {
    frames.iter().map(|id| &samples.frames[id.index()])
}

/// The frames inside of the user's innermost code.
fn library_frames<'a>(samples: &'a Samples, stack: &'a SampledStack) -> Vec<&'a StackFrame> {
    frames(samples, &stack.frames)
        .take_while(|frame| !frame.user_code)
        .collect()
}

fn name(frame: &StackFrame) -> &str {
    frame.function.as_deref().unwrap_or_default()
}

/// Whether the function is of one of these crates, or of a type of theirs.
fn is_inside(frame: &StackFrame, crates: &[&str]) -> bool {
    crates.iter().any(|part| name(frame).contains(part))
}

fn is_one_of(names: &[&str], function: &str) -> bool {
    names.contains(&last_segment(function))
}

/// The last segment of a path, without generic arguments.
fn last_segment(path: &str) -> &str {
    let end = path.find('<').unwrap_or(path.len());
    path[..end].rsplit("::").next().unwrap_or_default()
}

/// Whether a function is of a lock, or of one of a crate whose locks only spin.
fn is_of_lock(function: &str) -> bool {
    let path = function.trim_start_matches('<');
    let spins = ["spin::mutex::", "spin::rwlock::"];
    is_of_lock_module(function) || spins.iter().any(|module| path.starts_with(module))
}

fn is_of_lock_module(function: &str) -> bool {
    LOCK_MODULES
        .iter()
        .any(|module| function.starts_with(module))
}

#[cfg(test)]
mod tests;
