//! Recorded streams of the events that an OpenMP runtime tells a tool of, and what follows from them by the specification.
//!
//! A stream is what `tests/c/streams/recorder.c` writes.

mod event;
mod oracle;
mod task;

pub use event::{Call, Code, Endpoint, Event, Id, parse};
pub use oracle::{Expected, Kind, RUNTIME_ERROR, Site, expected};
