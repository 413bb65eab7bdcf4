//! Descriptors, streams, files and limits.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use crate::work;

pub fn run(name: &str, arguments: &[OsString]) -> Option<ExitCode> {
    match name {
        "close-all" => {
            work::for_millis(20);
            for descriptor in 3..1000 {
                close(descriptor);
            }
            return Some(write_files());
        }
        "close-from-0" => {
            work::for_millis(20);
            for descriptor in 0..1000 {
                close(descriptor);
            }
            // The third has the number of standard error. That there is no folder for the profile any more is to be said.
            let files = ["a", "b", "c"].map(|name| File::create(name).unwrap());
            work::for_millis(200);
            drop(files);
        }
        "close-range" => {
            work::for_millis(20);
            // SAFETY: the program holds no descriptor.
            unsafe { libc::close_range(3, u32::MAX, 0) };
            return Some(write_files());
        }
        "close-first" => {
            for descriptor in 3..1000 {
                close(descriptor);
            }
            work::for_millis(20);
            return Some(write_files());
        }
        "close-streams" => {
            println!("{}", work::some());
            for descriptor in 0..3 {
                close(descriptor);
            }
            let code = write_files();
            work::some();
            return Some(code);
        }
        "descriptors" => {
            work::for_millis(20);
            println!("{:?}", descriptors());
            let file = File::create("a").unwrap();
            println!("{file:?}");
        }
        "until-none-is-left" => {
            work::some();
            let opened: Vec<File> = std::iter::from_fn(|| File::open("/dev/null").ok()).collect();
            work::some();
            println!("{}", opened.len());
        }
        "own-file-limit" => {
            limit(libc::RLIMIT_FSIZE, 4096);
            let ended = write_files();
            work::for_millis(200);
            return Some(ended);
        }
        "beyond-own-file-limit" => {
            work::some();
            limit(libc::RLIMIT_FSIZE, 1000);
            fs::write("a", vec![b'x'; 5000]).unwrap();
        }
        "beyond-file-limit-ignored" => {
            // SAFETY: sets no handler.
            unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
            limit(libc::RLIMIT_FSIZE, 1000);
            work::for_millis(50);
            let error = fs::write("a", vec![b'x'; 5000]).unwrap_err();
            println!("{error}");
        }
        "own-descriptor-limit" => {
            limit(libc::RLIMIT_NOFILE, 3);
            println!("{}", work::some());
            println!("{}", File::open("/dev/null").is_err());
        }
        "processor-time" => {
            limit(libc::RLIMIT_CPU, 1);
            work::for_millis(60_000);
        }
        "no-more-threads" => {
            println!("{}", work::some());
            // SAFETY: calls of the kernel by number.
            unsafe { work::check(libc::setuid(65534)) };
            limit(libc::RLIMIT_NPROC, 1);
            println!("{}", thread::Builder::new().spawn(|| ()).is_err());
            println!("{}", work::some());
        }
        "writes-files" => {
            work::some();
            return Some(write_files());
        }
        "standard-input" => {
            let mut bytes = Vec::new();
            match io::stdin().read_to_end(&mut bytes) {
                Ok(_) => {
                    let sum = bytes
                        .iter()
                        .fold(0_u64, |sum, &byte| sum.wrapping_mul(31) + u64::from(byte));
                    println!("{} {sum} {}", bytes.len(), work::some());
                }
                Err(error) => println!("{error}"),
            }
        }
        "large-output" => {
            work::some();
            let line = vec![b'y'; 1023];
            let mut stdout = io::stdout().lock();
            for _ in 0..8192 {
                stdout.write_all(&line).unwrap();
                stdout.write_all(b"\n").unwrap();
            }
        }
        "prints-on-both" => {
            println!("out {}", work::some());
            eprintln!("error {}", work::some());
            fs::write("a", "written").unwrap();
            return Some(ExitCode::from(4));
        }
        "write-error" => {
            work::some();
            let written = io::stdout()
                .write_all(b"text\n")
                .and_then(|()| io::stdout().flush());
            fs::write("result", format!("{written:?}")).unwrap();
            return Some(ExitCode::from(u8::from(written.is_err()) + 20));
        }
        "append" => {
            for _ in 0..3 {
                let mut file = OpenOptions::new()
                    .append(true)
                    .create(true)
                    .open("log")
                    .unwrap();
                writeln!(file, "{}", work::some()).unwrap();
            }
        }
        "temporary" => {
            let folder = std::env::temp_dir();
            let ours = folder.join("mine");
            println!("{:?}", fs::write(&ours, "x").map_err(|error| error.kind()));
            println!("{}", work::some());
            println!("{:?}", fs::remove_file(&ours).map_err(|error| error.kind()));
        }
        "inherited" => {
            let descriptor: i32 = arguments[0].to_str().unwrap().parse().unwrap();
            let text = format!("{}\n", work::some());
            // SAFETY: the text is there for the call.
            let written = unsafe { libc::write(descriptor, text.as_ptr().cast(), text.len()) };
            println!("{written}");
        }
        _ => return None,
    }
    Some(ExitCode::SUCCESS)
}

fn close(descriptor: i32) {
    // SAFETY: descriptors that the standard library of this program holds are not used after.
    unsafe { libc::close(descriptor) };
}

/// The open descriptors, but the one that lists them.
fn descriptors() -> Vec<i32> {
    // SAFETY: asks for flags.
    (0..1024)
        .filter(|&descriptor| unsafe { libc::fcntl(descriptor, libc::F_GETFD) } >= 0)
        .collect()
}

pub fn limit(what: libc::__rlimit_resource_t, value: u64) {
    let limit = libc::rlimit {
        rlim_cur: value,
        rlim_max: value,
    };
    // SAFETY: the value is there for the call.
    work::check(unsafe { libc::setrlimit(what, &limit) });
}

/// Writes three files while tasks run, and looks whether they are what was written.
fn write_files() -> ExitCode {
    let names = ["a", "b", "c"];
    let mut files = names.map(|name| File::create(name).unwrap());
    let mut errors = 0;
    for round in 0..20 {
        for file in &mut files {
            errors += u8::from(writeln!(file, "round {round}: {}", work::fib(12)).is_err());
        }
        thread::sleep(Duration::from_millis(1));
    }
    ExitCode::from(errors)
}
