//! What a program finds around itself.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::process::ExitCode;

use crate::work;

pub fn run(name: &str, _: &[OsString]) -> Option<ExitCode> {
    match name {
        "environment" => {
            let mut variables: Vec<_> = env::vars_os().collect();
            variables.sort();
            for (name, value) in variables {
                println!("{name:?}={value:?}");
            }
            println!("{}", work::some());
        }
        "arguments" => {
            println!("{:?}", env::args_os().collect::<Vec<_>>());
            println!("{:?}", env::current_exe());
            println!("{:?}", env::current_dir());
            println!("{:?}", fs::read("/proc/self/cmdline"));
            println!("{:?}", fs::read_to_string("/proc/self/comm"));
            println!("{}", work::some());
        }
        "process" => {
            println!("{}", work::some());
            // SAFETY: questions to the kernel, and a mask that is put back.
            unsafe {
                println!("user {} {}", libc::getuid(), libc::getgid());
                println!("nice {}", libc::getpriority(libc::PRIO_PROCESS, 0));
                println!("scheduler {}", libc::sched_getscheduler(0));
                println!("dumpable {}", libc::prctl(libc::PR_GET_DUMPABLE));
                println!("mask {:o}", libc::umask(0o22));
                let mut cores: libc::cpu_set_t = std::mem::zeroed();
                libc::sched_getaffinity(0, size_of_val(&cores), &mut cores);
                println!("cores {}", libc::CPU_COUNT(&cores));
            }
            // The stack's is larger: frames of profiled code are.
            for limit in [
                libc::RLIMIT_NOFILE,
                libc::RLIMIT_CORE,
                libc::RLIMIT_FSIZE,
                libc::RLIMIT_AS,
            ] {
                let mut value = libc::rlimit {
                    rlim_cur: 0,
                    rlim_max: 0,
                };
                // SAFETY: room for the answer.
                unsafe { libc::getrlimit(limit, &mut value) };
                println!("limit {limit}: {} {}", value.rlim_cur, value.rlim_max);
            }
        }
        "signal-masks" => {
            let status = fs::read_to_string("/proc/self/status").unwrap();
            for line in status.lines() {
                let Some((name @ ("SigBlk" | "SigIgn"), mask)) = line.split_once(":\t") else {
                    continue;
                };
                // Two belong to the C library, which ignores them in programs that `posix_spawn` starts.
                let mask = u64::from_str_radix(mask, 16).unwrap() & !(3 << 31);
                println!("{name} {mask:x}");
            }
            work::some();
        }
        "name-and-locale" => {
            // SAFETY: the name ends in a zero, as the answers do.
            unsafe {
                let locale = libc::setlocale(libc::LC_ALL, std::ptr::null());
                println!("{:?}", std::ffi::CStr::from_ptr(locale));
                let mut parts: libc::tm = std::mem::zeroed();
                libc::localtime_r(&0, &mut parts);
                println!("{}:{}", parts.tm_hour, parts.tm_gmtoff);
            }
            println!("{}", work::some());
        }
        "parent" => {
            // SAFETY: a question to the kernel, or to a library loaded before, whose answer is 4242.
            println!("{} {}", unsafe { libc::getppid() } == 4242, work::some());
        }
        "pages" => {
            // SAFETY: a question whose answer counts pages.
            let locked = unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE) };
            println!("{locked} {}", work::some());
        }
        _ => return None,
    }
    Some(ExitCode::SUCCESS)
}
