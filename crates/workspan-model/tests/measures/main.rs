//! The measures of call sites against their definitions, on invocation trees that hold every execution by itself.

mod definitions;
mod invocation;
mod papers;
mod programs;
mod regions;
mod rows;
