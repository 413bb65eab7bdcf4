//! Ways in which programs end.

use std::cell::RefCell;
use std::ffi::OsString;
use std::panic::{self, AssertUnwindSafe};
use std::process::{self, ExitCode};
use std::thread;
use std::time::Duration;

use crate::work;

pub fn run(name: &str, _: &[OsString]) -> Option<ExitCode> {
    match name {
        "work" => {}
        "panic-main" => {
            println!("{}", work::some());
            panic!("in main");
        }
        "panic-join" => panic_in_join(),
        "panic-scope" => panic_in_scope(),
        "panic-spawn" => {
            work::some();
            rayon::spawn(|| panic!("in a spawned task"));
            thread::sleep(Duration::from_secs(5));
        }
        "panic-handler" => panic_with_a_handler(),
        "panic-par-iter" => panic_in_a_loop(),
        "panic-twice" => {
            struct Bomb;
            impl Drop for Bomb {
                fn drop(&mut self) {
                    panic!("a second time");
                }
            }
            rayon::join(work::some, || {
                let _bomb = Bomb;
                panic!("a first time");
            });
        }
        "panic-hook" => {
            panic::set_hook(Box::new(|_| println!("hook: {}", work::some())));
            let result = panic::catch_unwind(|| rayon::join(work::some, || panic!("caught")));
            println!("caught: {}", result.is_err());
        }
        "abort" => {
            work::some();
            process::abort();
        }
        "exit-in-main" => {
            work::some();
            process::exit(3);
        }
        "exit-in-task" => {
            rayon::join(work::some, || process::exit(7));
        }
        "exit-in-scope" => rayon::scope(|scope| {
            scope.spawn(|_| {
                work::some();
            });
            scope.spawn(|_| process::exit(8));
        }),
        "exit-in-thread" => {
            work::some();
            let _ = thread::spawn(|| process::exit(9)).join();
        }
        "exit-code" => {
            println!("{}", work::some());
            return Some(ExitCode::from(42));
        }
        "exit-255" => process::exit(255),
        "underscore-exit" => {
            println!("{}", work::some());
            // SAFETY: ends the process, and takes no memory.
            unsafe { libc::_exit(5) }
        }
        "threads-at-exit" => {
            for _ in 0..4 {
                thread::spawn(|| {
                    loop {
                        work::some();
                    }
                });
            }
            println!("{}", work::some());
        }
        "tasks-at-exit" => {
            for _ in 0..1000 {
                rayon::spawn(|| {
                    work::for_millis(1000);
                });
            }
            println!("spawned");
        }
        "thread-locals" => thread_locals(),
        "atexit" => {
            extern "C" fn last() {
                println!("atexit: {}", work::some());
            }
            // SAFETY: the function stays, and does not unwind.
            work::check(unsafe { libc::atexit(last) });
            println!("{}", work::some());
        }
        "atexit-first" => {
            extern "C" fn last() {
                println!("atexit: {}", work::fib(5));
            }
            // SAFETY: the function stays, and does not unwind.
            work::check(unsafe { libc::atexit(last) });
            println!("no task before");
        }
        "atexit-exit" => {
            extern "C" fn last() {
                // SAFETY: ends the process, and takes no memory.
                unsafe { libc::_exit(6) }
            }
            // SAFETY: the function stays, and does not unwind.
            work::check(unsafe { libc::atexit(last) });
            println!("{}", work::some());
        }
        "stack-overflow" => {
            fn deeper(depth: u64) -> u64 {
                let (a, b) = rayon::join(|| deeper(depth + 1), || depth);
                a + b
            }
            println!("{}", deeper(0));
        }
        _ => return None,
    }
    if name == "work" {
        println!("{}", work::some());
    }
    Some(ExitCode::SUCCESS)
}

fn is_caught(run: impl FnOnce()) -> bool {
    panic::catch_unwind(AssertUnwindSafe(run)).is_err()
}

fn panic_in_join() {
    let left = || {
        rayon::join(|| panic!("left"), work::some);
    };
    println!("left: {}", is_caught(left));
    let right = || {
        rayon::join(work::some, || panic!("right"));
    };
    println!("right: {}", is_caught(right));
    println!("{}", work::some());
    rayon::join(|| rayon::join(|| panic!("inner"), work::some), work::some);
}

fn panic_in_scope() {
    let body = || {
        rayon::scope(|scope| {
            for i in 0..20 {
                scope.spawn(move |_| assert!(i != 13, "task 13"));
            }
        });
    };
    println!("task: {}", is_caught(body));
    rayon::scope(|scope| {
        scope.spawn(|_| {
            work::some();
        });
        panic!("body");
    });
}

fn panic_with_a_handler() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .panic_handler(|_| {
            println!("handled: {}", work::fib(5));
            process::exit(11);
        })
        .build()
        .unwrap();
    pool.spawn(|| panic!("in a spawned task"));
    thread::sleep(Duration::from_secs(5));
}

fn panic_in_a_loop() {
    use rayon::prelude::*;
    let sums = |last: u64| {
        (0..1000_u64)
            .into_par_iter()
            .map(|n| if n == last { panic!("item {n}") } else { n })
            .sum::<u64>()
    };
    println!("caught: {}", is_caught(|| assert_eq!(sums(700), 0)));
    println!("{}", sums(1000));
    sums(999);
}

fn thread_locals() {
    struct Last(&'static str);
    impl Drop for Last {
        fn drop(&mut self) {
            // A write, as the standard stream may be gone by now.
            let text = format!("{}: {}\n", self.0, work::fib(8));
            // SAFETY: the text is there for the call.
            unsafe { libc::write(1, text.as_ptr().cast(), text.len()) };
        }
    }
    thread_local!(static LAST: RefCell<Option<Last>> = const { RefCell::new(None) });
    let set = |name| LAST.with_borrow_mut(|last| *last = Some(Last(name)));
    work::some();
    for _ in 0..10 {
        let ended = thread::spawn(move || {
            set("thread");
            work::some();
        });
        ended.join().unwrap();
    }
    set("main");
}
