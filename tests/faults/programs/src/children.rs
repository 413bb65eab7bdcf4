//! Programs that fork, and that start others.

use std::ffi::{CString, OsString};
use std::fs;
use std::io::Write as _;
use std::process::{self, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rayon::ThreadPoolBuilder;

use crate::work;

pub fn run(name: &str, _: &[OsString]) -> Option<ExitCode> {
    match name {
        "fork-exit" => {
            println!("{}", work::some());
            let child = fork(|| process::exit(3));
            println!("{}", wait(child));
        }
        "fork-return" => {
            work::some();
            // SAFETY: the child goes on with this thread alone, and uses no pool.
            let child = work::check(unsafe { libc::fork() });
            if child == 0 {
                return Some(ExitCode::from(4));
            }
            println!("{}", wait(child));
        }
        "fork-before" => {
            let child = fork(|| {
                println!("child {}", work::some());
                process::exit(5)
            });
            println!("{}", wait(child));
            println!("parent {}", work::some());
        }
        "fork-underscore-exit" => {
            work::some();
            // SAFETY: ends the process, and takes no memory.
            let child = fork(|| unsafe { libc::_exit(6) });
            println!("{}", wait(child));
        }
        "fork-exec" => {
            work::some();
            let child = fork(|| {
                execute("/bin/sh", &["sh", "-c", "echo from the shell; exit 7"]);
            });
            println!("{}", wait(child));
        }
        "fork-again" => {
            work::some();
            let child = fork(|| {
                let grandchild = fork(|| process::exit(8));
                process::exit(wait(grandchild) + 1)
            });
            println!("{}", wait(child));
        }
        "fork-killed" => {
            work::some();
            let child = fork(|| {
                // SAFETY: ends the process.
                unsafe { libc::raise(libc::SIGTERM) };
            });
            println!("{}", wait(child));
        }
        "fork-panics" => {
            work::some();
            let child = fork(|| panic!("in the child"));
            println!("{}", wait(child));
        }
        "fork-in-task" => {
            let codes = rayon::join(work::some, || wait(fork(|| process::exit(9))));
            println!("{}", codes.1);
        }
        "fork-with-pool" => {
            work::some();
            let child = fork(|| {
                let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
                println!("child {}", pool.install(work::some));
                process::exit(10)
            });
            println!("{}", wait(child));
        }
        "fork-beside-pools" => fork_beside_pools(),
        "fork-with-threads" => {
            work::some();
            let child = fork(|| {
                let sums: Vec<_> = (0..4).map(|n| thread::spawn(move || n * 2)).collect();
                let sum: i32 = sums.into_iter().map(|thread| thread.join().unwrap()).sum();
                process::exit(sum)
            });
            println!("{}", wait(child));
        }
        "fork-long-record" => {
            work::for_millis(30);
            let children: Vec<i32> = (0..8).map(|n| fork(|| process::exit(n))).collect();
            work::for_millis(30);
            println!("{:?}", children.into_iter().map(wait).collect::<Vec<_>>());
        }
        "daemonize" => {
            println!("{}", work::some());
            daemonize();
            thread::sleep(Duration::from_millis(100));
            fs::write("daemon", "was here").unwrap();
        }
        "daemonize-first" => {
            daemonize();
            fs::write("daemon", work::some().to_string()).unwrap();
        }
        "child-outlives" => {
            work::some();
            fork(|| {
                thread::sleep(Duration::from_millis(300));
                fs::write("later", "from the child").unwrap();
                process::exit(0)
            });
            println!("parent ends");
        }
        "vfork" => {
            work::some();
            let codes: Vec<_> = (0..10)
                .map(|_| Command::new("true").status().unwrap().code())
                .collect();
            println!("{codes:?}");
        }
        "commands-beside-tasks" => {
            use rayon::prelude::*;
            let lengths: usize = (0..20)
                .into_par_iter()
                .map(|n| {
                    Command::new("echo")
                        .arg(n.to_string())
                        .output()
                        .unwrap()
                        .stdout
                        .len()
                })
                .sum();
            println!("{lengths}");
        }
        "command-with-pipes" => {
            work::some();
            let mut child = Command::new("sort")
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            child.stdin.take().unwrap().write_all(b"b\na\n").unwrap();
            print!(
                "{}",
                String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
            );
        }
        "environment-of-child" => {
            work::some();
            let output = Command::new("env").output().unwrap().stdout;
            let mut lines: Vec<_> = std::str::from_utf8(&output).unwrap().lines().collect();
            lines.sort_unstable();
            println!("{}", lines.join("\n"));
        }
        "only-own-children" => {
            work::some();
            let child = fork(|| process::exit(1));
            let mut status = 0;
            // SAFETY: the value is there for the calls.
            let (first, second) = unsafe { (libc::wait(&mut status), libc::wait(&mut status)) };
            println!("{} {second}", first == child);
        }
        _ => return None,
    }
    Some(ExitCode::SUCCESS)
}

/// Runs a function in a forked child, which it ends.
pub fn fork(child: impl FnOnce()) -> i32 {
    // SAFETY: the child goes on with this thread alone; what it may do there is what is tried.
    let process = work::check(unsafe { libc::fork() });
    if process == 0 {
        child();
        process::exit(99);
    }
    process
}

/// The exit code of a child, or 128 more than its signal.
pub fn wait(child: i32) -> i32 {
    let mut status = 0;
    // SAFETY: the value is there for the call.
    work::check(unsafe { libc::waitpid(child, &mut status, 0) });
    if libc::WIFEXITED(status) {
        libc::WEXITSTATUS(status)
    } else {
        128 + libc::WTERMSIG(status)
    }
}

/// Becomes another program.
pub fn execute(program: &str, arguments: &[&str]) {
    let program = CString::new(program).unwrap();
    let arguments: Vec<CString> = arguments
        .iter()
        .map(|text| CString::new(*text).unwrap())
        .collect();
    let mut pointers: Vec<_> = arguments.iter().map(|text| text.as_ptr()).collect();
    pointers.push(std::ptr::null());
    // SAFETY: the texts end in a zero, the list in a null pointer.
    unsafe { libc::execv(program.as_ptr(), pointers.as_ptr()) };
    panic!("{}", std::io::Error::last_os_error());
}

/// Leaves the parent, the session and the streams, as daemons do.
fn daemonize() {
    for _ in 0..2 {
        // SAFETY: the child goes on with this thread alone, and the parent ends without a destructor.
        unsafe {
            if work::check(libc::fork()) > 0 {
                libc::_exit(0);
            }
            libc::setsid();
        }
    }
    for descriptor in 0..1000 {
        // SAFETY: nothing of this program uses them after.
        unsafe { libc::close(descriptor) };
    }
    for _ in 0..3 {
        // SAFETY: the name ends in a zero.
        unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR) };
    }
}

/// A thread makes and ends pools while another forks children, which exit as programs do.
fn fork_beside_pools() {
    static DONE: AtomicBool = AtomicBool::new(false);
    let pools = thread::spawn(|| {
        while !DONE.load(Ordering::Relaxed) {
            let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
            pool.install(|| work::fib(3));
        }
    });
    let mut codes = [0; 2];
    for _ in 0..100 {
        // SAFETY: the child goes on with this thread alone. It ends as C programs do, through what the thread leaves.
        let child = work::check(unsafe { libc::fork() });
        if child == 0 {
            // SAFETY: runs what the process has registered for its end.
            unsafe { libc::exit(1) };
        }
        codes[usize::from(wait(child) == 1)] += 1;
    }
    DONE.store(true, Ordering::Relaxed);
    pools.join().unwrap();
    println!("{codes:?}");
}
