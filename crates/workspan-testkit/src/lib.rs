//! Checks workspan's figures against random fork-join programs with a brute-force oracle, and
//! against real programs whose figures are known in closed form.
//!
//! Not published. The random programs are run by this crate's test `oracle`, the real ones by
//! `xtask truth`.
#![forbid(unsafe_code)]

mod counts;
mod dag;
mod figures;
mod generator;
pub mod graph;
mod kernel;
mod known;
pub mod ompt;
mod oracle;
mod program;
mod random;
mod shrink;
mod spin;
mod tiny;
mod truth;

pub use dag::{Dag, Edge, Instance, InstanceId, Vertex, VertexId};
pub use figures::{Figures, NodeFigures, NodeKey, RegionFigures, RegionSums, SiteFigures, Totals};
pub use generator::{Frequencies, MOST_TICKS, Shape, generate};
pub use kernel::kernel;
pub use known::{KNOWN, Known, Truth};
pub use oracle::{figures, work_and_span_of};
pub use program::{Block, Construct, PoolNumber, Setting, Site, Statement, write_block};
pub use random::Random;
pub use shrink::shrink;
pub use spin::{processor_time, spin};
pub use tiny::{Leaves, Lengths, Pattern, Tiny};
pub use truth::Expected;
