//! The measures of call sites, compared with their definitions on invocation trees that keep every
//! execution separately.

mod definitions;
mod invocation;
mod papers;
mod programs;
mod regions;
mod rows;
