//! Collapsed stacks: a line a stack, for flame graph tools.

use std::io;

use workspan_model::FlameMeasure;

use super::Stacks;
use super::stacks::StackCode;

/// Writes collapsed stacks: frames with semicolons between, a space, and how much is the last one's own: nanoseconds, or samples.
///
/// # Errors
/// Those of `output`.
///
/// # Panics
/// When the measure is not known of the profile.
pub fn collapsed(stacks: &Stacks, by: FlameMeasure, output: &mut dyn io::Write) -> io::Result<()> {
    for line in lines(stacks, by) {
        writeln!(output, "{line}")?;
    }
    Ok(())
}

/// The lines.
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

/// A name as it may stand in a line. A semicolon is a colon there, as with the scripts that made the format. A number at the end
/// would be taken for a count, and a frame for one of two columns.
fn name(code: &StackCode) -> String {
    let name = code.name.replace(';', ":");
    match name.rsplit_once(' ') {
        Some((words, number)) if number.parse::<f64>().is_ok() => format!("{words}_{number}"),
        _ => name,
    }
}
