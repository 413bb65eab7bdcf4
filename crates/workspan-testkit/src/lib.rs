//! What workspan's numbers are checked with: random fork-join programs and a brute-force oracle
//! of their figures, and real programs whose figures are known in closed form.
//!
//! Not published. The random programs are run by this crate's test `oracle`, the real ones by
//! `ci/accuracy`.
#![forbid(unsafe_code)]

mod dag;
mod figures;
mod generator;
pub mod graph;
mod known;
pub mod ompt;
mod oracle;
mod program;
mod random;
mod shrink;
mod spin;

pub use dag::{Dag, Edge, Instance, InstanceId, Vertex, VertexId};
pub use figures::{Figures, NodeFigures, NodeKey, RegionFigures, RegionSums, SiteFigures, Totals};
pub use generator::{Frequencies, MOST_TICKS, Shape, generate};
pub use known::{KNOWN, Known};
pub use oracle::{figures, work_and_span_of};
pub use program::{Block, Construct, PoolNumber, Setting, Site, Statement, write_block};
pub use random::Random;
pub use shrink::shrink;
pub use spin::{processor_time, spin};
