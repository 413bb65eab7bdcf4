//! Recorded streams of the events that an OpenMP runtime reports to a tool, and what follows from
//! them by the specification.
//!
//! `tests/c/streams/recorder.c` writes the streams.

mod event;
mod oracle;
mod site;
mod task;

pub use event::{Call, Code, Endpoint, Event, Id, parse};
pub use oracle::{Expected, RUNTIME_ERROR, expected};
pub use site::{Kind, Site};
