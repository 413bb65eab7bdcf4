//! What the parallel constructs of rayon cost, for `ci/costs`: instructions and allocations.
//!
//! Runs under QEMU with workspan's plug-in, which counts the instructions of each thread. Each
//! program runs in two sizes, on the one thread of a pool. A line says how much more the larger
//! size took: `NAME CONSTRUCTS INSTRUCTIONS ALLOCATIONS`. Without an emulator nothing runs.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI64, Ordering};

use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};

/// More constructs that the larger size has: a power of two, which makes trees complete.
const CONSTRUCTS: usize = 1 << 12;
/// Tasks that a scope of the smaller size spawns.
const SPAWNS: usize = 64;

/// A program, which takes its size: 1 or 2.
type Program = fn(usize);

const PROGRAMS: [(&str, Program); 4] = [
    ("join", |size| joins(size * CONSTRUCTS)),
    ("scope", |size| {
        (0..size * CONSTRUCTS).for_each(|_| spawns(0));
    }),
    ("spawn", |size| {
        (0..CONSTRUCTS / SPAWNS).for_each(|_| spawns(size * SPAWNS));
    }),
    ("split", |size| {
        let items = (0..size * CONSTRUCTS).into_par_iter();
        items.with_max_len(1).for_each(|item| _ = black_box(item));
    }),
];

fn joins(leaves: usize) {
    if leaves > 1 {
        rayon::join(|| joins(leaves / 2), || joins(leaves - leaves / 2));
    }
}

fn spawns(number: usize) {
    rayon::scope(|scope| (0..number).for_each(|_| scope.spawn(|_| ())));
}

static ALLOCATIONS: AtomicI64 = AtomicI64::new(0);

thread_local! {
    /// By the logarithm of its size, memory that the thread has freed: the first of a list.
    static FREE: [Cell<*mut *mut u8>; 64] = const { [const { Cell::new(null_mut()) }; 64] };
}

/// Counts, and gives a thread only memory that it freed itself, or new memory. In the system's
/// allocator, what other threads did when they ended decides how many instructions a call takes.
struct Counting;

impl Counting {
    /// Sizes are powers of two, and memory is aligned to 16 bytes.
    fn class(layout: Layout) -> Option<usize> {
        let size = layout.size().max(16).next_power_of_two();
        (layout.align() <= 16).then_some(size.trailing_zeros() as usize)
    }
}

// SAFETY: memory of a class has room for every layout of the class. It is the system's, or was freed
// by this thread, which takes it off the list before it gives it away.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        let Some(class) = Self::class(layout) else {
            // SAFETY: the caller keeps the contract of the same function.
            return unsafe { System.alloc(layout) };
        };
        FREE.with(|free| {
            let first = free[class].get();
            // SAFETY: what is on the list is free, and its first word names the next of the list.
            // The size of a new piece is not 0 and does not overflow, nor does its alignment.
            unsafe {
                if first.is_null() {
                    return System.alloc(Layout::from_size_align_unchecked(1 << class, 16));
                }
                free[class].set(first.read().cast());
            }
            first.cast()
        })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        let Some(class) = Self::class(layout) else {
            // SAFETY: the caller keeps the contract of the same function, and `alloc` had it from
            // there.
            return unsafe { System.dealloc(memory, layout) };
        };
        FREE.with(|free| {
            let piece: *mut *mut u8 = memory.cast();
            // SAFETY: it has at least 16 bytes, aligned to as many, that nobody uses any more.
            unsafe { piece.write(free[class].get().cast()) };
            free[class].set(piece);
        });
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The emulator's count of the calling thread's instructions.
struct Instructions(*const i64);

impl Instructions {
    /// Asks the emulator for it, as the engine does
    /// (`workspan-engine/workspan_rt/clock/emulated.rs`). `None` where no emulator answers.
    fn of_thread() -> Option<Self> {
        const ANNOUNCEMENT: i64 = 0x5753_4e31;
        const QUESTION: usize = 0x776f_726b_7370_616e;
        unsafe extern "C" {
            fn syscall(number: i64, ...) -> i64;
        }
        let mut answer = QUESTION;
        // SAFETY: a kernel refuses the number and touches nothing; the plug-in writes one word,
        // `answer`, which is alive. The read is volatile, since the compiler does not know that.
        let answer = unsafe {
            syscall(ANNOUNCEMENT, &raw mut answer, QUESTION);
            (&raw const answer).read_volatile()
        };
        (answer != QUESTION).then_some(Self(answer as *const i64))
    }

    /// A function of its own, and so a block of its own to the emulator, which counts whole ones.
    #[inline(never)]
    fn count(&self) -> i64 {
        // SAFETY: the emulator's counter lives as long as the process, and changes only between
        // blocks of this thread.
        unsafe { self.0.read_volatile() }
    }
}

/// Instructions and allocations of a program.
fn cost(instructions: &Instructions, program: Program, size: usize) -> [i64; 2] {
    let allocations = || ALLOCATIONS.load(Ordering::Relaxed);
    let before = [instructions.count(), allocations()];
    program(black_box(size));
    let after = [instructions.count(), allocations()];
    [after[0] - before[0], after[1] - before[1]]
}

fn measure() {
    let Some(instructions) = Instructions::of_thread() else {
        return;
    };
    for (name, program) in PROGRAMS {
        // What the first runs allocate and find out stays.
        for size in [2, 1, 2, 1] {
            program(size);
        }
        let [one, two] = [1, 2].map(|size| cost(&instructions, program, size));
        let [instructions, allocations] = [two[0] - one[0], two[1] - one[1]];
        println!("{name} {CONSTRUCTS} {instructions} {allocations}");
    }
}

fn main() -> Result<(), rayon::ThreadPoolBuildError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(measure);
    Ok(())
}
