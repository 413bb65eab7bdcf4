//! The commands on real cargo projects.

mod cargo_use;
mod chains;
mod check;
mod cilk2c;
mod compare;
mod dag;
mod emulated;
mod exact_functions;
mod export;
mod export_plots;
mod factored;
mod faults;
mod functions;
mod help;
mod inflate;
mod measuring;
mod metric;
mod names;
mod native;
mod options;
mod page;
mod predict;
mod project;
mod regions;
mod repeating;
mod report;
mod resume;
mod sampling;
mod scale;
mod shells;
mod signals;
#[path = "../../../../tests/skip.rs"]
mod skip;
mod slurm;
mod stand_in;
mod stored;
#[allow(dead_code, reason = "the tests of the report use all of them")]
#[path = "../../../workspan-report/tests/sweeps/mod.rs"]
mod sweeps;
mod terminal;
mod tests_and_benches;
mod threads;
mod versions;
mod waits;
mod what_if;
mod workflow;
