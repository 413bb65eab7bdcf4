//! What rayon's operations cost on a machine.

use std::io;

use workspan_model::MachineCosts;

use super::page::Page;
use super::table::TableOf;
use crate::Screen;
use crate::notation::figures::{cost, duration, within};
use crate::sentences::{said, words};

/// Writes the table of a machine's costs.
///
/// # Errors
/// Any error from writing to `output`.
pub fn machine_costs(
    costs: &MachineCosts,
    screen: Screen,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let rows = [
        ("steal", costs.steal),
        ("hand_back", costs.hand_back),
        ("wake_up", costs.wake_up),
        ("join", costs.join),
        ("spawn", costs.spawn),
        ("scope", costs.scope),
    ];
    let named = rows.map(|(operation, cost)| {
        let (name, meaning) = words("operation", operation)
            .split_once(" | ")
            .unwrap_or_default();
        (name, cost, meaning)
    });
    let mut page = Page::new(output, screen);
    page.heading("What rayon costs on this machine")?;
    page.table(
        TableOf::new(named)
            .left("", |(name, ..)| name.to_owned())
            .right("median", |(_, figure, _)| cost(figure.cost.value))
            .right("quartiles", |(_, figure, _)| within(figure.cost, cost))
            .words("", |(.., meaning)| meaning.to_owned()),
    )?;
    let migration = duration(costs.migration());
    page.remark(&said!("remark", "machine_costs", migration = migration))
}
