//! Signals that programs get, ignore and handle.

use std::ffi::OsString;
use std::io;
use std::mem;
use std::process::ExitCode;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::work;

static COUNT: AtomicU32 = AtomicU32::new(0);
static HANDLER_STACK: AtomicUsize = AtomicUsize::new(0);

pub fn run(name: &str, arguments: &[OsString]) -> Option<ExitCode> {
    match name {
        "raise" => {
            println!("{}", work::some());
            raise(number(arguments));
            // A profile is written before the end.
            thread::sleep(Duration::from_secs(5));
            println!("still there");
        }
        "raise-at-once" => {
            println!("{}", work::some());
            // SAFETY: what the signal does is what is tried.
            unsafe { libc::raise(number(arguments)) };
            println!("still there");
        }
        "raise-in-task" => {
            rayon::join(work::some, || raise(number(arguments)));
            thread::sleep(Duration::from_secs(5));
        }
        "raise-ignored" => {
            let signal = number(arguments);
            // SAFETY: sets no handler.
            unsafe { libc::signal(signal, libc::SIG_IGN) };
            rayon::join(work::some, || raise(signal));
            println!("ignored");
        }
        "raise-handled" => {
            let signal = number(arguments);
            handle(signal, count, 0);
            rayon::join(work::some, || raise(signal));
            println!("handled: {}", COUNT.load(Ordering::Relaxed));
        }
        "handler-exits" => {
            extern "C" fn exits(_: i32) {
                // SAFETY: ends the process, and takes no memory.
                unsafe { libc::_exit(12) }
            }
            let signal = number(arguments);
            handle(signal, exits, 0);
            work::some();
            raise(signal);
        }
        "fault" => {
            work::some();
            // SAFETY: there is nothing at that address: the process ends.
            unsafe { ptr::write_volatile(8 as *mut u32, 1) };
        }
        "fault-handled" => {
            extern "C" fn exits(_: i32) {
                let text = b"my handler\n";
                // SAFETY: writes a constant and ends the process.
                unsafe {
                    libc::write(1, text.as_ptr().cast(), text.len());
                    libc::_exit(13)
                }
            }
            handle(libc::SIGSEGV, exits, 0);
            // SAFETY: there is nothing at that address: the handler ends the process.
            rayon::join(work::some, || unsafe {
                ptr::write_volatile(8 as *mut u32, 1)
            });
        }
        "pipe" => {
            // SAFETY: sets no handler.
            unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
            work::some();
            let mut ends = [0; 2];
            // SAFETY: room for two descriptors, of which this function has the only use.
            unsafe {
                work::check(libc::pipe(ends.as_mut_ptr()));
                libc::close(ends[0]);
                libc::write(ends[1], ends.as_ptr().cast(), 1);
            }
        }
        "wait-for-signal" => {
            println!("ready");
            work::some();
            loop {
                thread::sleep(Duration::from_millis(10));
                work::fib(5);
            }
        }
        "wait-handled" => {
            for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGUSR1] {
                handle(signal, count, libc::SA_RESTART);
            }
            println!("ready");
            while COUNT.load(Ordering::Relaxed) == 0 {
                work::fib(10);
                thread::sleep(Duration::from_millis(1));
            }
            work::some();
            return Some(ExitCode::from(14));
        }
        "own-stack" => own_stack(),
        "profiling-timer" => profiling_timer(),
        "timer-of-thread" => timer_of_thread(),
        "blocked" => blocked(),
        "waits-for-a-signal" => waits_for_a_signal(),
        "interrupted-calls" => interrupted_calls(),
        "alarm" => {
            let soon = libc::itimerval {
                it_interval: libc::timeval {
                    tv_sec: 0,
                    tv_usec: 0,
                },
                it_value: libc::timeval {
                    tv_sec: 0,
                    tv_usec: 100_000,
                },
            };
            // SAFETY: the value is there for the call.
            work::check(unsafe { libc::setitimer(libc::ITIMER_REAL, &soon, ptr::null_mut()) });
            work::for_millis(10_000);
        }
        _ => return None,
    }
    Some(ExitCode::SUCCESS)
}

/// A pool first, then signals that all threads of the program block and one waits for.
fn waits_for_a_signal() {
    // A thread with this mask is what the engine starts its own from.
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .start_handler(|_| block_user_signal())
        .build()
        .unwrap();
    println!("{}", pool.install(work::some));
    // One thread may have done all of that before the other one has begun, with the signal open.
    pool.broadcast(|_| ());
    block_user_signal();
    let (mut set, mut number) = (empty_set(), 0);
    // SAFETY: the set and the number are there for the calls.
    unsafe {
        libc::sigaddset(&mut set, libc::SIGUSR1);
        work::check(libc::kill(libc::getpid(), libc::SIGUSR1));
        work::check(libc::sigwait(&set, &mut number));
    }
    println!("signal {number}");
}

fn block_user_signal() {
    let mut set = empty_set();
    // SAFETY: the set is there for the calls.
    unsafe {
        libc::sigaddset(&mut set, libc::SIGUSR1);
        work::check(libc::pthread_sigmask(
            libc::SIG_BLOCK,
            &set,
            ptr::null_mut(),
        ));
    }
}

fn empty_set() -> libc::sigset_t {
    // SAFETY: zeroes are a set, which the call makes empty.
    unsafe {
        let mut set = mem::zeroed();
        libc::sigemptyset(&mut set);
        set
    }
}

fn number(arguments: &[OsString]) -> i32 {
    arguments[0].to_str().unwrap().parse().unwrap()
}

fn raise(signal: i32) {
    // SAFETY: what the signal does is what is tried.
    unsafe { libc::kill(libc::getpid(), signal) };
    thread::sleep(Duration::from_millis(50));
}

extern "C" fn count(_: i32) {
    COUNT.fetch_add(1, Ordering::Relaxed);
}

fn handle(signal: i32, handler: extern "C" fn(i32), flags: i32) {
    // SAFETY: the handlers here do what handlers may; all zeros is an action without options.
    unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = flags;
        work::check(libc::sigaction(signal, &action, ptr::null_mut()));
    }
}

/// A handler runs on the alternate stack that the program has set, in a thread and in the main one.
fn own_stack() {
    extern "C" fn notes(_: i32) {
        let here = 0_u8;
        HANDLER_STACK.store(ptr::from_ref(&here) as usize, Ordering::Relaxed);
    }
    fn is_used() -> bool {
        let mut memory = vec![0_u8; 64 << 10];
        let stack = libc::stack_t {
            ss_sp: memory.as_mut_ptr().cast(),
            ss_flags: 0,
            ss_size: memory.len(),
        };
        let range = memory.as_ptr_range();
        // SAFETY: the memory is there until the stack is taken back below.
        unsafe {
            let mut before = mem::zeroed();
            work::check(libc::sigaltstack(&stack, &mut before));
            work::for_millis(50);
            libc::raise(libc::SIGUSR1);
            let mut now: libc::stack_t = mem::zeroed();
            work::check(libc::sigaltstack(&before, &mut now));
            let at = HANDLER_STACK.load(Ordering::Relaxed) as *const u8;
            range.contains(&at) && now.ss_sp == stack.ss_sp
        }
    }
    handle(libc::SIGUSR1, notes, libc::SA_ONSTACK);
    println!("main: {}", is_used());
    println!("thread: {}", thread::spawn(is_used).join().unwrap());
    println!("task: {}", rayon::join(is_used, work::some).0);
}

/// The program profiles itself by SIGPROF.
fn profiling_timer() {
    handle(libc::SIGPROF, count, libc::SA_RESTART);
    let often = libc::timeval {
        tv_sec: 0,
        tv_usec: 10_000,
    };
    let timer = libc::itimerval {
        it_interval: often,
        it_value: often,
    };
    // SAFETY: the value is there for the call.
    work::check(unsafe { libc::setitimer(libc::ITIMER_PROF, &timer, ptr::null_mut()) });
    work::for_millis(300);
    println!("ticks: {}", COUNT.load(Ordering::Relaxed) > 2);
}

/// The program has a timer of its own for the time of a thread, whose signal is SIGPROF.
fn timer_of_thread() {
    handle(libc::SIGPROF, count, libc::SA_RESTART);
    // SAFETY: all zeros is an event without options, and the values are there for the calls.
    unsafe {
        let mut event: libc::sigevent = mem::zeroed();
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = libc::SIGPROF;
        event.sigev_notify_thread_id = libc::gettid();
        let mut timer = mem::zeroed();
        let clock = libc::CLOCK_THREAD_CPUTIME_ID;
        work::check(libc::timer_create(clock, &mut event, &mut timer));
        let often = libc::timespec {
            tv_sec: 0,
            tv_nsec: 10_000_000,
        };
        let times = libc::itimerspec {
            it_interval: often,
            it_value: often,
        };
        work::check(libc::timer_settime(timer, 0, &times, ptr::null_mut()));
        let mut sum = 0_u64;
        while COUNT.load(Ordering::Relaxed) < 3 {
            sum = sum.wrapping_add(work::fib(3));
        }
        work::some();
        work::check(libc::timer_delete(timer));
    }
    println!("ticked");
}

/// With all signals blocked, one that the program sends is waited for.
fn blocked() {
    // SAFETY: the sets are initialised by the first call, and there for the others.
    unsafe {
        let mut all: libc::sigset_t = mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, ptr::null_mut());
        work::for_millis(50);
        libc::kill(libc::getpid(), libc::SIGTERM);
        let mut wanted: libc::sigset_t = mem::zeroed();
        libc::sigemptyset(&mut wanted);
        libc::sigaddset(&mut wanted, libc::SIGTERM);
        let mut got = 0;
        libc::sigwait(&wanted, &mut got);
        println!("got {got}");
        let mut now: libc::sigset_t = mem::zeroed();
        libc::pthread_sigmask(libc::SIG_SETMASK, ptr::null(), &mut now);
        let is_blocked = |signal| libc::sigismember(&now, signal) == 1;
        println!(
            "{:?}",
            [libc::SIGTERM, libc::SIGPROF, libc::SIGINT].map(is_blocked)
        );
    }
}

/// Calls that wait are not cut short: no error says that a signal came.
fn interrupted_calls() {
    let mut cut = 0;
    for _ in 0..30 {
        work::for_millis(5);
        let pause = libc::timespec {
            tv_sec: 0,
            tv_nsec: 2_000_000,
        };
        // SAFETY: the value is there for the call.
        if unsafe { libc::nanosleep(&pause, ptr::null_mut()) } != 0 {
            cut += 1;
        }
        let mut ends = [0; 2];
        // SAFETY: room for two descriptors, which are closed below.
        unsafe {
            work::check(libc::pipe(ends.as_mut_ptr()));
            let mut poll = libc::pollfd {
                fd: ends[0],
                events: libc::POLLIN,
                revents: 0,
            };
            if libc::poll(&mut poll, 1, 2) < 0 {
                cut += 1;
                eprintln!("{}", io::Error::last_os_error());
            }
            libc::close(ends[0]);
            libc::close(ends[1]);
        }
    }
    println!("cut short: {cut}");
}
