//! One profile from its start to its end.
//!
//! A process that was started with `WORKSPAN_PROFILE=FILE` begins its session before `main` and
//! writes FILE when it exits. All variables are read once and then removed, so that processes
//! started by the program do not inherit them. The others are:
//!
//! * `WORKSPAN_ASSUME_CORES`: the number of cores to report in pools of default size; absent or 0:
//!   the real number
//! * `WORKSPAN_THREADS`: the number of threads of pools of default size; absent or 0: the runtime's
//!   own default
//! * `WORKSPAN_BURDEN`: the burden of a stealable edge, `15000cycles` or `6250ns`; for a metric
//!   other than time, a number of events
//! * `WORKSPAN_CLOCK`: `tsc`, `monotonic`, `thread`, under an emulator `emulated`, or for tests
//!   `virtual`; absent: `tsc` where it can be trusted
//! * `WORKSPAN_FUNCTIONS`: the file that lists the functions whose calls are sites; implies exact
//!   timing
//! * `WORKSPAN_INSTANCES`: how many instances of each region are reported one by one; absent: 1000
//! * `WORKSPAN_GRAIN_NANOS`: the work below which subtrees are folded in the record, doubled for
//!   each 16 MiB that the record has; 0: none are folded, and timing is exact; absent: 10000
//! * `WORKSPAN_METRIC`: what is measured of strands, by its name; absent: `time`
//! * `WORKSPAN_RECORD`: the file in which the task dag is recorded; absent: none
//! * `WORKSPAN_RECORD_BYTES`: how many bytes that file may have; absent: 256 MiB
//! * `WORKSPAN_SAMPLE_HZ`: how many samples to take per second of each thread's processor time;
//!   absent or 0: none
//! * `WORKSPAN_STANDSTILL`: after how many seconds to say that the program stands still; 0: never;
//!   absent: 10
//! * `WORKSPAN_STANDSTILL_END`: after how many seconds to end a program that stands still, as
//!   SIGINT would; absent or 0: never
//! * `WORKSPAN_TIMING`: `exact`: read the clock at every boundary; absent: time trees of tiny tasks
//!   as a whole

mod at_exit;
pub(crate) mod calibration;
mod closing;
mod cutoff;
mod file;
mod held;
mod process_start;
mod raw;
mod root;
mod signals;
pub mod snapshot;
mod standstill;
mod start;
mod totals;
mod watchdog;
mod without_profile;

pub use crate::state::config::{Burden, Config, VirtualCost};
pub use crate::state::pools::{
    assumed_cores, begin_pool, default_threads, end_pool, note_asked, note_pool,
};
pub use crate::state::process::is_ours;
pub use crate::state::runtimes::note_runtime;
pub use crate::state::under_way::{active, metric};
pub use closing::finish;
pub use start::start;
pub use totals::{totals, Totals};

pub(crate) use at_exit::finish_and_write;
pub(crate) use closing::{others_busy, tell_of_copy};
pub(crate) use cutoff::Cutoff;
pub(crate) use held::hold;
