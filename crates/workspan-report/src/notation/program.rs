//! Names of programs, as people use them.

use workspan_model::{Profile, RuntimeKind};

use super::figures::counted;
use super::readable::readable;

/// The program without its folder, and its arguments, made safe to show.
pub(crate) fn program(command: &[String]) -> String {
    let arguments = command.iter().skip(1).map(String::as_str);
    let words = std::iter::once(name(command)).chain(arguments);
    readable(&words.collect::<Vec<_>>().join(" "))
}

/// The file name of the program alone; empty if no command is known.
pub(crate) fn name(command: &[String]) -> &str {
    let program = command.first().map_or("", String::as_str);
    program.rsplit('/').next().unwrap_or(program)
}

/// How many threads the runtime started, if that is known.
pub(crate) fn threads(profile: &Profile) -> Option<String> {
    let count = |threads: u64| counted(threads, "thread", "threads");
    let started = u64::from(profile.run.threads);
    match (started, profile.runtime()) {
        (0, None | Some(RuntimeKind::Rayon)) => Some("no pool started".to_owned()),
        (0, Some(_)) => {
            let ran = profile.threads_that_ran()?;
            Some(format!("{} ran something", count(ran)))
        }
        (_, Some(RuntimeKind::OpenMp)) => Some(match profile.threads_that_ran() {
            // Several teams at once, or threads of the program's own.
            Some(ran) if ran > started => {
                format!("{}, teams of at most {started}", count(ran))
            }
            _ => count(started),
        }),
        _ => Some(count(started)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_goes_without_its_folders() {
        let command = ["/usr/bin/sort", "-n", "a\n/b\u{ffff}"].map(str::to_owned);
        assert_eq!(name(&command), "sort");
        assert_eq!(program(&command), r"sort -n a\n/b\u{ffff}");
        assert_eq!(program(&[]), "");
    }
}
