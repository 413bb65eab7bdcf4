//! Why there are no factored speedups.

use thiserror::Error;

/// Why a sweep has no factored speedups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FactoredError {
    /// No run of a sequential program counts.
    #[error(
        "no run of a sequential program to compare with: name one with --baseline 'PROGRAM ARGS', and see that it ends well"
    )]
    NoBaseline,
    /// No run on one thread counts, nor one of T_1^P.
    #[error(
        "no run of the program on one thread: begin --threads at 1, and see that it ends well there"
    )]
    NoOneThread,
    /// No run on several threads counts.
    #[error("no run of the program on any number of threads has ended well")]
    NoRuns,
}
