//! Waits in calls of the kernel. Who waits for whom is arranged by asking the kernel which threads
//! sleep; nothing depends on how long.

#![cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(target_feature = "crt-static"),
    not(miri),
    not(workspan_sanitizer),
    not(loom)
))]

use std::ffi::{c_int, c_long, c_ulong, c_void};
use std::fs::{self, File};
use std::io::{Error, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _};
use std::process::{Command, Stdio};
use std::sync::mpsc::{channel, Sender};
use std::sync::{Mutex, RwLock};
use std::thread;
use std::time::Duration;
use workspan_rt::clock::Clock;
use workspan_rt::session::{self, Config};

/// The name of the calling thread to the kernel.
fn thread_id() -> String {
    let link = fs::read_link("/proc/thread-self").unwrap();
    link.file_name().unwrap().to_str().unwrap().to_owned()
}

/// Returns when the thread sleeps.
fn await_sleep(thread: &str) {
    loop {
        let stat = fs::read_to_string(format!("/proc/self/task/{thread}/stat")).unwrap();
        let (_, after_name) = stat.rsplit_once(") ").unwrap();
        if after_name.starts_with('S') {
            return;
        }
        thread::yield_now();
    }
}

/// The raw profile of a session in which `program` ran.
fn profile(clock: Clock, program: impl FnOnce()) -> String {
    session::start(Config {
        clock,
        ..Config::default()
    });
    program();
    session::finish().unwrap()
}

/// Runs `wait` on a thread of the program, and `go_on` once that thread sleeps in it.
fn while_it_sleeps(wait: impl FnOnce(Sender<String>) + Send, go_on: impl FnOnce()) {
    let (tell, told) = channel();
    thread::scope(|scope| {
        scope.spawn(|| wait(tell));
        await_sleep(&told.recv().unwrap());
        go_on();
    });
}

/// The words of the lines that begin with `first`.
fn lines<'a>(profile: &'a str, first: &str) -> Vec<Vec<&'a str>> {
    let lines = profile.lines().map(|line| line.split(' ').collect());
    lines
        .filter(|words: &Vec<&str>| words[0] == first)
        .collect()
}

/// The waits, and the calls that ended some, in queues of which both are known: queue, node, count.
fn met(profile: &str) -> Vec<(&str, &str, u64)> {
    let waits = lines(profile, "wait");
    let wakes = lines(profile, "wake");
    let queue = |words: &Vec<&str>| words[1].to_owned();
    let both = |words: &&Vec<&str>| {
        [&waits, &wakes]
            .iter()
            .all(|kind| kind.iter().any(|other| queue(other) == queue(words)))
    };
    let all = waits.iter().chain(&wakes).filter(both);
    all.map(|words| (words[0], words[2], words[3].parse().unwrap()))
        .collect()
}

/// A thread of the program waits for a lock that the root holds: both have their node.
fn a_lock_has_who_waits_and_who_holds_it() {
    let check = |found: String, kind: &str| {
        let met = met(&found);
        let of = |name: &str, node: bool| {
            let mut all = met.iter();
            all.any(|&(first, at, count)| first == name && (at != "0") == node && count > 0)
        };
        assert!(of("wait", true) && of("wake", false), "{kind}: {found}");
        let queues = lines(&found, "queue");
        assert!(
            queues.iter().all(|words| words[2] == "futex"),
            "{kind}: {found}"
        );
        for words in &queues {
            let [any, unwoken] = [words[3], words[4]].map(|time| time.parse::<i64>().unwrap());
            assert!(0 <= unwoken && unwoken <= any, "{kind}: {found}");
        }
    };
    let mutex = Mutex::new(());
    let found = profile(Clock::Monotonic, || {
        let guard = mutex.lock().unwrap();
        while_it_sleeps(
            |tell| {
                tell.send(thread_id()).unwrap();
                drop(mutex.lock().unwrap());
            },
            || drop(guard),
        );
    });
    check(found, "mutex");
    let shared = RwLock::new(());
    let found = profile(Clock::Monotonic, || {
        let guard = shared.read().unwrap();
        while_it_sleeps(
            |tell| {
                tell.send(thread_id()).unwrap();
                drop(shared.write().unwrap());
            },
            || drop(guard),
        );
    });
    check(found, "read and write");
    let (send, receive) = channel();
    let found = profile(Clock::Monotonic, || {
        while_it_sleeps(
            move |tell| {
                tell.send(thread_id()).unwrap();
                receive.recv().unwrap();
            },
            || send.send(()).unwrap(),
        );
    });
    check(found, "channel");
}

fn what_nobody_waits_for_leaves_no_trace() {
    let mutex = Mutex::new(0);
    let found = profile(Clock::Monotonic, || {
        for _ in 0..1_000 {
            *mutex.lock().unwrap() += 1;
        }
    });
    assert_eq!(lines(&found, "queue"), [[""; 0]; 0], "{found}");
    // Nor do clocks that do not measure time.
    let found = profile(Clock::Virtual, || thread::sleep(Duration::from_nanos(1)));
    assert_eq!(lines(&found, "queue"), [[""; 0]; 0], "{found}");
}

fn a_wait_that_does_not_end_counts() {
    let mutex = &Mutex::new(());
    thread::scope(|scope| {
        let guard = mutex.lock().unwrap();
        let found = profile(Clock::Monotonic, || {
            let (tell, told) = channel();
            scope.spawn(move || {
                tell.send(thread_id()).unwrap();
                drop(mutex.lock().unwrap());
            });
            await_sleep(&told.recv().unwrap());
        });
        let waits = lines(&found, "wait");
        let is_open = |words: &&Vec<&str>| words[2] != "0" && words[3..6] == ["1", words[4], "1"];
        let open = waits.iter().find(is_open).expect(&found);
        // It has lasted as long as it has counted, and since then.
        assert_eq!(open[4], open[6], "{found}");
        drop(guard);
    });
}

fn sleep_is_told_apart() {
    let found = profile(Clock::Monotonic, || {
        for _ in 0..3 {
            thread::sleep(Duration::from_nanos(1));
        }
    });
    let queues = lines(&found, "queue");
    assert_eq!(queues.len(), 1, "{found}");
    assert_eq!(queues[0][2], "sleep");
    let waits = lines(&found, "wait");
    assert_eq!((waits.len(), waits[0][3]), (1, "3"), "{found}");
}

/// Who joins a thread waits for its end, and not for the futex at which the C library does.
fn a_join_is_told_apart() {
    let found = profile(Clock::Monotonic, || {
        let joins = thread_id();
        let thread = thread::spawn(move || await_sleep(&joins));
        thread.join().unwrap();
    });
    let queues = lines(&found, "queue");
    assert_eq!(queues.len(), 1, "{found}");
    assert_eq!(queues[0][2], "thread");
    let waits = lines(&found, "wait");
    assert_eq!(
        (waits.len(), &waits[0][2..4]),
        (1, &["0", "1"][..]),
        "{found}"
    );
}

/// The waits in queues of this kind.
fn waits_of<'a>(profile: &'a str, kind: &str) -> Vec<Vec<&'a str>> {
    let queues = lines(profile, "queue");
    let is_meant = |queue: &Vec<&str>| queue[2] == kind;
    let numbers: Vec<&str> = (queues.iter().filter(|queue| is_meant(queue)))
        .map(|queue| queue[1])
        .collect();
    let mut waits = lines(profile, "wait");
    waits.retain(|wait| numbers.contains(&wait[1]));
    waits
}

/// A thread of the program reads from a pipe, into which the root writes while it sleeps.
fn input_has_a_queue_of_its_own() {
    let found = profile(Clock::Monotonic, || {
        let mut ends = [0; 2];
        // SAFETY: the call writes the two descriptors, which are then owned by nobody else.
        let [from, mut to] = unsafe {
            assert_eq!(pipe(ends.as_mut_ptr()), 0);
            ends.map(|end| File::from_raw_fd(end))
        };
        while_it_sleeps(
            move |tell| {
                tell.send(thread_id()).unwrap();
                let mut byte = 0_u8;
                let byte = std::ptr::from_mut(&mut byte).cast();
                // SAFETY: the call writes at most the one byte.
                let read = || unsafe { read(from.as_raw_fd(), byte, 1) as c_long };
                assert_eq!(seen(read), (1, 12_345));
            },
            || {
                // It takes a while until a thread that sleeps has waited.
                thread::sleep(Duration::from_millis(1));
                to.write_all(&[7]).unwrap();
            },
        );
    });
    let waits = waits_of(&found, "outside");
    let is_of_thread = |wait: &&Vec<&str>| wait[2] != "0";
    let wait = waits.iter().find(is_of_thread).expect(&found);
    let [count, nanos] = [wait[3], wait[4]].map(|figure| figure.parse::<i64>().unwrap());
    assert!(count == 1 && nanos >= 20_000, "{found}");
}

/// A thread of the program waits for a process that ends when the root closes its input.
fn child_processes_have_a_queue_of_their_own() {
    let found = profile(Clock::Monotonic, || {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take();
        while_it_sleeps(
            move |tell| {
                tell.send(thread_id()).unwrap();
                assert!(child.wait().unwrap().success());
            },
            || {
                thread::sleep(Duration::from_millis(1));
                drop(input);
            },
        );
    });
    let waits = waits_of(&found, "child");
    assert!(waits.len() == 1 && waits[0][2] != "0", "{found}");
}

extern "C" {
    fn syscall(number: c_long, ...) -> c_long;
    fn pipe(ends: *mut c_int) -> c_int;
    fn read(descriptor: c_int, to: *mut c_void, length: usize) -> isize;
    fn getpid() -> c_int;
    fn sched_getaffinity(thread: c_int, length: usize, mask: *mut Mask) -> c_int;
    fn sched_setaffinity(thread: c_int, length: usize, mask: *const Mask) -> c_int;
    fn pthread_self() -> c_ulong;
    fn pthread_setaffinity_np(thread: c_ulong, length: usize, mask: *const Mask) -> c_int;
    fn clone(
        f: extern "C" fn(*mut c_void) -> c_int,
        stack: *mut c_void,
        flags: c_int,
        argument: *mut c_void,
        ...
    ) -> c_int;
    fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn mmap(
        at: *mut c_void,
        length: usize,
        may: c_int,
        kind: c_int,
        of: c_int,
        from: i64,
    ) -> *mut c_void;
    fn mprotect(at: *mut c_void, length: usize, may: c_int) -> c_int;
    fn munmap(at: *mut c_void, length: usize) -> c_int;
    fn __errno_location() -> *mut c_int;
}

/// A bit for each processor.
type Mask = [u64; 16];

/// `CLONE_VM`, `CLONE_VFORK` and `SIGCHLD`.
const AS_VFORK: c_int = 0x100 | 0x4000 | 17;

#[cfg(target_arch = "x86_64")]
mod number {
    pub const GETPID: super::c_long = 39;
    pub const CLOSE: super::c_long = 3;
    pub const PREAD: super::c_long = 17;
    pub const FUTEX: super::c_long = 202;
    pub const GETAFFINITY: super::c_long = 204;
    pub const NONE: super::c_long = 100_000;
}
#[cfg(target_arch = "aarch64")]
mod number {
    pub const GETPID: super::c_long = 172;
    pub const CLOSE: super::c_long = 57;
    pub const PREAD: super::c_long = 67;
    pub const FUTEX: super::c_long = 98;
    pub const GETAFFINITY: super::c_long = 123;
    pub const NONE: super::c_long = 100_000;
}

/// What a call returns, and `errno` after it, if that was 12,345 before.
fn seen(call: impl FnOnce() -> c_long) -> (c_long, c_int) {
    // SAFETY: the variable is the calling thread's own.
    unsafe { *__errno_location() = 12_345 };
    let result = call();
    (result, Error::last_os_error().raw_os_error().unwrap())
}

/// Results and `errno` are those of syscall(2), whether or not the engine is on.
fn calls_go_on_unchanged() {
    const WAIT_PRIVATE: c_int = 128;
    const WAKE_PRIVATE: c_int = 129;
    const KEPT: c_int = 12_345;
    const EBADF: c_int = 9;
    const EAGAIN: c_int = 11;
    const EFAULT: c_int = 14;
    const ENOSYS: c_int = 38;
    const ETIMEDOUT: c_int = 110;
    let word = 7_u32;
    let word: *const u32 = &word;
    let no_time: *const [i64; 2] = &[0, 1];
    let check = || {
        // SAFETY: each call has the arguments of its number, and writes nothing but `buffer`.
        unsafe {
            let pid = c_long::from(getpid());
            assert_eq!(seen(|| syscall(number::GETPID)), (pid, KEPT));
            assert_eq!(seen(|| syscall(number::CLOSE, -1)), (-1, EBADF));
            assert_eq!(seen(|| syscall(number::NONE)), (-1, ENOSYS));
            let nothing = std::ptr::null_mut();
            assert_eq!(seen(|| read(-1, nothing, 0) as c_long), (-1, EBADF));
            let file = File::open("/proc/self/exe").unwrap();
            let descriptor = file.as_raw_fd();
            let mut buffer = [0_u8; 3];
            let read = || {
                syscall(
                    number::PREAD,
                    descriptor,
                    buffer.as_mut_ptr(),
                    3_usize,
                    1_i64,
                )
            };
            assert_eq!(seen(read), (3, KEPT));
            assert_eq!(&buffer, b"ELF");
            let futex = |operation: c_int, value: u32, time: *const [i64; 2]| {
                move || syscall(number::FUTEX, word, operation, value, time)
            };
            let forever = std::ptr::null();
            assert_eq!(seen(futex(WAIT_PRIVATE, 8, forever)), (-1, EAGAIN));
            assert_eq!(seen(futex(WAIT_PRIVATE, 7, no_time)), (-1, ETIMEDOUT));
            assert_eq!(seen(futex(WAKE_PRIVATE, 1, forever)), (0, KEPT));
            let nowhere = || syscall(number::FUTEX, 0_usize, WAIT_PRIVATE, 0, forever);
            assert_eq!(seen(nowhere), (-1, EFAULT));
        }
    };
    check();
    let found = profile(Clock::Monotonic, check);
    let waits = lines(&found, "wait");
    // Of those, one waited until its time was over; where there was nothing to wait for, nobody did.
    assert_eq!((waits.len(), waits[0][3]), (1, "1"), "{found}");
}

/// The processors that the calling thread may run on.
fn allowed() -> Mask {
    let mut mask = [0; 16];
    // SAFETY: the call writes no more than the length that it is given.
    let result = unsafe { sched_getaffinity(0, size_of::<Mask>(), &mut mask) };
    assert_eq!(result, 0);
    mask
}

/// Lets the thread of this number run on these processors alone.
fn restrict(thread: c_int, mask: Mask) -> (c_long, c_int) {
    // SAFETY: the call reads no more than the length that it is given.
    seen(|| unsafe { sched_setaffinity(thread, size_of::<Mask>(), &mask) }.into())
}

/// As [`restrict`] of the calling thread, by the other function.
fn restrict_by_handle(mask: Mask) -> (c_long, c_int) {
    // SAFETY: as there; the thread runs.
    seen(|| unsafe { pthread_setaffinity_np(pthread_self(), size_of::<Mask>(), &mask) }.into())
}

/// The first of these processors.
fn first_of(all: Mask) -> Mask {
    let mut one = [0; 16];
    let word = all.iter().position(|&word| word != 0).unwrap();
    one[word] = all[word] & all[word].wrapping_neg();
    one
}

/// Checks how often a program restricts threads, which gets the processors that it may run on and the
/// first of these: of a single one, there are no fewer.
fn check_restrictions(count: u32, program: impl FnOnce(Mask, Mask)) {
    let all = allowed();
    let found = profile(Clock::Monotonic, || program(all, first_of(all)));
    assert_eq!(restrict(0, all), (0, 12_345));
    let restrictions = lines(&found, "restriction");
    let counts = restrictions.iter().map(|words| words[2].parse::<u32>());
    let noted: u32 = counts.map(Result::unwrap).sum();
    let may_restrict = all != first_of(all);
    assert_eq!(noted, count * u32::from(may_restrict), "{found}");
}

/// Only a call after which the thread may run on fewer processors than before is a restriction.
fn who_restricts_threads_is_noted() {
    check_restrictions(2, |all, one| {
        assert_eq!(restrict(0, one), (0, 12_345));
        assert_eq!(restrict(0, one), (0, 12_345));
        assert_eq!(restrict(0, [0; 16]), (-1, 22));
        assert_eq!(restrict(0, all), (0, 12_345));
        assert_eq!(restrict_by_handle(one), (0, 12_345));
        assert_eq!(restrict_by_handle(one), (0, 12_345));
        assert_eq!(restrict_by_handle([0; 16]), (22, 12_345));
        assert_eq!(restrict_by_handle(all), (0, 12_345));
    });
}

/// Processors that the machine lacks do not count.
fn a_mask_with_other_processors_restricts() {
    check_restrictions(1, |_, one| {
        let mut and_others = one;
        // No machine that runs this has more than 512.
        and_others[8..].fill(u64::MAX);
        assert_eq!(restrict(0, and_others), (0, 12_345));
        assert_eq!(allowed(), one);
    });
}

/// Threads of the process count whoever restricts them, but no other process.
fn other_processes_are_not_the_programs_threads() {
    check_restrictions(0, |_, one| {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        assert_eq!(restrict(child.id() as c_int, one), (0, 12_345));
        assert!(child.wait().unwrap().success());
        let mut stack = vec![0_u128; 4_096];
        let top = stack.as_mut_ptr_range().end.cast();
        let mask: *const Mask = &one;
        // SAFETY: the child has a stack of its own, while this thread waits for its end.
        let child = unsafe { clone(restrict_child, top, AS_VFORK, mask.cast_mut().cast()) };
        let mut status = 0;
        // SAFETY: the call writes only the status.
        assert_eq!(unsafe { waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0);
    });
    check_restrictions(1, |_, one| {
        let (tell, told) = channel();
        let (end, ended) = channel::<()>();
        thread::scope(|scope| {
            scope.spawn(move || {
                tell.send(thread_id()).unwrap();
                assert!(ended.recv().is_err());
            });
            let other = told.recv().unwrap().parse().unwrap();
            assert_eq!(restrict(other, one), (0, 12_345));
            drop(end);
        });
    });
}

/// A child that shares this memory, as vfork(2) makes it, and restricts itself.
extern "C" fn restrict_child(mask: *mut c_void) -> c_int {
    // SAFETY: it is the mask that this child was given.
    let (result, _) = restrict(0, unsafe { *mask.cast::<Mask>() });
    c_int::from(result != 0)
}

/// The kernel reads no more of a mask than it has processors, whatever the length.
fn no_more_of_a_mask_is_read_than_the_kernel_reads() {
    const PAGE: usize = 65_536;
    const READ_WRITE: c_int = 1 | 2;
    const PRIVATE_ANONYMOUS: c_int = 2 | 0x20;
    let mut mask = vec![0_u8; PAGE];
    // SAFETY: the call writes no more than the length that it is given.
    let length = unsafe { syscall(number::GETAFFINITY, 0, PAGE, mask.as_mut_ptr()) };
    let length = usize::try_from(length).unwrap();
    // SAFETY: the pages are this function's own; the first one is written, and the second taken away.
    let pages = unsafe {
        let pages = mmap(
            std::ptr::null_mut(),
            2 * PAGE,
            READ_WRITE,
            PRIVATE_ANONYMOUS,
            -1,
            0,
        );
        assert_ne!(pages as isize, -1);
        assert_eq!(mprotect(pages.byte_add(PAGE), PAGE, 0), 0);
        pages
    };
    check_restrictions(1, |_, one| {
        let one = one.map(u64::to_ne_bytes);
        let at = pages.cast::<u8>().wrapping_add(PAGE - length);
        // SAFETY: the mask ends where the first page does.
        let result = unsafe {
            std::ptr::copy(
                one.as_flattened().as_ptr(),
                at,
                length.min(size_of::<Mask>()),
            );
            sched_setaffinity(0, PAGE, at.cast())
        };
        assert_eq!(result, 0);
    });
    // SAFETY: nothing uses the pages any more.
    assert_eq!(unsafe { munmap(pages, 2 * PAGE) }, 0);
}

/// A single test: a thread that the test harness starts for another would belong to the program.
#[test]
fn waits() {
    calls_go_on_unchanged();
    who_restricts_threads_is_noted();
    a_mask_with_other_processors_restricts();
    other_processes_are_not_the_programs_threads();
    no_more_of_a_mask_is_read_than_the_kernel_reads();
    what_nobody_waits_for_leaves_no_trace();
    sleep_is_told_apart();
    a_join_is_told_apart();
    input_has_a_queue_of_its_own();
    child_processes_have_a_queue_of_their_own();
    a_lock_has_who_waits_and_who_holds_it();
    a_wait_that_does_not_end_counts();
}
