//! The commands on real cargo projects.

mod cargo_use;
mod chains;
mod dag;
mod exact_functions;
mod faults;
mod functions;
mod help;
mod measuring;
mod names;
mod predict;
mod project;
mod regions;
mod repeating;
mod report;
mod sampling;
mod signals;
mod stand_in;
mod tests_and_benches;
mod versions;
mod what_if;
