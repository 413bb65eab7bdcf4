//! What workspan compiles into the programs that it profiles, as text: the engine, what stands in
//! for rayon-core, the libraries for C and C++ and for gcc's OpenMP, the plug-in for QEMU, and the
//! headers.
//!
//! The packages `workspan-rt`, `workspan-rayon`, `workspan-capi`, `workspan-gomp` and
//! `workspan-emulator` compile the same files within this repository, for their tests and
//! documentation. These five are not published.

#[path = "workspan_rt/sampler/atomic.rs"]
pub mod atomic;
#[path = "workspan_rt/clock/counters/mod.rs"]
pub mod counters;
#[cfg(test)]
#[path = "../../tests/skip.rs"]
mod skip;

include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// Files that are written together.
pub struct Sources {
    /// What the name of their folder begins with.
    pub prefix: &'static str,
    /// A hash over their names and texts, and workspan's version.
    pub hash: &'static str,
    /// Relative paths and texts.
    pub files: &'static [(&'static str, &'static str)],
}
