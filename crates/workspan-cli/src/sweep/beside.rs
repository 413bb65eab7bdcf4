//! The profile beside a sweep, and the sweep beside a profile.

use std::path::Path;

use anyhow::Context as _;
use workspan_model::{ExpectedScaling, Profile, Sweep};

use super::expected::curves;
use super::{expected, kept};
use crate::exit_code::Failure;
use crate::message;
use crate::stored;

const SWEEP: &str = ".sweep.json";

/// The sweep in `given`, or else the one beside `profile` in `file`, if it is of the same command and can be read.
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
    let beside = file.with_extension(&SWEEP[1..]);
    if !beside.exists() {
        return Ok(None);
    }
    let sweep = read(&beside).inspect_err(tell_unreadable);
    Ok(sweep
        .ok()
        .filter(|sweep| is_same(&beside, &sweep.command, &profile.run.command)))
}

/// What the profile in `given` leads to expect of `sweep` in `file`, or else the one beside it, if it is of the same command and
/// can be read.
pub(crate) fn expected_of(
    sweep: &Sweep,
    file: &Path,
    given: Option<&Path>,
) -> Result<Option<ExpectedScaling>, Failure> {
    if let Some(given) = given {
        return Ok(Some(expected(given, &sweep.threads)?.curves));
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let Some(stem) = name.strip_suffix(SWEEP) else {
        return Ok(None);
    };
    let beside = file.with_file_name(format!("{stem}.wsp"));
    if !beside.exists() {
        return Ok(None);
    }
    let read = stored::read(&beside);
    let read = read.inspect_err(tell_unreadable).ok();
    let of_same =
        read.filter(|(profile, _)| is_same(&beside, &sweep.command, &profile.run.command));
    Ok(of_same.map(|(profile, dag)| curves(&profile, dag.as_ref(), &sweep.threads)))
}

fn tell_unreadable(error: &anyhow::Error) {
    message::warning(format_args!("left out: {error:#}"));
}

/// Whether what is in `file` is of the same command; says so if not.
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
fn is_same_command(one: &[String], other: &[String]) -> bool {
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
