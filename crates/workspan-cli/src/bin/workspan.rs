//! The command `workspan`: starts `cargo-workspan`, which is installed together with it and is both
//! commands, in its place.
#![forbid(unsafe_code)]

use std::env;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let failure = match own_file() {
        Some(own) => {
            let both = own.with_file_name("cargo-workspan");
            let error = Command::new(&both)
                .arg0(&own)
                .args(env::args_os().skip(1))
                .exec();
            format!("cannot start {}: {error}", both.display())
        }
        None => "cannot find its own executable".to_owned(),
    };
    eprintln!("workspan: {failure}; install workspan and cargo-workspan into one folder");
    ExitCode::from(3)
}

/// This executable. Without /proc, it is found by the name that it was started under.
fn own_file() -> Option<PathBuf> {
    env::current_exe().ok().or_else(|| {
        let name = PathBuf::from(env::args_os().next()?);
        if name.components().count() > 1 {
            return Some(name);
        }
        let folders = env::var_os("PATH")?;
        env::split_paths(&folders)
            .map(|folder| folder.join(&name))
            .find(|file| file.is_file())
    })
}
