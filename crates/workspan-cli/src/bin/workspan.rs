//! The command `workspan`: starts `cargo-workspan`, which is installed together with it and is both
//! commands, in its place.
#![forbid(unsafe_code)]

use std::env;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let failure = match env::current_exe() {
        Ok(own) => {
            let both = own.with_file_name("cargo-workspan");
            let error = Command::new(&both)
                .arg0("workspan")
                .args(env::args_os().skip(1))
                .exec();
            format!("cannot start {}: {error}", both.display())
        }
        Err(error) => format!("cannot find its own executable: {error}"),
    };
    eprintln!("workspan: {failure}; install workspan and cargo-workspan into one folder");
    ExitCode::from(3)
}
