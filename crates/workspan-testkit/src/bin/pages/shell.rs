//! Runs the commands of a page in one shell.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// What each of `commands` printed, on both of its outputs. They run in one shell, so that a `cd`
/// holds for those that follow.
///
/// # Errors
/// A command failed; the text says which, and ends with its output.
pub(super) fn run(page: &str, commands: &[&str]) -> Result<Vec<String>, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("{page}: {error}"))?;
    let output_of = |at: usize| folder.path().join(at.to_string());
    let script = folder.path().join("script");
    fs::write(&script, script_of(page, commands, output_of))
        .map_err(|error| format!("{page}: {error}"))?;
    let status = Command::new("bash")
        .arg(&script)
        .stdin(Stdio::null())
        .status()
        .map_err(|error| format!("{page}: bash: {error}"))?;
    let mut outputs = Vec::new();
    for at in 0..commands.len() {
        let Ok(output) = fs::read(output_of(at)) else {
            break;
        };
        outputs.push(String::from_utf8_lossy(&output).into_owned());
    }
    if status.success() {
        return Ok(outputs);
    }
    let last = outputs.len().saturating_sub(1);
    let command = commands.get(last).unwrap_or(&"the shell");
    let output = outputs.last().map_or("", |output| output);
    Err(format!("{page}: {command} failed, {status}\n{output}"))
}

/// The commands, the output of each redirected to a file. Each is announced on the standard error
/// of the shell before it runs.
fn script_of<P: AsRef<Path>>(
    page: &str,
    commands: &[&str],
    output_of: impl Fn(usize) -> P,
) -> String {
    let mut script = String::from("set -euo pipefail\nexec 3>&2\n");
    for (at, command) in commands.iter().enumerate() {
        let notice = quoted(&format!("pages: {page}: {command}"));
        let output = output_of(at);
        let output = quoted(&output.as_ref().to_string_lossy());
        let _ = writeln!(
            script,
            "printf '%s\\n' {notice} >&3\nexec >{output} 2>&1\n{command}"
        );
    }
    script
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_has_its_own_output_in_a_shared_shell() {
        let outputs = run("it's", &["cd /", "pwd", "echo out; echo error >&2"]).unwrap();
        assert_eq!(outputs, ["", "/\n", "out\nerror\n"]);
    }

    #[test]
    fn a_command_that_fails_is_named_with_its_output() {
        let error = run("page", &["true", "echo why; false", "true"]).unwrap_err();
        assert!(error.starts_with("page: echo why; false failed"), "{error}");
        assert!(error.ends_with("why\n"), "{error}");
    }
}
