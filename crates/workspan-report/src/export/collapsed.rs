//! Collapsed stacks: a line for each stack, for flame graph tools.

use std::io;

use workspan_model::FlameMeasure;

use super::Stacks;
use super::stacks::StackCode;

/// Writes collapsed stacks: frames with semicolons between, a space, and how much is the last
/// frame's own, in nanoseconds or samples.
///
/// # Errors
/// Any error from writing to `output`.
///
/// # Panics
/// If the profile does not have the measure.
pub fn collapsed(stacks: &Stacks, by: FlameMeasure, output: &mut dyn io::Write) -> io::Result<()> {
    for line in lines(stacks, by) {
        writeln!(output, "{line}")?;
    }
    Ok(())
}

/// The lines of the file.
pub(super) fn lines(stacks: &Stacks, by: FlameMeasure) -> impl Iterator<Item = String> {
    let names: Vec<String> = stacks.codes.iter().map(name).collect();
    let own = stacks.by(by).own.iter().enumerate();
    own.filter(|(_, own)| **own > 0).map(move |(frame, own)| {
        let stack = stacks.stack(frame).into_iter();
        let stack: Vec<&str> = stack
            .map(|frame| names[stacks.frames[frame].code].as_str())
            .collect();
        format!("{} {own}", stack.join(";"))
    })
}

/// A name as a line can hold it. Semicolons become colons, as in the scripts that introduced the
/// format. A number at its end would be taken for a count, and the line for one with two columns of
/// them, so an underscore goes before it.
fn name(code: &StackCode) -> String {
    let name = code.name.replace(';', ":");
    match name.rsplit_once(' ') {
        Some((words, number)) if number.parse::<f64>().is_ok() => format!("{words}_{number}"),
        _ => name,
    }
}
