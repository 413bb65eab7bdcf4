//! How a session is to be recorded.

/// How a session is to be recorded.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The file to write.
    pub path: std::path::PathBuf,
    /// Subtrees with less work than this are folded, in nanoseconds (ticks of a virtual clock); 0:
    /// every strand is kept and timed individually.
    pub grain: i64,
    /// The most bytes the record may take. It ends there, and with it everything known of the dag.
    pub most_bytes: u64,
}

impl Recording {
    /// What [`Recording::grain`] is unless the environment says otherwise.
    pub const GRAIN: i64 = 10_000;

    /// Default of [`Recording::most_bytes`]: at some dozen bytes a vertex, an analysis takes a few
    /// gigabytes of memory.
    pub const MOST_BYTES: u64 = 256 << 20;
}
