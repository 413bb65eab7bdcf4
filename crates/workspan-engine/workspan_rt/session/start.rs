//! The start of a session.

use super::root::set_root;
use crate::clock::{self, emulated, own_counter, Clock, Mark};
use crate::constructs::user_thread;
use crate::path::frame::Frame;
use crate::path::segment::Chain;
use crate::path::to_end;
use crate::session::signals;
use crate::state::calibrated::Calibration;
use crate::state::config::{Burden, Config};
use crate::state::process::note_process;
use crate::state::settings::{change_settings, Settings};
use crate::state::under_way::{active, count_session, lock, set_calibration, settle_rate, Session};
use crate::state::{pools, runtimes, stop, watch};
use crate::system::processors;
use crate::{sampler, thread, tree, waits};
use std::path::PathBuf;

/// Starts a session with the calling thread as the root. [`finish`](super::finish) ends it.
///
/// # Panics
/// If a session is under way.
pub fn start(config: Config) {
    start_with_output(config, None);
}

pub(super) fn start_with_output(mut config: Config, output: Option<PathBuf>) {
    assert!(!active(), "one session at a time");
    watch::choose(signals::watch_once);
    count_session();
    match config.clock {
        Clock::Counter => own_counter::choose(&config.metric),
        _ => own_counter::forget(),
    }
    clock::choose(config.clock);
    processors::note_start();
    tree::lock().clear();
    thread::for_each(|thread, _| thread.clear());
    to_end::forget();
    user_thread::forget();
    waits::forget();
    // Not known yet. A virtual clock has no rate, and so no processor time before a thread's first
    // call.
    clock::set_ticks_per_nano(0.0);
    pools::choose_sizes(config.assumed_cores, config.threads);
    pools::forget();
    runtimes::forget();
    if config.clock == Clock::Emulated {
        config.grain = 0;
        emulated::prepare();
    }
    let start = Mark::now();
    config.recording = (config.recording.take())
        .filter(|recording| thread::recording::begin(recording, start, &config.metric));
    let record_grain = config.recording.as_ref().map(|recording| recording.grain);
    if record_grain == Some(0) {
        config.grain = 0;
    }
    change_settings(|settings| {
        *settings = Settings {
            clock: config.clock,
            instances: config.instances,
            measured_forks: config.measured_forks,
            record_grain,
            ..Settings::NONE
        };
        if let (
            Clock::Virtual,
            Burden::Cycles(ticks) | Burden::Nanos(ticks) | Burden::Ticks(ticks),
        ) = (config.clock, config.burden)
        {
            settings.burden = ticks;
            settings.grain = config.grain;
        }
    });
    note_process();
    let begin = clock::monotonic_nanos();
    sampler::start(config.sample_rate, config.clock);
    let clock_of_session = config.clock;
    let virtual_cost = config.virtual_cost;
    *lock() = Some(Session {
        config,
        start,
        start_ticks: clock::now(),
        calibration: Calibration::default(),
        runtimes: Vec::new(),
        start_nanos: 0,
        output,
    });
    if clock_of_session == Clock::Emulated {
        // There is no rate to wait for.
        settle_rate();
    }
    if clock_of_session == Clock::Virtual {
        clock::charge_virtual_readings(virtual_cost.reading);
        set_calibration(virtual_cost.calibration());
    }
    stop::turn_on(clock_of_session == Clock::Emulated);
    let root = Box::into_raw(Box::new(Frame::at(0, 0, 0, tree::ROOT, Chain::default())));
    set_root(root);
    thread::with(|thread| thread.begin_root(root));
    if let Some(session) = lock().as_mut() {
        session.start_nanos = clock::monotonic_nanos() - begin;
    }
}
