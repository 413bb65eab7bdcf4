//! `faults NAME ARGUMENTS`: small programs that profiling must not change.

mod children;
mod ends;
mod files;
mod load;
mod processes;
mod signals;
mod surroundings;
mod work;

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1);
    let name = arguments.next().unwrap_or_default();
    let arguments: Vec<_> = arguments.collect();
    let name = name.to_str().expect("a name in ASCII");
    let groups = [
        ends::run,
        signals::run,
        load::run,
        files::run,
        children::run,
        processes::run,
        surroundings::run,
    ];
    for run in groups {
        if let Some(code) = run(name, &arguments) {
            return code;
        }
    }
    panic!("no program has the name {name:?}");
}
