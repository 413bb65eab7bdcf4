//! How true the figures are: beside known programs, other tools, plain runs and published figures.

mod compare;
mod functions;
mod inflate;
mod known;
mod predict;
mod published;
mod runtimes;
mod scale;
mod suite;

pub(crate) use known::keep_busy;

use crate::measuring::Measuring;

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    known::measure(measuring)?;
    suite::measure(measuring)?;
    functions::measure(measuring)?;
    predict::measure(measuring)?;
    published::measure(measuring)?;
    scale::measure(measuring)?;
    inflate::measure(measuring)?;
    compare::measure(measuring)?;
    runtimes::measure(measuring)
}
