//! Files that the engine writes, and how it writes them without harm to the program.
//!
//! **No descriptor is kept.** A program may close all descriptors, as daemons do, and open files of
//! its own, which then get the numbers of the engine's. So each write opens the file by its path,
//! checks that it is still the one that was created, and closes it. Only what cannot be opened
//! again (a pipe, a terminal) is kept; it is checked before each write, and never closed.
//!
//! **Not the numbers of standard input, output and error.** If the program has closed these, a file
//! opened for writing moves to a higher number: what the program writes to those must not end up in
//! it.
//!
//! **No signal reaches the program.** A write beyond the limit of a file's size (`ulimit -f`)
//! raises SIGXFSZ, and one to a pipe that nobody reads raises SIGPIPE; both end a program that does
//! not handle them. They are blocked during the write, and one that it raised is discarded: what is
//! left is an error, as with a full disk.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

/// A file that grows by appending.
pub struct Output {
    path: PathBuf,
    identity: Identity,
    /// The file itself, if it cannot be opened again.
    kept: Option<ManuallyDrop<File>>,
}

impl Output {
    /// Creates the file, or empties an existing one. A relative path counts from the current
    /// directory, even if the program changes that later.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(path: &Path) -> io::Result<Self> {
        let path = std::path::absolute(path)?;
        let file = above_standard(File::create(&path)?)?;
        let identity = Identity::of(&file)?;
        let is_regular = file.metadata()?.is_file();
        let kept = (!is_regular).then(|| ManuallyDrop::new(file));
        Ok(Self {
            path,
            identity,
            kept,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends `bytes`, in one write if the system lets it.
    ///
    /// # Errors
    /// If it cannot be written, or is no longer the file that was created.
    pub fn append(&self, bytes: &[u8]) -> io::Result<()> {
        if let Some(kept) = &self.kept {
            return self.write(kept, bytes);
        }
        let mut options = OpenOptions::new();
        options.append(true);
        // A pipe that has the name now would make the program wait for a reader.
        #[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            const NONBLOCK: i32 = 0o4000;
            options.custom_flags(NONBLOCK);
        }
        self.write(&above_standard(options.open(&self.path)?)?, bytes)
    }

    fn write(&self, mut file: &File, bytes: &[u8]) -> io::Result<()> {
        if Identity::of(file)? != self.identity {
            return Err(io::Error::other("it is another file now"));
        }
        without_signals(|| file.write_all(bytes))
    }
}

/// `file`, with a number above those of standard input, output and error.
fn above_standard(file: File) -> io::Result<File> {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        use std::ffi::c_int;
        use std::os::fd::{AsRawFd as _, FromRawFd as _};
        extern "C" {
            fn fcntl(descriptor: c_int, command: c_int, ...) -> c_int;
        }
        const DUPLICATE: c_int = 1030;
        const ABOVE: c_int = 3;
        if file.as_raw_fd() < ABOVE {
            // SAFETY: fcntl(2) takes the descriptor of `file`, which is open, and touches no
            // memory.
            let number = unsafe { fcntl(file.as_raw_fd(), DUPLICATE, ABOVE) };
            if number < 0 {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: the call has just made the descriptor, so nobody else owns it.
            return Ok(unsafe { File::from_raw_fd(number) });
        }
    }
    Ok(file)
}

/// Identifies a file, whatever its names.
#[derive(Debug, PartialEq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    #[cfg(unix)]
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let data = file.metadata()?;
        Ok(Self {
            device: data.dev(),
            inode: data.ino(),
        })
    }

    #[cfg(not(unix))]
    pub(crate) fn of(_: &File) -> io::Result<Self> {
        Ok(Self {
            device: 0,
            inode: 0,
        })
    }
}

/// Writes `text` to `path`, so that a reader never sees half of it.
pub(crate) fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    // Other processes use other names, and so do files that differ only in the extension.
    let mut partial = path.as_os_str().to_owned();
    partial.push(format!(".{}.partial", std::process::id()));
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&partial);
    let mut file = above_standard(file?)?;
    let written = without_signals(|| file.write_all(text.as_bytes()))
        .and_then(|()| fs::rename(&partial, path));
    if written.is_err() {
        let _ = fs::remove_file(&partial);
    }
    written
}

/// Runs `write`, whose writes raise neither SIGXFSZ nor SIGPIPE in the calling thread.
#[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
pub fn without_signals<R>(write: impl FnOnce() -> R) -> R {
    use std::ffi::{c_int, c_void};
    use std::ptr;
    const BLOCK: c_int = 0;
    const SET_MASK: c_int = 2;
    const NUMBERS: [c_int; 2] = [13, 25];
    /// `sigset_t` of the C libraries of 64-bit Linux; signal N is bit N - 1.
    type Set = [u64; 16];
    extern "C" {
        fn pthread_sigmask(how: c_int, new: *const Set, old: *mut Set) -> c_int;
        fn sigpending(set: *mut Set) -> c_int;
        fn sigtimedwait(set: *const Set, info: *mut c_void, limit: *const [i64; 2]) -> c_int;
    }
    let mut all: Set = [0; 16];
    for number in NUMBERS {
        all[0] |= 1 << (number - 1);
    }
    let (mut mask, mut before): (Set, Set) = ([0; 16], [0; 16]);
    // SAFETY: each set is as large as the C library's type, and the calls write no others than
    // `before` and `mask`, which are ours.
    let is_blocked = unsafe {
        sigpending(&mut before);
        pthread_sigmask(BLOCK, &all, &mut mask) == 0
    };
    let result = write();
    if is_blocked {
        // What was pending before belongs to the program.
        let mut raised: Set = [0; 16];
        raised[0] = all[0] & !before[0];
        // SAFETY: the sets are as large as the C library's type, and null is allowed for what is
        // not asked. Both signals go to the thread whose write raises them, so what is taken back
        // is this write's.
        unsafe {
            if raised[0] != 0 {
                while sigtimedwait(&raised, ptr::null_mut(), &[0, 0]) > 0 {}
            }
            pthread_sigmask(SET_MASK, &mask, ptr::null_mut());
        }
    }
    result
}

/// Runs `write`.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64", not(miri))))]
pub fn without_signals<R>(write: impl FnOnce() -> R) -> R {
    write()
}

#[cfg(all(test, unix, not(miri)))]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("workspan-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn what_is_appended_follows_what_was() {
        let folder = folder("output");
        let output = Output::create(&folder.join("file")).unwrap();
        output.append(b"one ").unwrap();
        output.append(b"two").unwrap();
        assert_eq!(fs::read(output.path()).unwrap(), b"one two");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn another_file_of_that_name_is_not_written() {
        let folder = folder("output-other");
        let output = Output::create(&folder.join("file")).unwrap();
        fs::rename(output.path(), folder.join("moved")).unwrap();
        assert!(output.append(b"lost").is_err());
        fs::write(output.path(), "the program's").unwrap();
        assert!(output.append(b"lost").is_err());
        assert_eq!(fs::read(output.path()).unwrap(), b"the program's");
        assert_eq!(fs::read(folder.join("moved")).unwrap(), b"");
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_has_all_that_is_appended() {
        use std::io::Read as _;
        let folder = folder("output-fifo");
        let pipe = folder.join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let read = pipe.clone();
        let reader = std::thread::spawn(move || {
            let mut bytes: Vec<u8> = Vec::new();
            let mut file = File::open(read).unwrap();
            // More than a pipe holds, and read more slowly than it is written.
            let mut part = [0; 4096];
            while bytes.len() < 300_000 {
                let length = file.read(&mut part).unwrap();
                assert!(length > 0, "it has ended");
                bytes.extend_from_slice(&part[..length]);
            }
            bytes.len()
        });
        let output = Output::create(&pipe).unwrap();
        for _ in 0..3 {
            output.append(&[7; 100_000]).unwrap();
        }
        assert_eq!(reader.join().unwrap(), 300_000);
        fs::remove_dir_all(folder).unwrap();
    }

    /// An open that waited for a reader would hang the test.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_of_that_name_is_not_waited_for() {
        let folder = folder("output-pipe");
        let output = Output::create(&folder.join("file")).unwrap();
        fs::remove_file(output.path()).unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(output.path())
            .status()
            .unwrap();
        assert!(made.success());
        assert!(output.append(b"lost").is_err());
        fs::remove_dir_all(folder).unwrap();
    }

    /// Without the block the signal would end the test.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_that_nobody_reads_is_an_error() {
        use std::os::fd::FromRawFd as _;
        extern "C" {
            fn pipe(ends: *mut [i32; 2]) -> i32;
            fn signal(number: i32, handler: usize) -> usize;
        }
        let mut ends = [0; 2];
        // SAFETY: the call fills the two numbers, of descriptors that nobody else owns. SIGPIPE,
        // which Rust's runtime ignores, gets its default action, for no longer than the test.
        let (reader, mut writer) = unsafe {
            assert_eq!(pipe(&mut ends), 0);
            signal(13, 0);
            (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1]))
        };
        drop(reader);
        let written = without_signals(|| writer.write_all(b"x"));
        // SAFETY: signal(2) takes numbers alone; 1 stands for ignoring, as before.
        unsafe { signal(13, 1) };
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
