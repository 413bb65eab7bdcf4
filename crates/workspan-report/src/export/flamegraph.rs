//! A flame graph as a picture.

use std::io;

use inferno::flamegraph::{self, Options};
use workspan_model::FlameMeasure;

use super::Stacks;
use super::collapsed::lines;

/// Writes a flame graph as SVG, drawn by inferno: in a browser, it can be searched and zoomed.
///
/// # Errors
/// Any error from writing to `output`, or if the program has nothing of the measure.
///
/// # Panics
/// If the profile does not have the measure.
pub fn flamegraph(stacks: &Stacks, by: FlameMeasure, output: &mut dyn io::Write) -> io::Result<()> {
    let mut options = Options::default();
    options.title = stacks.command.clone();
    options.subtitle = Some(format!("by {}", by.name()));
    options.count_name = stacks.counted(by).unwrap_or("ns").to_owned();
    // Colours by name: a frame has the same colour in every picture.
    options.hash = true;
    let lines: Vec<String> = lines(stacks, by).collect();
    let lines = lines.iter().map(String::as_str);
    flamegraph::from_lines(&mut options, lines, output)
}
