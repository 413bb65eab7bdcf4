//! Calls of all kinds. Prints their results, and how often each function was called.

use std::alloc::{GlobalAlloc, Layout, System};
use std::arch::x86_64::{
    __m256d, _mm256_add_pd, _mm256_mul_pd, _mm256_set_pd, _mm256_set1_pd, _mm256_sub_pd,
};
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

macro_rules! count {
    ($($name:ident)*) => {
        $(static $name: AtomicU64 = AtomicU64::new(0);)*
        fn print_counts() {
            $(println!("count {} {}", stringify!($name).to_lowercase(), $name.load(Relaxed));)*
        }
    };
}

count! { MANY WIDE VECTORS FIB DESCEND CATCHER PING PONG STEPS LEAF TREE FALL NESTED LEAVE }

/// The program's own allocator, which the engine also calls, in the middle of its work.
struct Counting;

static ALLOCATED: AtomicU64 = AtomicU64::new(0);

unsafe impl GlobalAlloc for Counting {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let before = ALLOCATED.fetch_add(layout.size() as u64, Relaxed);
        if before % 3 == 7 {
            println!("never");
        }
        black_box(mix(layout.size() as u64, 9));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[inline(never)]
fn mix(mut number: u64, rounds: u64) -> u64 {
    for round in 0..rounds {
        number =
            black_box(number.wrapping_mul(0x9E37_79B9) ^ (number >> 7)).rotate_left(round as u32);
    }
    number
}

#[inline(never)]
#[allow(clippy::too_many_arguments)]
fn many(
    a: u8,
    b: u64,
    c: f32,
    d: f64,
    e: i128,
    f: &str,
    g: &[u8],
    h: u64,
    i: u64,
    j: f64,
    k: f64,
    l: f64,
    m: f64,
    n: f64,
    o: f64,
    p: f64,
) -> f64 {
    MANY.fetch_add(1, Relaxed);
    let whole = u64::from(a) + b + e as u64 + f.len() as u64 + 3 * g.len() as u64 + 5 * h + 7 * i;
    let real =
        f64::from(c) + d + 2.0 * j + 3.0 * k + 4.0 * l + 5.0 * m + 6.0 * n + 7.0 * o + 8.0 * p;
    whole as f64 + real
}

#[inline(never)]
fn wide(a: i128, b: u128) -> (i128, bool) {
    WIDE.fetch_add(1, Relaxed);
    let (product, over) = a.overflowing_mul(b as i128);
    (black_box(product).wrapping_add(a), over)
}

/// Vectors of 32 bytes as arguments and result.
#[inline(never)]
#[target_feature(enable = "avx")]
#[allow(improper_ctypes_definitions)]
unsafe extern "C" fn vectors(a: __m256d, b: __m256d, c: __m256d) -> __m256d {
    VECTORS.fetch_add(1, Relaxed);
    _mm256_sub_pd(_mm256_mul_pd(a, b), _mm256_add_pd(b, c))
}

#[target_feature(enable = "avx")]
unsafe fn use_vectors() -> [f64; 4] {
    let mut sum = _mm256_set_pd(1.0, 2.0, 3.0, 4.0);
    for step in 0..100 {
        let half = _mm256_set_pd(0.5, 0.25, 0.125, f64::from(step % 7) / 8.0);
        sum = unsafe { vectors(sum, half, _mm256_set1_pd(f64::from(step))) };
    }
    unsafe { std::mem::transmute(sum) }
}

#[inline(never)]
fn fib(n: u64) -> u64 {
    FIB.fetch_add(1, Relaxed);
    if n < 2 {
        return black_box(n);
    }
    black_box(fib(n - 1)) + black_box(fib(n - 2))
}

struct Dropped<'a>(&'a AtomicU64);

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Relaxed);
    }
}

/// Unwinds through itself.
#[inline(never)]
fn descend(depth: u64, dropped: &AtomicU64) -> u64 {
    DESCEND.fetch_add(1, Relaxed);
    let _dropped = Dropped(dropped);
    if depth == 0 {
        std::panic::resume_unwind(Box::new("the bottom"));
    }
    descend(depth - 1, dropped) + mix(depth, 3)
}

#[inline(never)]
fn catcher(depth: u64) -> u64 {
    CATCHER.fetch_add(1, Relaxed);
    let dropped = AtomicU64::new(0);
    let caught = catch_unwind(AssertUnwindSafe(|| descend(depth, &dropped)));
    assert!(caught.is_err());
    dropped.load(Relaxed) + mix(depth, 2)
}

/// Whose turn it is, which the compiler cannot predict.
static TURN: AtomicU64 = AtomicU64::new(0);
static TURNS: [fn(u64, u64) -> u64; 2] = [ping, pong];

#[inline(never)]
fn ping(n: u64, sum: u64) -> u64 {
    PING.fetch_add(1, Relaxed);
    if n == 0 {
        return mix(sum, 2);
    }
    // A tail call.
    TURNS[(TURN.fetch_add(1, Relaxed) % 2) as usize](n - 1, sum.wrapping_mul(3) + 1)
}

#[inline(never)]
fn pong(n: u64, sum: u64) -> u64 {
    PONG.fetch_add(1, Relaxed);
    if n == 0 {
        return mix(sum, 2);
    }
    TURNS[(TURN.fetch_add(1, Relaxed) % 2) as usize](n - 1, sum.wrapping_mul(5) + 1)
}

#[inline(never)]
fn steps(n: u64) -> u64 {
    STEPS.fetch_add(1, Relaxed);
    (0..n).map(|step| mix(step, 5)).fold(0, u64::wrapping_add)
}

#[inline(never)]
fn leaf(n: u64) -> u64 {
    LEAF.fetch_add(1, Relaxed);
    (0..9)
        .map(|step| black_box(n * step))
        .fold(0, u64::wrapping_add)
}

#[inline(never)]
fn tree(n: u64) -> u64 {
    TREE.fetch_add(1, Relaxed);
    if n == 0 {
        return leaf(n);
    }
    let (left, right) = rayon::join(|| tree(n - 1), || tree(n - 1) ^ leaf(n));
    left.wrapping_add(right)
}

/// Some of its branches unwind.
#[inline(never)]
fn fall(n: u64) -> u64 {
    FALL.fetch_add(1, Relaxed);
    if n == 0 {
        std::panic::resume_unwind(Box::new("fell"));
    }
    let fell = catch_unwind(|| rayon::join(|| leaf(n), || fall(n - 1)));
    leaf(n) + u64::from(fell.is_err())
}

#[inline(never)]
fn nested() -> u64 {
    NESTED.fetch_add(1, Relaxed);
    use rayon::prelude::*;
    let inner = |n: u64| {
        (0..8)
            .into_par_iter()
            .map(|m| leaf(n + m))
            .fold(|| 0, u64::wrapping_add)
            .sum::<u64>()
    };
    let mut sum = (0..8)
        .into_par_iter()
        .map(inner)
        .reduce(|| 0, u64::wrapping_add);
    rayon::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|_| {
                black_box(leaf(1));
            });
        }
        sum ^= leaf(2);
    });
    sum
}

/// Ends the program inside functions.
#[inline(never)]
fn leave(depth: u64) -> u64 {
    LEAVE.fetch_add(1, Relaxed);
    if depth == 0 {
        print_counts();
        std::process::exit(7);
    }
    black_box(leave(depth - 1)) + 1
}

fn main() {
    println!(
        "{:?}",
        many(
            1,
            black_box(2),
            black_box(3.5),
            4.5,
            5,
            black_box("six"),
            b"seven",
            black_box(8),
            9,
            black_box(1.1),
            black_box(2.2),
            3.3,
            4.4,
            5.5,
            6.6,
            black_box(7.7)
        )
    );
    println!("{:?} {:?}", wide(i128::MAX / 3, 2), wide(i128::MAX / 3, 5));
    if is_x86_feature_detected!("avx") {
        println!("{:?}", unsafe { use_vectors() });
    }
    println!("{}", fib(20));
    println!("{}", (0..20).map(catcher).fold(0, u64::wrapping_add));
    println!("{} {}", ping(1001, 1), pong(1000, 1)); // mark: turns
    let threads: Vec<_> = (0..4)
        .map(|n| std::thread::spawn(move || steps(1000 + n) ^ fib(10 + n)))
        .collect();
    println!(
        "{:?}",
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect::<Vec<_>>()
    );
    println!("{}", tree(8));
    println!("{}", fall(6));
    println!("{}", nested());
    let mut longest: Vec<String> = (0..3000).map(|n| format!("{}", mix(n, 1))).collect();
    longest.sort_by_key(|text| text.len());
    println!("{}", longest[2999].len());
    println!("{}", leave(3));
}
