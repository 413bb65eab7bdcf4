//! Runs the programs of the testkit on the real scheduler, under the engine with a virtual clock,
//! and reads the profile.

mod calls;
pub mod cost;
pub mod interpreter;
pub mod profile;
pub mod thief;
