//! How time and memory grow with size: of the engine with tasks, depth and sites, of the commands
//! with profiles, of analyses with the task dag.

mod analyses;
mod made;
mod reading;
mod tasks;

pub(crate) use analyses::analyse;

use crate::measuring::Measuring;

pub(crate) fn measure(measuring: &mut Measuring) -> anyhow::Result<()> {
    tasks::measure(measuring)?;
    reading::measure(measuring)?;
    analyses::measure(measuring)
}
