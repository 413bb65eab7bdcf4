//! How regions report to the engine of a profiled program.

#[cfg_attr(workspan, path = "linked.rs")]
#[cfg_attr(not(workspan), path = "absent.rs")]
mod chosen;

#[cfg(any(test, workspan))]
mod name;

pub(crate) use chosen::{begin, Instance};
