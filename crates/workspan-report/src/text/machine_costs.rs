//! What rayon's operations cost on a machine.

use std::io;

use workspan_model::MachineCosts;

use super::page::Page;
use super::table::TableOf;
use crate::Screen;
use crate::figures::{cost, duration, within};

/// Writes the table of a machine's costs.
///
/// # Errors
/// Any error from writing to `output`.
pub fn machine_costs(
    costs: &MachineCosts,
    screen: Screen,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let row = |name, cost, meaning| (name, cost, meaning);
    let rows = [
        row("Steal", costs.steal, "from push to run, by an awake worker"),
        row(
            "Hand-back",
            costs.hand_back,
            "from its end to the one that waits",
        ),
        row(
            "Wake-up",
            costs.wake_up,
            "from push to run, by a sleeping worker",
        ),
        row("Join", costs.join, "that nobody steals"),
        row("Spawn", costs.spawn, "of a task that nobody steals"),
        row("Scope", costs.scope, "an empty one"),
    ];
    let mut page = Page::new(output, screen);
    page.heading("What rayon costs on this machine")?;
    page.table(
        TableOf::new(rows)
            .left("", |(name, ..)| name.to_owned())
            .right("median", |(_, figure, _)| cost(figure.cost.value))
            .right("quartiles", |(_, figure, _)| within(figure.cost, cost))
            .words("", |(.., meaning)| meaning.to_owned()),
    )?;
    page.remark(&format!(
        "--burden measured takes {} for moving a task: a steal and the way back. What its data cost to follow it is \
         not in that.",
        duration(costs.migration()),
    ))
}
