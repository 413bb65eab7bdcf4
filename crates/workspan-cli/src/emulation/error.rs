//! The reasons why an emulator cannot count a program's instructions.

use std::path::PathBuf;

/// Why an emulator cannot count the instructions, and what to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EmulationError {
    #[error(
        "--emulate counts instructions of x86-64 on Linux, and this machine is {0} ({1}): run it on one of these, or measure \
         time (without --emulate)"
    )]
    OtherMachine(&'static str, &'static str),
    #[error(
        "--emulate needs QEMU's emulator for programs, `{program}`, which is not there: `apt install qemu-user` (Debian and \
         Ubuntu; `dnf install qemu-user` on Fedora), or {variable} names it"
    )]
    NoEmulator {
        program: &'static str,
        variable: &'static str,
    },
    #[error(
        "`{0}` cannot be started, or does not say its version: is it QEMU's emulator for programs (package qemu-user)?"
    )]
    NotQemu(PathBuf),
    #[error(
        "`{path}` is QEMU {version}, and --emulate needs 7.2 or newer: install a newer `qemu-user`, or {variable} names one"
    )]
    TooOld {
        path: PathBuf,
        version: String,
        variable: &'static str,
    },
    #[error(
        "`{path}` was built without plug-ins, by which workspan counts (a static executable cannot have them): Debian 12's \
         package `qemu-user` has them, and so has QEMU configured with `--enable-plugins` and without `--static`; {variable} \
         names such a one"
    )]
    NoPlugins {
        path: PathBuf,
        variable: &'static str,
    },
    #[error(
        "`{0}` is a script or no program at all, and the emulator runs programs: name the program that it starts"
    )]
    NoProgram(String),
    #[error(
        "`{0}` is no program for x86-64 Linux, and --emulate counts for no other yet: build it for x86-64"
    )]
    OtherProgram(String),
    #[error(
        "QEMU's options separate what they hold by commas, so they cannot name `{}`: put it where no name has a comma", .0.display()
    )]
    Comma(PathBuf),
}
