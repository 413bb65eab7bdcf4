//! The OpenMP constructs of a program.

/// What kind of construct a site is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A parallel region.
    Parallel,
    /// A task, also one of a `taskloop`.
    Task,
    /// A task group, also that of a `taskloop`.
    Taskgroup,
    /// A worksharing loop.
    Loop,
    /// Sections.
    Sections,
}

/// A construct of the program, by its code address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// Its kind.
    pub kind: Kind,
    /// The return address of its call of the runtime; 0 if unknown.
    pub address: u64,
}
