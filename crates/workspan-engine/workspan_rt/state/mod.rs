//! The state of the engine: whether it is on, the session that is under way, and what that has set.

pub(crate) mod calibrated;
pub(crate) mod config;
pub(crate) mod environment;
pub(crate) mod event_costs;
pub(crate) mod mode;
pub(crate) mod pools;
pub(crate) mod process;
pub(crate) mod recording;
pub(crate) mod runtime;
pub(crate) mod runtimes;
pub(crate) mod settings;
pub(crate) mod stop;
pub(crate) mod under_way;
pub(crate) mod watch;
