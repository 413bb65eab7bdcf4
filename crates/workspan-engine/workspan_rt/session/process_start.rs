//! The start of the process: starts the session that the environment asks for.

use super::at_exit::{begin_copy, finish_at_exit};
use super::file;
use super::start::start_with_output;
use super::without_profile::start_without_profile;
use crate::clock::metric::Metric;
use crate::clock::{emulated, Clock};
use crate::constructs::region;
use crate::functions;
use crate::session::{calibration, standstill};
use crate::state::config::{
    Config, VirtualCost, DEFAULT_BURDEN, DEFAULT_INSTANCES, DEFAULT_MEASURED_FORKS,
};
use crate::state::environment::{choose_clock, metric_of_environment, number, parse_burden};
use crate::state::recording::Recording;
use crate::system::message;
use std::time::Duration;

/// What the crate `workspan` refers to weakly, kept here so that the linker includes it.
#[used]
static REGIONS: (
    unsafe extern "C" fn(*const u8, usize, *const u8, usize, u32, u32) -> u64,
    extern "C" fn(u64),
) = (region::workspan_region_begin, region::workspan_region_end);

/// Starts the session that the environment asks for, before `main`.
extern "C" fn start_from_environment() {
    message::note_standard_error();
    start_without_profile();
    let Some(output) = std::env::var_os("WORKSPAN_PROFILE") else {
        return;
    };
    let mut metric = metric_of_environment();
    let (clock, clock_note) = choose_clock(&metric);
    if clock == Clock::Emulated {
        metric = Metric::of_name("instructions");
    }
    if clock == Clock::Emulated && !emulated::is_there() {
        message::say(format_args!(
            "there is no profile: WORKSPAN_CLOCK=emulated wants an emulator that counts, which `workspan run --emulate` starts"
        ));
        return;
    }
    let functions = std::env::var_os("WORKSPAN_FUNCTIONS");
    let config = Config {
        metric,
        clock,
        clock_note,
        burden: std::env::var("WORKSPAN_BURDEN")
            .ok()
            .and_then(|v| parse_burden(&v))
            .unwrap_or(DEFAULT_BURDEN),
        assumed_cores: number("WORKSPAN_ASSUME_CORES"),
        threads: number("WORKSPAN_THREADS"),
        grain: match std::env::var("WORKSPAN_TIMING").as_deref() {
            Ok("exact") => 0,
            // A count of several strands together does not show how it divides among them.
            _ if clock == Clock::Counter => 0,
            _ if functions.is_some() => 0,
            _ => Config::GRAIN,
        },
        measured_forks: DEFAULT_MEASURED_FORKS,
        instances: std::env::var("WORKSPAN_INSTANCES")
            .ok()
            .and_then(|v| v.parse().ok())
            .unwrap_or(DEFAULT_INSTANCES),
        sample_rate: number("WORKSPAN_SAMPLE_HZ") as u32,
        recording: std::env::var_os("WORKSPAN_RECORD").map(|path| Recording {
            path: path.into(),
            grain: std::env::var("WORKSPAN_GRAIN_NANOS")
                .ok()
                .and_then(|v| v.parse().ok())
                .unwrap_or(Recording::GRAIN),
            most_bytes: std::env::var("WORKSPAN_RECORD_BYTES")
                .ok()
                .and_then(|v| v.parse().ok())
                .unwrap_or(Recording::MOST_BYTES),
        }),
        virtual_cost: VirtualCost::default(),
    };
    let patience = std::env::var("WORKSPAN_STANDSTILL").ok();
    if let Some(seconds) = patience.and_then(|seconds| seconds.parse().ok()) {
        standstill::choose_patience(Duration::from_secs(seconds));
    }
    let limit = number("WORKSPAN_STANDSTILL_END") as u64;
    standstill::choose_limit(Duration::from_secs(limit));
    for name in [
        "PROFILE",
        "ASSUME_CORES",
        "THREADS",
        "BURDEN",
        "CLOCK",
        "METRIC",
        "TIMING",
        "FUNCTIONS",
        "INSTANCES",
        "SAMPLE_HZ",
        "RECORD",
        "RECORD_BYTES",
        "GRAIN_NANOS",
        "STANDSTILL",
        "STANDSTILL_END",
    ] {
        // Before `main` there is one thread, so nobody reads the environment at this moment.
        std::env::remove_var(format!("WORKSPAN_{name}"));
    }
    extern "C" {
        fn atexit(handler: extern "C" fn()) -> std::ffi::c_int;
        fn pthread_atfork(
            before: Option<extern "C" fn()>,
            parent: Option<extern "C" fn()>,
            child: Option<extern "C" fn()>,
        ) -> std::ffi::c_int;
    }
    if let Some(file) = functions {
        // SAFETY: before `main` there is one thread.
        unsafe { functions::start(&file) };
    }
    let output = file::choose(output.into());
    start_with_output(config, Some(output.to_owned()));
    calibration::calibrate_functions();
    // SAFETY: atexit(3) and pthread_atfork(3) only keep pointers, to functions that take nothing
    // and are there as long as the program.
    unsafe {
        atexit(finish_at_exit);
        pthread_atfork(None, None, Some(begin_copy));
    }
}

#[cfg(all(target_os = "linux", not(miri)))]
#[used]
#[link_section = ".init_array"]
static AT_START: extern "C" fn() = start_from_environment;
