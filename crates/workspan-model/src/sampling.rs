//! What samples show: functions, source lines, the flame graph, time in libraries.

pub(crate) mod flame;
pub(crate) mod functions;
pub(crate) mod library;
pub(crate) mod lines;
