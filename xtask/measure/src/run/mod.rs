//! Builds programs, runs them, and reads their profiles.

mod command;
mod profile;
mod program;
mod suite;

pub(crate) use command::{Usage, cargo, output, succeed};
pub(crate) use profile::{Profile, array, number, text};
pub(crate) use program::{Mode, Program, in_turns};
pub(crate) use suite::{Input, SUITE, Suite};
