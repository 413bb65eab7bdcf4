//! Profiles and sweeps in the formats that other tools open.
//!
//! Formats of call stacks take [`Stacks`] and the measure to show first; a format that holds only
//! one measure holds that one.
//!
//! ```
//! use workspan_model::{FlameMeasure, example, flame, site_rows};
//! use workspan_report::export::{self, Stacks};
//!
//! let profile = example::quicksort();
//! let rows = site_rows(&profile);
//! let flame = flame(&profile, &rows, None, usize::MAX);
//! let stacks = Stacks::new(&profile, &rows, &flame);
//! let mut file = Vec::new();
//! export::collapsed(&stacks, FlameMeasure::Span, &mut file).unwrap();
//! assert!(file.starts_with(b"quicksort 21400000\n"));
//! ```

pub(crate) mod dot;
mod firefox;
mod pprof;
mod stacks;
mod trace;

pub use firefox::firefox;
pub use pprof::pprof;
pub use stacks::{Stacks, collapsed, flamegraph, speedscope};
pub use trace::trace;
