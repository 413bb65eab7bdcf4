//! The session that is under way, and what is learnt about it meanwhile.

use super::config::{Burden, Config};
use super::settings::{change_settings, Settings};
use crate::clock::{self, Clock, Mark};
use crate::state::calibrated::Calibration;
use crate::state::event_costs::Costs;
use crate::state::runtime::Runtime;
use crate::state::stop;
use crate::system::presence;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many sessions have been started: the session number of the last.
static STARTED: AtomicU64 = AtomicU64::new(0);

static SESSION: Mutex<Option<Session>> = Mutex::new(None);

pub(crate) struct Session {
    pub(crate) config: Config,
    pub(crate) start: Mark,
    pub(crate) start_ticks: i64,
    pub(crate) calibration: Calibration,
    /// The program's parallel runtimes and their versions.
    pub(crate) runtimes: Vec<(Runtime, String)>,
    /// How long the start took.
    pub(crate) start_nanos: i64,
    /// Where its profile goes; `None` if whoever ends the session is to have the text.
    pub(crate) output: Option<std::path::PathBuf>,
}

pub(crate) fn lock() -> MutexGuard<'static, Option<Session>> {
    SESSION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a session is under way.
#[inline(always)]
pub fn active() -> bool {
    stop::mode() == stop::ON
}

/// The session number of the present session, or of the last. For bookkeeping, which begins after
/// the session's start.
#[inline]
pub(crate) fn session_number() -> u64 {
    STARTED.load(Ordering::Relaxed)
}

/// Learns the clock's rate, which takes a millisecond from the start, and what depends on it.
pub(crate) fn settle_rate() {
    let mut guard = lock();
    let Some(session) = guard.as_mut() else {
        return;
    };
    if session.config.clock == Clock::Virtual {
        return;
    }
    let per_nano = session.start.ticks_per_second() / 1e9;
    clock::set_ticks_per_nano(per_nano);
    let check_after = match session.config.clock {
        // Never, but small enough for `presence` to multiply.
        Clock::Thread => i64::MAX / 1_000_000,
        // Nor is there anything to take off.
        clock if clock.counts() => i64::MAX,
        _ => (presence::CHECK_AFTER_NANOS * per_nano) as i64,
    };
    let burden = match session.config.burden {
        Burden::Cycles(cycles) if session.config.clock.counts() => cycles,
        // On a clock of nanoseconds, cycles are taken at a nominal rate of 2.5 GHz.
        Burden::Cycles(cycles) if session.config.clock != Clock::Tsc => {
            (cycles as f64 / 2.5) as i64
        }
        Burden::Cycles(cycles) => cycles,
        Burden::Nanos(nanos) => (nanos as f64 * per_nano) as i64,
        Burden::Ticks(ticks) => ticks,
    };
    let ticks = |nanos: i64| (nanos as f64 * per_nano) as i64;
    let grain = ticks(session.config.grain);
    let recording = session.config.recording.as_ref();
    // A grain that is not 0 must not become 0.
    let record_grain = recording.map(|recording| match recording.grain {
        0 => 0,
        grain => ticks(grain).max(1),
    });
    change_settings(|settings| {
        *settings = Settings {
            check_after,
            burden,
            grain,
            record_grain: settings.record_grain.and(record_grain),
            record_every: ticks(1_000_000_000),
            ..*settings
        }
    });
}

/// Whether the engine is to measure what it costs.
pub(crate) fn calibrates() -> bool {
    let session = lock();
    session.as_ref().is_some_and(|session| {
        session.config.clock != Clock::Virtual || session.config.virtual_cost.is_measured
    })
}

/// As [`settle_rate`], but does nothing if that would have to wait.
pub(crate) fn settle_rate_if_old() {
    let start = lock().as_ref().map(|session| session.start);
    if start.is_some_and(Mark::is_old) {
        settle_rate();
    }
}

/// As [`settle_rate`], but does nothing if the rate is known.
pub(crate) fn settle_rate_once() {
    if !clock::is_rate_known() {
        settle_rate();
    }
}

/// Adds to what the start took, in nanoseconds.
pub(crate) fn add_start(nanos: i64) {
    if let Some(session) = lock().as_mut() {
        session.start_nanos += nanos;
    }
}

/// Sets what is taken off at the events of other runtimes. Measuring that took `nanos` nanoseconds.
pub(crate) fn set_event_costs(costs: Costs, nanos: i64) {
    change_settings(|settings| settings.event_costs = Some(costs));
    add_start(nanos);
}

pub(crate) fn set_calibration(calibration: Calibration) {
    let boundary_cost = calibration.boundary.round() as i64;
    let spawn_cost = calibration.spawn_boundary.round() as i64;
    let unread_cost = calibration.unread_boundary as i64;
    change_settings(|settings| {
        *settings = Settings {
            boundary_cost,
            ordinary_cost: calibration.ordinary_boundary.round() as i64,
            spawn_cost,
            unread_cost,
            crossing_cost: calibration.crossing as i64,
            unsure: if settings.grain > 0 {
                3 * boundary_cost
            } else {
                0
            },
            ..*settings
        }
    });
    if let Some(session) = lock().as_mut() {
        session.calibration = calibration;
    }
}

/// Ticks since the session started; 0 with the clocks that advance only where a thread runs, except
/// [`Clock::Thread`].
pub(crate) fn elapsed() -> i64 {
    match clock::chosen() {
        Clock::Virtual | Clock::Emulated | Clock::Counter => 0,
        // Nanoseconds, like this clock's ticks.
        Clock::Thread => lock().as_ref().map_or(0, |s| s.start.nanos_since()),
        _ => lock().as_ref().map_or(0, |s| clock::now() - s.start_ticks),
    }
}

/// The name of what the session measures, as the user gave it; `None` with the engine off.
pub fn metric() -> Option<String> {
    if !active() {
        return None;
    }
    Some(lock().as_ref()?.config.metric.name.clone())
}

/// Gives a session that starts its session number.
pub(crate) fn count_session() {
    STARTED.fetch_add(1, Ordering::Relaxed);
}
