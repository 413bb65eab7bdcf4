//! `workspan cflags`, `cxxflags` and `libs`: prints compiler flags for programs of C and C++.

use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::exit_code::{Failure, OrExit as _, SETUP};
use crate::native;

/// Subfolder of the headers, with those that wrap oneTBB's.
const OVERLAY: &str = "workspan/overlay";

/// Makes the program look up the functions of workspan.h when it is loaded. Compilers that do not
/// make position-independent programs would otherwise look them up only when the program is linked.
const LOOK_UP_WHEN_LOADED: &str = "-fno-plt";

/// The flags to print.
#[derive(Clone, Copy, Debug)]
pub(super) enum Flags {
    C,
    Cxx,
    Libraries,
}

/// The command's description.
pub(super) fn command(flags: Flags) -> Command {
    let (name, about, long, example) = match flags {
        Flags::C => (
            "cflags",
            "Print the compiler flags of C programs that include workspan.h",
            "Print the compiler flags of C programs that include workspan.h, which names regions and tells of tasks \
             and loops of your own. Without `workspan run` the program does what it did before, and needs no library.",
            "gcc -O2 -g $(workspan cflags) main.c -o main",
        ),
        Flags::Cxx => (
            "cxxflags",
            "Print the compiler flags of C++ programs that use oneTBB or include workspan.hpp",
            "Print the compiler flags of C++ programs that use oneTBB or include workspan.hpp. With them \
             `#include <tbb/…>` finds workspan's headers first, which include oneTBB's and tell of its tasks; so they \
             stand before other `-I`. Without `workspan run` the program does what it did before, and needs no library.",
            "g++ -std=c++17 -O2 -g $(workspan cxxflags) main.cpp -ltbb -o main",
        ),
        Flags::Libraries => (
            "libs",
            "Print the linker flags of programs built with those of cflags or cxxflags: there are none",
            "Print the linker flags of programs built with those of cflags or cxxflags. There are none: `workspan run` \
             loads the library, and without it the program has nothing to link. The command is there for build systems \
             that ask.",
            "gcc main.o $(workspan libs) -o main",
        ),
    };
    let command = Command::new(name)
        .about(about)
        .long_about(long)
        .after_help(format!("Example:\n  {example}\n  workspan run -- ./main"));
    match flags {
        Flags::Libraries => command,
        Flags::C | Flags::Cxx => command.arg(functions()),
    }
}

fn functions() -> Arg {
    Arg::new("functions")
        .long("functions")
        .action(ArgAction::SetTrue)
        .help("Have each function tell of its calls, for `workspan run --functions exact`")
        .long_help(format!(
            "Have each function tell of its calls, for `workspan run --functions exact`: adds {}. Any program may be \
             compiled so. Calls then cost some nanoseconds also where nobody measures, and functions are hardly inlined as \
             before; clang's {} costs less, see docs/guides/native.md",
            native::HOOK_FLAGS,
            native::SLED_FLAGS
        ))
}

/// Prints the flags, and nothing else, on standard output.
pub(super) fn main(flags: Flags, matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let mut line = Vec::new();
    let mut folder = |path: &Path| {
        if line.is_empty() {
            line.extend(LOOK_UP_WHEN_LOADED.as_bytes());
        }
        line.extend(b" -I");
        line.extend(escaped(path));
    };
    match flags {
        Flags::C => folder(&native::headers().or_exit(SETUP)?),
        Flags::Cxx => {
            let headers = native::headers().or_exit(SETUP)?;
            folder(&headers.join(OVERLAY));
            folder(&headers);
        }
        Flags::Libraries => {}
    }
    if !matches!(flags, Flags::Libraries) && matches.get_flag("functions") {
        line.push(b' ');
        line.extend(native::HOOK_FLAGS.as_bytes());
    }
    line.push(b'\n');
    io::stdout().write_all(&line).or_exit(SETUP)?;
    Ok(ExitCode::SUCCESS)
}

/// The path as make and pkg-config expect it: a backslash before each space and backslash.
fn escaped(path: &Path) -> Vec<u8> {
    let mut escaped = Vec::new();
    for &byte in path.as_os_str().as_bytes() {
        if byte == b' ' || byte == b'\\' {
            escaped.push(b'\\');
        }
        escaped.push(byte);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_are_escaped() {
        assert_eq!(escaped(Path::new("/a b/include")), b"/a\\ b/include");
        assert_eq!(escaped(Path::new("/a/include")), b"/a/include");
    }
}
