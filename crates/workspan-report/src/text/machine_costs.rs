//! What rayon's operations cost on a machine.

use std::io;

use workspan_model::{MachineCosts, Quartiles};

use super::page::Page;
use super::table::{Column, Table};
use crate::Screen;
use crate::figures::{cost, duration, range};

/// Writes the table of a machine's costs.
///
/// # Errors
/// Any error from writing to `output`.
pub fn machine_costs(
    costs: &MachineCosts,
    screen: Screen,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let mut table = Table::new([
        Column::left(""),
        Column::right("median"),
        Column::right("quartiles"),
        Column::words(""),
    ]);
    let rows = [
        ("Steal", costs.steal, "from push to run, by an awake worker"),
        (
            "Hand-back",
            costs.hand_back,
            "from its end to the one that waits",
        ),
        (
            "Wake-up",
            costs.wake_up,
            "from push to run, by a sleeping worker",
        ),
        ("Join", costs.join, "that nobody steals"),
        ("Spawn", costs.spawn, "of a task that nobody steals"),
        ("Scope", costs.scope, "an empty one"),
    ];
    for (name, figure, meaning) in rows {
        table.row([
            name.to_owned(),
            cost(figure.median),
            quartiles(figure),
            meaning.to_owned(),
        ]);
    }
    let mut page = Page::new(output, screen);
    page.heading("What rayon costs on this machine")?;
    page.table(&table)?;
    page.remark(&format!(
        "--burden measured takes {} for moving a task: a steal and the way back. What its data cost to follow it is \
         not in that.",
        duration(costs.migration()),
    ))
}

fn quartiles(figure: Quartiles) -> String {
    range(&cost(figure.lower), &cost(figure.upper))
}
