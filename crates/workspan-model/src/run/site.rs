//! Spawn sites: the places in the source that create tasks.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Index of a [`Site`] in [`Profile::sites`](crate::Profile::sites).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SiteId(pub u32);

impl SiteId {
    /// The root: the program's serial code.
    pub const ROOT: Self = Self(0);

    /// The index, for slices.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

named! {
    /// What a site does.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum SiteKind {
        /// The serial code of the program, outside every parallel construct.
        Root = "root",
        /// `rayon::join` and `join_context`.
        Join = "join",
        /// `scope`, `scope_fifo` and their in-place forms.
        Scope = "scope",
        /// `spawn` and `spawn_fifo`, on a scope or detached.
        Spawn = "spawn",
        /// `broadcast` and `spawn_broadcast`.
        Broadcast = "broadcast",
        /// A thread that the program started itself.
        Thread = "thread",
        /// A parallel iterator: the joins that rayon makes to split it.
        ParIter = "par_iter",
        /// `par_bridge`: one loop per actual thread over a shared serial iterator.
        ParBridge = "par_bridge",
        /// `par_sort` and its relatives.
        ParSort = "par_sort",
        /// A call of a function.
        Function = "function",
        /// A named region.
        Region = "region",
        /// A parallel region of OpenMP: the threads of the team run its code at the same time.
        Parallel = "parallel",
        /// A loop whose iterations are handed out piece by piece.
        Loop = "loop",
        /// Blocks of code that run at the same time.
        Sections = "sections",
        /// A task, awaited by its parent, a group or a barrier.
        Task = "task",
        /// A block that awaits all tasks created in it.
        Taskgroup = "taskgroup",
        /// A critical section.
        Critical = "critical",
        /// An atomic update that the runtime makes under a lock.
        Atomic = "atomic",
        /// The ordered part of a loop's iterations.
        Ordered = "ordered",
        /// What runs while a lock is held.
        Lock = "lock",
    }
}

impl SiteKind {
    /// Whether the construct iterates in parallel: joins that rayon makes as it sees fit.
    pub const fn is_iterator(self) -> bool {
        matches!(self, Self::ParIter | Self::ParBridge | Self::ParSort)
    }

    /// Whether rayon cuts the construct for a number of threads.
    pub const fn is_cut(self) -> bool {
        self.is_iterator() && !matches!(self, Self::ParBridge)
    }

    /// The name for display.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Parallel => "parallel region",
            Self::Critical => "critical section",
            Self::Atomic => "atomic update",
            Self::Ordered => "ordered part",
            _ => self.name(),
        }
    }

    /// Whether the site is a construct of a parallel runtime: neither the root, nor a thread of the
    /// program's own, nor something that runs in place.
    pub const fn is_parallel(self) -> bool {
        !self.is_serial() && !matches!(self, Self::Root | Self::Thread)
    }

    /// Whether only rayon has such a construct.
    pub const fn is_of_rayon(self) -> bool {
        matches!(
            self,
            Self::Join
                | Self::Scope
                | Self::Spawn
                | Self::Broadcast
                | Self::ParIter
                | Self::ParBridge
                | Self::ParSort
        )
    }

    /// Whether instances of the site run in place, on the path of the strand that enters them.
    pub const fn is_serial(self) -> bool {
        matches!(self, Self::Function | Self::Region) || self.is_lock()
    }

    /// Whether instances of the site run while a lock is held, one after the other. Such a site has
    /// no nodes in the call tree: its strands belong to what is around it.
    pub const fn is_lock(self) -> bool {
        matches!(
            self,
            Self::Critical | Self::Atomic | Self::Ordered | Self::Lock
        )
    }

    /// Whether each instance is a task that another construct awaits.
    pub const fn is_task(self) -> bool {
        matches!(self, Self::Spawn | Self::Task)
    }

    /// Whether an instance only awaits tasks that are created in it.
    pub const fn is_group(self) -> bool {
        matches!(self, Self::Scope | Self::Taskgroup)
    }

    /// Whether each thread of a team or pool runs the same code once per instance.
    pub const fn is_of_threads(self) -> bool {
        matches!(self, Self::Broadcast | Self::Parallel)
    }

    /// Whether an instance consists of pieces that begin together with it.
    pub const fn has_pieces(self) -> bool {
        matches!(self, Self::Loop | Self::Sections)
    }
}

impl fmt::Display for SiteKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.noun())
    }
}

/// A place in the source, shown as `file:line:column`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Location {
    /// The file, as the compiler named it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 when not known.
    pub column: u32,
}

impl Location {
    /// The place at `line` and `column` of `file`.
    pub fn new(file: impl Into<String>, line: u32, column: u32) -> Self {
        Self {
            file: file.into(),
            line,
            column,
        }
    }

    /// Whether it is in a downloaded crate: there, a path begins with the crate's name and version.
    pub fn is_downloaded(&self) -> bool {
        is_downloaded(&self.file)
    }
}

/// Whether a file of this name is in a downloaded crate.
pub(crate) fn is_downloaded(file: &str) -> bool {
    let folder = file.split_once('/').map(|(folder, _)| folder);
    let version = folder.and_then(|folder| folder.rsplit_once('-'));
    version.is_some_and(|(_, version)| {
        version.starts_with(|letter: char| letter.is_ascii_digit()) && version.contains('.')
    })
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)?;
        if self.column != 0 {
            write!(formatter, ":{}", self.column)?;
        }
        Ok(())
    }
}

/// A spawn site, as far as it could be identified.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Site {
    /// What it does.
    pub kind: SiteKind,
    /// Where it is in the user's code; `None` for the root and if symbols do not show it.
    pub location: Option<Location>,
    /// The function around it.
    pub function: Option<String>,
    /// What was called there, such as `ParallelIterator::for_each` or `tbb::parallel_for`.
    pub detail: Option<String>,
    /// What the reader should know about its figures.
    pub note: Option<String>,
    /// Name of the region, or of the function called. For another construct without a location,
    /// where its code is: `main+0x1a4`.
    #[serde(default)]
    pub name: Option<String>,
    /// Where the function called is defined.
    #[serde(default)]
    pub callee: Option<Location>,
}

impl Site {
    /// The site of the program's serial code, first in every profile.
    pub fn root() -> Self {
        Self::unnamed(SiteKind::Root)
    }

    /// A site of which only the kind is known.
    pub fn unnamed(kind: SiteKind) -> Self {
        Self {
            kind,
            location: None,
            function: None,
            detail: None,
            note: None,
            name: None,
            callee: None,
        }
    }
}

/// ϕ of Cilkprof §3: the function that contains the code that symbols attribute to `function`. A
/// closure counts as the function around it, since its code runs for an execution of that function.
pub(crate) fn enclosing_function(function: &str) -> &str {
    let mut enclosing = function;
    while let Some((before, last)) = enclosing.rsplit_once("::") {
        if !is_closure(last) {
            break;
        }
        enclosing = before;
    }
    enclosing
}

/// Whether the last segment of a function's path is that of a closure (`{closure}`, or in symbols
/// `{closure#0}` or `{{closure}}`) or of a C++ lambda.
fn is_closure(segment: &str) -> bool {
    ["{closure", "{{closure", "{lambda"]
        .iter()
        .any(|begin| segment.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::enclosing_function;

    #[test]
    fn closures_belong_to_the_function_around_them() {
        let cases = [
            ("app::fib", "app::fib"),
            ("app::fib::{closure}", "app::fib"),
            ("app::fib::{closure}::{closure}", "app::fib"),
            ("app::fib::{closure#0}", "app::fib"),
            ("app::fib::{{closure}}", "app::fib"),
            // A function within a closure is a function of its own.
            ("app::fib::{closure}::inner", "app::fib::{closure}::inner"),
            ("main", "main"),
            ("main::{lambda}", "main"),
            ("", ""),
        ];
        for (function, expected) in cases {
            assert_eq!(enclosing_function(function), expected);
        }
    }
}
