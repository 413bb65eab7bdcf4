//! What the environment asks for.

use super::config::Burden;
use crate::clock::metric::Metric;
use crate::clock::{self, Clock};

/// Chooses the clock that the environment asks for, or else the best.
pub(crate) fn choose_clock_of_environment() {
    clock::choose(choose_clock(&Metric::time()).0);
}

/// The number in the variable `name`; 0 if there is none.
pub(crate) fn number(name: &str) -> usize {
    std::env::var(name)
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(0)
}

pub(crate) fn metric_of_environment() -> Metric {
    let name = std::env::var("WORKSPAN_METRIC");
    name.map_or_else(|_| Metric::time(), |name| Metric::of_name(&name))
}

pub(crate) fn choose_clock(metric: &Metric) -> (Clock, Option<String>) {
    match std::env::var("WORKSPAN_CLOCK").as_deref() {
        Ok("virtual") => (Clock::Virtual, Some("asked for".into())),
        Ok("emulated") => (Clock::Emulated, None),
        _ if !metric.is_time() => (Clock::Counter, None),
        Ok("monotonic") => (Clock::Monotonic, Some("asked for".into())),
        Ok("thread") => (Clock::Thread, Some("asked for".into())),
        _ => match clock::tsc_unusable() {
            None => (Clock::Tsc, None),
            Some(why) => (Clock::Monotonic, Some(why)),
        },
    }
}

pub(crate) fn parse_burden(text: &str) -> Option<Burden> {
    if let Ok(ticks) = text.parse() {
        return Some(Burden::Ticks(ticks));
    }
    match text.strip_suffix("cycles") {
        Some(cycles) => cycles.parse().ok().map(Burden::Cycles),
        None => text.strip_suffix("ns")?.parse().ok().map(Burden::Nanos),
    }
}
