//! Explicit tasks, and loops whose pieces are tasks.
//!
//! libgomp keeps a copy of what a task needs, by a function of the program's or byte by byte, and calls the
//! task with it. What this library adds lies in front of the program's own data, and a function of its own
//! makes the copy. Three words of the data are libgomp's, too, and are passed on: in the first it puts the
//! event of a detached task before it copies, in the first two the bounds of a piece of a loop after that, and
//! in the third it looks for a loop's reductions.

use std::ffi::{c_int, c_long, c_uint, c_ulong, c_ulonglong, c_void};
use std::ptr;

use crate::abi::{endpoint, status, sync_region, task, Data};
use crate::dependences;
use crate::place::{self, Place};
use crate::regions::Body;
use crate::tool;
use crate::waits::{begin_group, end_group};

/// A function of the program's that copies a task's data: to, from.
type Copy = unsafe extern "C" fn(*mut c_void, *mut c_void);

/// `GOMP_TASK_FLAG_…` of gcc's `gomp-constants.h`.
mod flag {
    pub const UNTIED: u32 = 1;
    pub const FINAL: u32 = 1 << 1;
    pub const DEPEND: u32 = 1 << 3;
    pub const UP: u32 = 1 << 8;
    pub const GRAINSIZE: u32 = 1 << 9;
    pub const IF: u32 = 1 << 10;
    pub const NOGROUP: u32 = 1 << 11;
    pub const REDUCTION: u32 = 1 << 12;
    pub const DETACH: u32 = 1 << 13;
}

/// Words of the program's data that libgomp reads or writes.
type Words = [usize; 3];

/// What libgomp gets for the data of a task that is created, or of a loop.
#[repr(C)]
struct Source {
    words: Words,
    body: Body,
    data: *mut c_void,
    copy: Option<Copy>,
    size: usize,
    align: usize,
    flags: c_uint,
    code: *const c_void,
    is_deferred: bool,
    is_copied: bool,
    of: Of,
}

enum Of {
    /// A task, whose place the tool knows already.
    Task(Place),
    /// A loop, each piece of which is reported when its data is copied.
    Loop,
}

/// What lies in front of the copy of the program's data.
#[repr(C)]
struct Header {
    bounds: [usize; 2],
    body: Body,
    /// The data.
    data: *mut c_void,
    has_bounds: bool,
    /// Whether it is not to run where its group has been cancelled before it begins.
    is_discardable: bool,
    /// The flags and the code of a piece that is not deferred, which is reported when it begins.
    unreported: Option<(c_uint, *const c_void)>,
    place: Place,
}

/// How far behind the header the data lie that must lie at multiples of `alignment`.
fn offset(alignment: usize) -> usize {
    size_of::<Header>().next_multiple_of(alignment)
}

fn alignment(wanted: c_long) -> usize {
    (wanted as usize).max(align_of::<Header>())
}

/// Tells of a new task of the one that the calling thread executes.
///
/// # Safety
/// `place` is valid, and used by nobody else.
unsafe fn create(place: *mut Place, flags: c_uint, deferred: bool, code: *const c_void) {
    let parent = place::current();
    // SAFETY: the calling thread executes the parent, so that its place is valid; that of the new task is, too
    // (`# Safety`).
    let (within_final, is_final) = unsafe {
        let within_final = (*parent).is_final;
        (*place).is_final = within_final || flags & flag::FINAL != 0;
        (within_final, (*place).is_final)
    };
    let undeferred = within_final || !deferred;
    let of = |has: bool, flag| if has { flag } else { 0 };
    let reported = task::EXPLICIT
        | of(undeferred, task::UNDEFERRED)
        | of(flags & flag::UNTIED != 0, task::UNTIED)
        | of(is_final, task::FINAL);
    // By this the tool knows a task that its parent executes at once.
    if undeferred {
        place::turn_to(place);
    }
    let (parent_data, data): (*mut Data, *mut Data) = (parent.cast(), place.cast());
    let has_dependences = c_int::from(flags & flag::DEPEND != 0);
    tell! { TASK_CREATE: TaskCreate(parent_data, ptr::null(), data, reported, has_dependences, code) }
    place::turn_to(parent);
}

/// Copies what `source` stands for, for libgomp, behind a header.
unsafe extern "C" fn copy(to: *mut c_void, source: *mut c_void) {
    // SAFETY: libgomp passes the source that it was given, and a place of the size and the alignment that it
    // was given.
    unsafe {
        let source = source.cast::<Source>();
        let header = to.cast::<Header>();
        let (flags, code) = ((*source).flags, (*source).code);
        // libgomp has waited already; what the program's function does is work.
        if flags & flag::DEPEND != 0 {
            wait_for_dependences(endpoint::END, code);
        }
        let data = to.byte_add((*source).offset());
        if flags & flag::DETACH != 0 && !(*source).data.is_null() {
            *(*source).data.cast::<usize>() = (*source).words[0];
        }
        let size = (*source).size;
        match (*source).copy {
            Some(copy) => copy(data, (*source).data),
            None if size == 0 => {}
            None => data
                .cast::<u8>()
                .copy_from_nonoverlapping((*source).data.cast(), size),
        }
        (*source).is_copied = true;
        let region = place::region_of(place::current());
        let (place, has_bounds) = match &mut (*source).of {
            Of::Task(place) => (std::mem::replace(place, Place::new(region)), false),
            Of::Loop => (Place::new(region), true),
        };
        header.write(Header {
            bounds: [0; 2],
            body: (*source).body,
            data,
            has_bounds,
            // One with a copy that the program has made always runs, so that it destroys this.
            is_discardable: (*source).is_deferred && (*source).copy.is_none(),
            unreported: None,
            place,
        });
        if has_bounds && (*source).is_deferred {
            create(ptr::addr_of_mut!((*header).place), flags, true, code);
        } else if has_bounds {
            // libgomp makes all copies before it runs the first piece.
            (*header).unreported = Some((flags, code));
        }
    }
}

/// Executes a task.
unsafe extern "C" fn execute(header: *mut c_void) {
    let header = header.cast::<Header>();
    // SAFETY: libgomp passes what `copy` has made, and keeps it until this returns.
    let (place, body, data, is_discardable) = unsafe {
        let data = (*header).data;
        if (*header).has_bounds {
            *data.cast() = (*header).bounds;
        }
        let place = ptr::addr_of_mut!((*header).place);
        if let Some((flags, code)) = (*header).unreported {
            create(place, flags, false, code);
        }
        (place, (*header).body, data, (*header).is_discardable)
    };
    // libgomp itself runs all tasks of a cancelled group for which it has called a function that
    // copies.
    if is_discardable && is_cancelled() {
        return discard(place);
    }
    run(place, body, data);
}

/// Whether the innermost group of the task that the calling thread executes has been cancelled, or
/// the region.
fn is_cancelled() -> bool {
    /// `GOMP_CANCEL_TASKGROUP`.
    const TASKGROUP: c_int = 8;
    let is_cancelled = next!(GOMP_cancellation_point: unsafe extern "C" fn(c_int) -> bool);
    // SAFETY: the function has no conditions.
    unsafe { is_cancelled(TASKGROUP) }
}

/// The task at `place` ends before it begins.
fn discard(place: *mut Place) {
    let executed = place::current();
    tell! { TASK_SCHEDULE: TaskSchedule(place.cast(), status::CANCEL, executed.cast()) }
}

/// The task that the calling thread executes waits in libgomp, perhaps, for what a new one depends
/// on, where that is to run at once.
fn wait_for_dependences(endpoint: c_int, code: *const c_void) {
    let place = place::current();
    let (kind, region) = (sync_region::TASKGROUP, place::region_of(place));
    tell! { SYNC_REGION_WAIT: SyncRegion(kind, endpoint, region, place.cast(), code) }
}

/// Executes the task at `place`.
fn run(place: *mut Place, body: Body, data: *mut c_void) {
    let prior = place::current();
    tell! { TASK_SCHEDULE: TaskSchedule(prior.cast(), status::SWITCH, place.cast()) }
    place::turn_to(place);
    // SAFETY: it is the program's own function, and gets a copy of the program's own data.
    unsafe { body(data) };
    tell! { TASK_SCHEDULE: TaskSchedule(place.cast(), status::COMPLETE, prior.cast()) }
    place::turn_to(prior);
}

/// # Safety
/// For code that gcc compiles.
#[no_mangle]
pub unsafe extern "C" fn GOMP_task(
    body: Body,
    data: *mut c_void,
    copy: Option<Copy>,
    size: c_long,
    align: c_long,
    deferred: bool,
    flags: c_uint,
    depend: *mut *mut c_void,
    priority: c_int,
    event: *mut c_void,
) {
    type Function = unsafe extern "C" fn(
        Body,
        *mut c_void,
        Option<Copy>,
        c_long,
        c_long,
        bool,
        c_uint,
        *mut *mut c_void,
        c_int,
        *mut c_void,
    );
    let next = next!(GOMP_task: Function);
    let code = caller!();
    if !tool::is_on() {
        // SAFETY: what gcc's code passes goes on.
        return unsafe {
            next(
                body, data, copy, size, align, deferred, flags, depend, priority, event,
            )
        };
    }
    let align = alignment(align);
    let mut source = Source {
        words: [0; 3],
        body,
        data,
        copy,
        size: size as usize,
        align,
        flags,
        code,
        is_copied: false,
        // SAFETY: the calling thread executes the task, so that its place is valid.
        is_deferred: deferred && unsafe { !(*place::current()).is_final },
        of: Of::Task(Place::new(place::region_of(place::current()))),
    };
    if let Of::Task(place) = &mut source.of {
        let place: *mut Place = place;
        // SAFETY: it is on this function's stack.
        unsafe { create(place, flags, deferred, code) };
        if flags & flag::DEPEND != 0 {
            // SAFETY: gcc's code passes a list with this flag.
            let list = unsafe { dependences::of_list(depend.cast_const()) };
            tell! { DEPENDENCES: Dependences(place.cast(), list.as_ptr(), list.len() as c_int) }
            wait_for_dependences(endpoint::BEGIN, code);
        }
    }
    let size = offset(align) as c_long + size;
    let source: *mut Source = &mut source;
    // SAFETY: what gcc's code passes goes on, or what stands for it.
    unsafe {
        next(
            execute,
            source.cast(),
            Some(self::copy),
            size,
            align as c_long,
            deferred,
            flags,
            depend,
            priority,
            event,
        );
    }
    // SAFETY: it is on this function's stack, and libgomp is done with it.
    let source = unsafe { &mut *source };
    // libgomp makes no task in a group that has been cancelled.
    if let (Of::Task(place), false) = (&mut source.of, source.is_copied) {
        if flags & flag::DEPEND != 0 {
            wait_for_dependences(endpoint::END, code);
        }
        discard(place);
    }
}

/// Loops whose pieces are tasks.
macro_rules! taskloops {
    ($($name:ident, $bound:ty;)*) => {$(
        /// # Safety
        /// For code that gcc compiles.
        #[no_mangle]
        pub unsafe extern "C" fn $name(
            body: Body,
            data: *mut c_void,
            copy: Option<Copy>,
            size: c_long,
            align: c_long,
            flags: c_uint,
            tasks: c_ulong,
            priority: c_int,
            start: $bound,
            end: $bound,
            step: $bound,
        ) {
            type Function = unsafe extern "C" fn(
                Body, *mut c_void, Option<Copy>, c_long, c_long, c_uint, c_ulong, c_int, $bound, $bound, $bound,
            );
            let next = next!($name: Function);
            let code = caller!();
            let bounds = [start as i128, end as i128, step_of(step as i128, flags)];
            let is_in_place = tool::is_on() && runs_in_place(flags, tasks, bounds);
            if !tool::is_on() || is_in_place && copy.is_some() {
                // SAFETY: what gcc's code passes goes on.
                return unsafe {
                    next(body, data, copy, size, align, flags, tasks, priority, start, end, step)
                };
            }
            if is_in_place {
                // SAFETY: gcc's code passes the data that it says the size of.
                let (mut shared, reductions) = unsafe { Shared::new(body, (data, size, align), flags, code) };
                let (shared, size, align) = shared.as_argument();
                let run = |flags| {
                    // SAFETY: what gcc's code passes goes on, or what stands for it.
                    unsafe { next(execute_shared, shared, None, size, align, flags, tasks, priority, start, end, step) }
                };
                // SAFETY: the third word is the one that libgomp would read.
                return unsafe { in_group(flags, reductions, code, run) };
            }
            // SAFETY: gcc's code passes the data that it says the size of.
            let mut source = unsafe { Source::of_loop(body, (data, size, align), copy, flags, code) };
            let size = offset(source.align) as c_long + size;
            let align = source.align as c_long;
            let reductions = source.words[2];
            let run = |flags| {
                let source = ptr::addr_of_mut!(source).cast();
                // SAFETY: what gcc's code passes goes on, or what stands for it.
                unsafe { next(execute, source, Some(self::copy), size, align, flags, tasks, priority, start, end, step) }
            };
            // SAFETY: the third word is the one that libgomp would read.
            unsafe { in_group(flags, reductions, code, run) }
        }
    )*};
}

taskloops! {
    GOMP_taskloop, c_long;
    GOMP_taskloop_ull, c_ulonglong;
}

/// The step of a loop: an unsigned one is negative where the loop does not go up.
fn step_of(step: i128, flags: c_uint) -> i128 {
    match step > i64::MAX as i128 && flags & flag::UP == 0 {
        true => step - (1 << 64),
        false => step,
    }
}

/// Whether a loop certainly has so many pieces that libgomp does not queue them: the calling thread
/// runs them one after the other. With a function that copies data, libgomp would make all copies
/// at once, on the stack.
fn runs_in_place(flags: c_uint, tasks: c_ulong, [start, end, step]: [i128; 3]) -> bool {
    let in_team = next!(omp_get_num_threads: unsafe extern "C" fn() -> c_int);
    // SAFETY: the function has no conditions.
    let threads = i128::from(unsafe { in_team() });
    let iterations = match step {
        0 => 0,
        step => (end - start + step - step.signum()) / step,
    };
    let least = match (flags & flag::GRAINSIZE != 0, tasks as i128) {
        (true, grain) => iterations / grain.max(1),
        (false, 0) => threads,
        (false, tasks) => tasks,
    };
    least.min(iterations) > QUEUED_FOR_EACH_THREAD * threads
}

/// libgomp defers so many tasks for each thread of a team.
const QUEUED_FOR_EACH_THREAD: i128 = 64;

/// Runs a loop in a group of its own, unless it is to have none. libgomp would begin that group without being
/// called by its name, and so unreported.
///
/// # Safety
/// With the flag for reductions, `reductions` is the address that gcc's code passes for these.
unsafe fn in_group(
    flags: c_uint,
    reductions: usize,
    code: *const c_void,
    run: impl FnOnce(c_uint),
) {
    if flags & flag::NOGROUP != 0 {
        return run(flags);
    }
    begin_group(code);
    if flags & flag::REDUCTION != 0 {
        type Register = unsafe extern "C" fn(usize);
        let register = next!(GOMP_taskgroup_reduction_register: Register);
        // SAFETY: it is what gcc's code passes (`# Safety`).
        unsafe { register(reductions) };
    }
    run((flags | flag::NOGROUP) & !flag::REDUCTION);
    end_group(code);
}

/// What libgomp passes to each piece of a loop that it does not queue, one after the other: this,
/// and the program's data behind it.
#[repr(C)]
struct Front {
    bounds: [usize; 2],
    body: Body,
    flags: c_uint,
    code: *const c_void,
    offset: usize,
}

/// The memory for it.
struct Shared {
    memory: Vec<u8>,
    /// Where in it the front lies.
    at: usize,
    size: usize,
    align: usize,
}

impl Shared {
    /// With a copy of the data, and the word of them in which libgomp would look for reductions.
    ///
    /// # Safety
    /// The data have at least that size.
    unsafe fn new(
        body: Body,
        (data, size, align): (*mut c_void, c_long, c_long),
        flags: c_uint,
        code: *const c_void,
    ) -> (Self, usize) {
        let (length, align) = (size as usize, alignment(align));
        let offset = size_of::<Front>().next_multiple_of(align);
        let size = offset + length;
        let mut memory = vec![0_u8; size + align];
        let at = memory.as_ptr().align_offset(align);
        let front = Front {
            bounds: [0; 2],
            body,
            flags,
            code,
            offset,
        };
        // SAFETY: the memory is long enough for the front and for what follows it, aligned as both
        // need it; the data are as long as they are said to be (`# Safety`).
        let reductions = unsafe {
            let begin = memory.as_mut_ptr().add(at);
            begin.cast::<Front>().write(front);
            let copied = begin.add(offset);
            copied.copy_from_nonoverlapping(data.cast(), length);
            match length >= size_of::<Words>() {
                true => (*copied.cast::<Words>())[2],
                false => 0,
            }
        };
        let shared = Self {
            memory,
            at,
            size,
            align,
        };
        (shared, reductions)
    }

    /// What libgomp gets for the program's data, their size and alignment.
    fn as_argument(&mut self) -> (*mut c_void, c_long, c_long) {
        let begin = self.memory[self.at..].as_mut_ptr();
        (begin.cast(), self.size as c_long, self.align as c_long)
    }
}

/// Executes a piece of a loop whose pieces are not queued.
unsafe extern "C" fn execute_shared(front: *mut c_void) {
    let front = front.cast::<Front>();
    // SAFETY: libgomp passes what `Shared` has made, in which it has put the piece's bounds. No
    // other piece is executed meanwhile.
    let (body, data, flags, code) = unsafe {
        let data = front.cast::<c_void>().byte_add((*front).offset);
        *data.cast() = (*front).bounds;
        ((*front).body, data, (*front).flags, (*front).code)
    };
    let mut place = Place::new(place::region_of(place::current()));
    let place: *mut Place = &mut place;
    // SAFETY: it is on this function's stack.
    unsafe { create(place, flags, flags & flag::IF != 0, code) };
    run(place, body, data);
}

impl Source {
    fn offset(&self) -> usize {
        offset(self.align)
    }

    /// That of a loop.
    ///
    /// # Safety
    /// The data have at least that size.
    unsafe fn of_loop(
        body: Body,
        (data, size, align): (*mut c_void, c_long, c_long),
        copy: Option<Copy>,
        flags: c_uint,
        code: *const c_void,
    ) -> Self {
        let size = size as usize;
        let words = match size >= size_of::<Words>() {
            // SAFETY: the data are that long.
            true => unsafe { *data.cast::<Words>() },
            false => [0; 3],
        };
        let of = Of::Loop;
        let align = alignment(align);
        // SAFETY: the calling thread executes the task, so that its place is valid.
        let is_final = unsafe { (*place::current()).is_final };
        Self {
            words,
            body,
            data,
            copy,
            size,
            align,
            flags,
            code,
            is_deferred: flags & flag::IF != 0 && !is_final,
            is_copied: false,
            of,
        }
    }
}

/// # Safety
/// For code that gcc compiles.
#[no_mangle]
pub unsafe extern "C" fn GOMP_taskwait_depend(depend: *mut *mut c_void) {
    let next = next!(GOMP_taskwait_depend: unsafe extern "C" fn(*mut *mut c_void));
    let code = caller!();
    if !tool::is_on() {
        // SAFETY: what gcc's code passes goes on.
        return unsafe { next(depend) };
    }
    let parent = place::current();
    let mut place = Place::new(place::region_of(parent));
    let place: *mut Data = (ptr::addr_of_mut!(place)).cast();
    let flags = task::TASKWAIT | task::UNDEFERRED;
    tell! { TASK_CREATE: TaskCreate(parent.cast(), ptr::null(), place, flags, 1, code) }
    // SAFETY: gcc's code passes a list.
    let list = unsafe { dependences::of_list(depend.cast_const()) };
    tell! { DEPENDENCES: Dependences(place, list.as_ptr(), list.len() as c_int) }
    // SAFETY: what gcc's code passes goes on.
    unsafe { next(depend) };
    tell! { TASK_SCHEDULE: TaskSchedule(place, status::TASKWAIT_COMPLETE, parent.cast()) }
}
