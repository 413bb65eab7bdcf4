//! Programs that become others, and that leave where and who they were.

use std::env;
use std::ffi::{CString, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};
use std::thread;

use crate::children::execute;
use crate::work;

pub fn run(name: &str, arguments: &[OsString]) -> Option<ExitCode> {
    match name {
        "exec-self" => {
            let left: u32 = arguments[0].to_str().unwrap().parse().unwrap();
            println!("{left}: {}", work::some());
            if left > 0 {
                let next = (left - 1).to_string();
                let error = Command::new(env::current_exe().unwrap())
                    .args(["exec-self", &next])
                    .exec();
                panic!("{error}");
            }
            return Some(ExitCode::from(21));
        }
        "exec-other" => {
            println!("{}", work::some());
            execute("/bin/sh", &["sh", "-c", "echo another; exit 22"]);
        }
        "exec-environment" => {
            work::some();
            execute("/bin/sh", &["sh", "-c", "env | sort"]);
        }
        "exec-in-thread" => {
            work::some();
            let thread =
                thread::spawn(|| execute("/bin/sh", &["sh", "-c", "echo another; exit 23"]));
            let _ = thread.join();
        }
        "exec-fails" => {
            work::some();
            let error = Command::new("/no/such/program").exec();
            println!("{error}: {}", work::some());
        }
        "chroot" => {
            work::some();
            fs::create_dir("jail").unwrap();
            // SAFETY: the name ends in a zero.
            work::check(unsafe { libc::chroot(c"jail".as_ptr()) });
            env::set_current_dir("/").unwrap();
            fs::write("inside", work::some().to_string()).unwrap();
        }
        "nobody" => {
            work::some();
            // SAFETY: calls of the kernel by number.
            unsafe {
                work::check(libc::setgroups(0, std::ptr::null()));
                work::check(libc::setgid(65534));
                work::check(libc::setuid(65534));
            }
            println!("{}", work::some());
            println!(
                "{:?}",
                fs::write("denied", "").map_err(|error| error.kind())
            );
        }
        "folder-removed" => {
            work::some();
            fs::create_dir("gone").unwrap();
            env::set_current_dir("gone").unwrap();
            fs::remove_dir("../gone").unwrap();
            println!("{} {}", work::some(), env::current_dir().is_err());
        }
        "other-folder" => {
            work::some();
            fs::create_dir("other").unwrap();
            env::set_current_dir("other").unwrap();
            fs::write("here", work::some().to_string()).unwrap();
        }
        "plugin" => {
            let sums: Vec<u64> = (0..3).map(|_| squares(&arguments[0])).collect();
            println!("{sums:?} {}", work::some());
        }
        "plugin-first" => println!("{} ", squares(&arguments[0])),
        "plugin-of-c" => {
            for _ in 0..5 {
                let doubled = rayon::join(|| call(&arguments[0], c"twice"), work::some).0;
                println!("{doubled}");
            }
        }
        _ => return None,
    }
    Some(ExitCode::SUCCESS)
}

fn squares(library: &OsString) -> u64 {
    call(library, c"squares")
}

/// Calls a function of a library, which is loaded for the call.
fn call(library: &OsString, function: &std::ffi::CStr) -> u64 {
    let library = CString::new(library.as_bytes()).unwrap();
    // SAFETY: the libraries' functions take a number and give one; nothing of them is kept when they are unloaded.
    unsafe {
        let handle = libc::dlopen(library.as_ptr(), libc::RTLD_NOW);
        assert!(!handle.is_null(), "cannot load {library:?}");
        let address = libc::dlsym(handle, function.as_ptr());
        assert!(!address.is_null());
        let function: extern "C" fn(u64) -> u64 = std::mem::transmute(address);
        let result = function(1000);
        libc::dlclose(handle);
        result
    }
}
