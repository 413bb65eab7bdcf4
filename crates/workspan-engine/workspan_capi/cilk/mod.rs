//! OpenCilk: what a program calls that its compiler built for Cilkscale (`-fcilktool=cilkscale`),
//! so that this library can stand in Cilkscale's place.
//!
//! * `hooks`: the compiler's calls, [`Strands`](strands::Strands) what they mean for the engine;
//! * `tables`: where the constructs stand in the source, which each unit of the program tells at
//!   its start;
//! * `wsp`: the functions that users call to measure a part of the program, `measurement` what they
//!   measure, and `csv`, which writes these.
//!
//! The run must be serial, as Cilkview's was: a stolen continuation would go on with functions that
//! another thread entered. Under one worker no continuation is stolen.

mod csv;
mod hooks;
mod measurement;
mod strands;
mod tables;
mod wsp;
