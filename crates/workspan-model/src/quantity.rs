//! Amounts of time or of events, and what follows from amounts alone: estimates with intervals,
//! medians and ratios of several, bounds on speedups.

pub(crate) mod estimate;
pub(crate) mod median;
pub(crate) mod metric;
pub(crate) mod paired;
pub(crate) mod phases;
pub(crate) mod speedup;
pub(crate) mod units;
