//! The kernel's performance counters, each for one thread.
//!
//! An [`Event`] has a name, as in `perf list`. A [`Counter`] counts it in the thread that opened
//! it. Every call of the kernel goes through a [`Kernel`]: [`Linux`] is the real one. Where the
//! processor lets a program read its counters itself (`rdpmc`), a reading takes no call.
//!
//! The kernel may have more counters to serve than the processor has: it then lets them take turns.
//! A counter *runs* while it has one of the processor's; one that has to take turns is *shared*,
//! and its count an estimate.
//!
//! This module uses no other: the engine and the command line compile the same text.

mod counter;
mod event;
mod kernel;
mod linux;
mod problem;
mod system;
mod unit;

#[cfg(test)]
mod fake;

pub use counter::Counter;
pub use event::{Event, Kind};
pub use kernel::{Kernel, Page, Reading};
pub use linux::Linux;
pub use problem::Problem;
pub use unit::unit_of;
