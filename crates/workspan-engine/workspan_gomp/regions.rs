//! Parallel regions, also those that are one loop or one construct of sections.

use std::ffi::{c_int, c_long, c_uint, c_void};
use std::ptr;

use crate::abi::{endpoint, sync_region, work, Data};
use crate::place::{self, Place};
use crate::tool;

/// A function that gcc has made of a construct's code.
pub(crate) type Body = unsafe extern "C" fn(*mut c_void);

/// `omp_get_num_threads` and its like.
type Number = unsafe extern "C" fn() -> c_int;

/// What all threads of a region get in place of the program's own data.
#[repr(C)]
struct Region {
    /// That of the program's data, if libgomp looks for reductions there.
    first_word: usize,
    body: Body,
    data: *mut c_void,
    code: *const c_void,
    /// The worksharing construct that the region consists of.
    share: Option<c_int>,
    /// The tool's place for the region.
    place: Data,
    /// That for the part of the thread that has begun it.
    first: Place,
}

/// Begins a region, which `run` has libgomp execute with the body and the data that it is given.
///
/// `first_word` is that of `data` where libgomp looks at it.
fn parallel<R>(
    (body, data): (Body, *mut c_void),
    first_word: usize,
    threads: c_uint,
    share: Option<c_int>,
    code: *const c_void,
    run: impl FnOnce(Body, *mut c_void) -> R,
) -> R {
    if !tool::is_on() {
        return run(body, data);
    }
    let encountering = place::current();
    let mut region = Region {
        first_word,
        body,
        data,
        code,
        share,
        place: Data {
            pointer: ptr::null_mut(),
        },
        first: Place::new(ptr::null_mut()),
    };
    // All that follows goes by the pointer, which other threads have, too.
    let region: *mut Region = &mut region;
    // SAFETY: the region is on this function's stack.
    let of_region = unsafe { ptr::addr_of_mut!((*region).place) };
    let most = next!(omp_get_max_threads: Number);
    let threads = match threads {
        // SAFETY: the function has no conditions.
        0 => unsafe { most() as c_uint },
        threads => threads,
    };
    tell! { PARALLEL_BEGIN: ParallelBegin(encountering.cast(), ptr::null(), of_region, threads, 0, code) }
    let result = run(part, region.cast());
    // SAFETY: as above; all other threads are done with it, but for what they keep themselves.
    let first = unsafe { ptr::addr_of_mut!((*region).first) };
    let kind = sync_region::BARRIER_IMPLICIT_PARALLEL;
    tell! { SYNC_REGION_WAIT: SyncRegion(kind, endpoint::END, ptr::null_mut(), first.cast(), code) }
    place::end_part(first, 0);
    place::turn_to(encountering);
    tell! { PARALLEL_END: ParallelEnd(of_region, encountering.cast(), 0, code) }
    result
}

/// A thread's part of a region.
unsafe extern "C" fn part(region: *mut c_void) {
    let region = region.cast::<Region>();
    let of_team = next!(omp_get_num_threads: Number);
    let number = next!(omp_get_thread_num: Number);
    // SAFETY: libgomp passes what `parallel` gave it, and returns to that only when all parts have come
    // to the barrier at the region's end. The functions have no conditions.
    let (of_region, of_first, body, data, code, share, threads, number) = unsafe {
        (
            ptr::addr_of_mut!((*region).place),
            ptr::addr_of_mut!((*region).first),
            (*region).body,
            (*region).data,
            (*region).code,
            (*region).share,
            of_team() as c_uint,
            number() as c_uint,
        )
    };
    let place = match number {
        0 => {
            // SAFETY: only the thread that has begun the region is its first, and uses this.
            unsafe { (*of_first).region = of_region };
            of_first
        }
        number => place::of_member(of_region, number),
    };
    tell! { IMPLICIT_TASK: ImplicitTask(endpoint::BEGIN, of_region, place.cast(), threads, number, place::IMPLICIT) }
    place::turn_to(place);
    if let Some(kind) = share {
        tell! { WORK: Work(kind, endpoint::BEGIN, of_region, place.cast(), 0, code) }
    }
    // SAFETY: it is the program's own function, and gets the program's own data.
    unsafe { body(data) };
    // The thread stays with this part, whose place is valid, while it is at the barrier.
    let kind = sync_region::BARRIER_IMPLICIT_PARALLEL;
    tell! { SYNC_REGION: SyncRegion(kind, endpoint::BEGIN, of_region, place.cast(), code) }
    tell! { SYNC_REGION_WAIT: SyncRegion(kind, endpoint::BEGIN, of_region, place.cast(), code) }
    // From here on the tool keeps something with the thread that it needs when this part ends.
    place::watch_end();
}

type Parallel = unsafe extern "C" fn(Body, *mut c_void, c_uint, c_uint);

/// # Safety
/// For code that gcc compiles.
#[no_mangle]
pub unsafe extern "C" fn GOMP_parallel(
    body: Body,
    data: *mut c_void,
    threads: c_uint,
    flags: c_uint,
) {
    let next = next!(GOMP_parallel: Parallel);
    let code = caller!();
    parallel((body, data), 0, threads, None, code, |body, data| {
        // SAFETY: what gcc's code passes goes on, or what stands for it.
        unsafe { next(body, data, threads, flags) }
    })
}

/// # Safety
/// For code that gcc compiles.
#[no_mangle]
pub unsafe extern "C" fn GOMP_parallel_reductions(
    body: Body,
    data: *mut c_void,
    threads: c_uint,
    flags: c_uint,
) -> c_uint {
    type Function = unsafe extern "C" fn(Body, *mut c_void, c_uint, c_uint) -> c_uint;
    let next = next!(GOMP_parallel_reductions: Function);
    let code = caller!();
    // SAFETY: gcc's code passes data that begin with the address of the reductions.
    let reductions = unsafe { *data.cast::<usize>() };
    parallel(
        (body, data),
        reductions,
        threads,
        None,
        code,
        |body, data| {
            // SAFETY: what gcc's code passes goes on, or what stands for it.
            unsafe { next(body, data, threads, flags) }
        },
    )
}

/// # Safety
/// For code that gcc compiles.
#[no_mangle]
pub unsafe extern "C" fn GOMP_parallel_sections(
    body: Body,
    data: *mut c_void,
    threads: c_uint,
    count: c_uint,
    flags: c_uint,
) {
    type Function = unsafe extern "C" fn(Body, *mut c_void, c_uint, c_uint, c_uint);
    let next = next!(GOMP_parallel_sections: Function);
    let code = caller!();
    let share = Some(work::SECTIONS);
    parallel((body, data), 0, threads, share, code, |body, data| {
        // SAFETY: what gcc's code passes goes on, or what stands for it.
        unsafe { next(body, data, threads, count, flags) }
    })
}

/// Regions that are one loop: their names, the loop's kind, and the types of its bounds and chunks.
macro_rules! loops {
    ($($name:ident, $kind:ident, ($($argument:ident: $type:ty),*);)*) => {$(
        /// # Safety
        /// For code that gcc compiles.
        #[no_mangle]
        pub unsafe extern "C" fn $name(
            body: Body,
            data: *mut c_void,
            threads: c_uint,
            $($argument: $type,)*
            flags: c_uint,
        ) {
            type Function = unsafe extern "C" fn(Body, *mut c_void, c_uint, $($type,)* c_uint);
            let next = next!($name: Function);
            let code = caller!();
            parallel((body, data), 0, threads, Some(work::$kind), code, |body, data| {
                // SAFETY: what gcc's code passes goes on, or what stands for it.
                unsafe { next(body, data, threads, $($argument,)* flags) }
            })
        }
    )*};
}

loops! {
    GOMP_parallel_loop_static, LOOP_STATIC, (start: c_long, end: c_long, step: c_long, chunk: c_long);
    GOMP_parallel_loop_dynamic, LOOP_DYNAMIC, (start: c_long, end: c_long, step: c_long, chunk: c_long);
    GOMP_parallel_loop_guided, LOOP_GUIDED, (start: c_long, end: c_long, step: c_long, chunk: c_long);
    GOMP_parallel_loop_nonmonotonic_dynamic, LOOP_DYNAMIC, (start: c_long, end: c_long, step: c_long, chunk: c_long);
    GOMP_parallel_loop_nonmonotonic_guided, LOOP_GUIDED, (start: c_long, end: c_long, step: c_long, chunk: c_long);
    GOMP_parallel_loop_runtime, LOOP_OTHER, (start: c_long, end: c_long, step: c_long);
    GOMP_parallel_loop_nonmonotonic_runtime, LOOP_OTHER, (start: c_long, end: c_long, step: c_long);
    GOMP_parallel_loop_maybe_nonmonotonic_runtime, LOOP_OTHER, (start: c_long, end: c_long, step: c_long);
}
