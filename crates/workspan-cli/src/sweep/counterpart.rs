//! Finds the profile that belongs to a sweep, and the sweep that belongs to a profile: the files
//! have the same name, but for the extension.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use workspan_model::{ExpectedScaling, Profile, Sweep};

use super::expected::curves;
use super::{expected, kept};
use crate::exit_code::Failure;
use crate::message;
use crate::stored;

const SWEEP: &str = ".sweep.json";

/// The sweep in `given`, or else the one next to `profile`, which is in `file`, if it can be read
/// and has the same command.
///
/// # Errors
/// When the given one cannot be read.
pub(crate) fn sweep_of(
    profile: &Profile,
    file: &Path,
    given: Option<&Path>,
) -> anyhow::Result<Option<Sweep>> {
    let read = |file: &Path| kept::read(file).with_context(|| file.display().to_string());
    if let Some(given) = given {
        return read(given).map(Some);
    }
    let found = file.with_extension(&SWEEP[1..]);
    if !found.exists() {
        return Ok(None);
    }
    let sweep = read(&found).inspect_err(warn_unreadable);
    Ok(sweep
        .ok()
        .filter(|sweep| is_same(&found, &sweep.command, &profile.run.command)))
}

/// What the profile in `given` predicts for `sweep`, or else the profile next to the sweep, which
/// is in `file`, if it can be read and has the same command.
pub(crate) fn expected_of(
    sweep: &Sweep,
    file: &Path,
    given: Option<&Path>,
) -> Result<Option<ExpectedScaling>, Failure> {
    if let Some(given) = given {
        return Ok(Some(expected(given, &sweep.threads)?.curves));
    }
    let Some(found) = profile_of(file) else {
        return Ok(None);
    };
    let read = stored::read(&found).inspect_err(warn_unreadable).ok();
    let same = read.filter(|(profile, _)| is_same(&found, &sweep.command, &profile.run.command));
    Ok(same.map(|(profile, dag)| curves(&profile, dag.as_ref(), &sweep.threads)))
}

/// The profile next to the sweep in `file`, if there is one.
pub(super) fn profile_of(file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?.to_string_lossy();
    let found = file.with_file_name(format!("{}.wsp", name.strip_suffix(SWEEP)?));
    found.exists().then_some(found)
}

fn warn_unreadable(error: &anyhow::Error) {
    message::warning(format_args!("left out: {error:#}"));
}

/// Whether the command in `file` is the same. Prints a note if not.
fn is_same(file: &Path, one: &[String], other: &[String]) -> bool {
    let is_same = is_same_command(one, other);
    if !is_same {
        message::note(format_args!(
            "{} is of another command, and left out",
            file.display()
        ));
    }
    is_same
}

/// Whether both are the same program with the same arguments, perhaps of different builds.
pub(super) fn is_same_command(one: &[String], other: &[String]) -> bool {
    let name = |command: &[String]| {
        let program = Path::new(command.first()?);
        Some(program.file_name()?.to_owned())
    };
    name(one) == name(other) && one.iter().skip(1).eq(other.iter().skip(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_of_a_program_are_the_same_command() {
        let is_same = |one: &[&str], other: &[&str]| {
            let [one, other] = [one, other]
                .map(|command| command.iter().map(ToString::to_string).collect::<Vec<_>>());
            is_same_command(&one, &other)
        };
        assert!(is_same(
            &["target/release/app", "5"],
            &["/w/target/workspan/release/app", "5"]
        ));
        assert!(!is_same(&["app", "5"], &["app", "6"]));
        assert!(!is_same(&["app", "5"], &["app"]));
        assert!(!is_same(&["app"], &["other"]));
    }
}
