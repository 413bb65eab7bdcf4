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

/// What a site does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SiteKind {
    /// The serial code of the program, outside every parallel construct.
    Root,
    /// `rayon::join` and `join_context`.
    Join,
    /// `scope`, `scope_fifo` and their in-place forms.
    Scope,
    /// `spawn` and `spawn_fifo`, on a scope or detached.
    Spawn,
    /// `broadcast` and `spawn_broadcast`.
    Broadcast,
    /// A thread that the program started itself.
    Thread,
    /// A parallel iterator: the joins that rayon makes to split it.
    ParIter,
    /// `par_bridge`: one loop per real thread over a shared serial iterator.
    ParBridge,
    /// `par_sort` and its relatives.
    ParSort,
    /// A call of a function.
    Function,
    /// A region that the program names.
    Region,
    /// A parallel region of OpenMP: the team's threads run its code beside one another.
    Parallel,
    /// A loop whose iterations are shared out, piece by piece.
    Loop,
    /// Blocks of code that run beside one another.
    Sections,
    /// A task, awaited by its parent, a group or a barrier.
    Task,
    /// A block that awaits all tasks made in it.
    Taskgroup,
    /// A critical section.
    Critical,
    /// An atomic update that the runtime makes under a lock.
    Atomic,
    /// The ordered part of a loop's iterations.
    Ordered,
    /// What runs while a lock is held.
    Lock,
}

impl SiteKind {
    /// Every kind.
    pub const ALL: [Self; 20] = [
        Self::Root,
        Self::Join,
        Self::Scope,
        Self::Spawn,
        Self::Broadcast,
        Self::Thread,
        Self::ParIter,
        Self::ParBridge,
        Self::ParSort,
        Self::Function,
        Self::Region,
        Self::Parallel,
        Self::Loop,
        Self::Sections,
        Self::Task,
        Self::Taskgroup,
        Self::Critical,
        Self::Atomic,
        Self::Ordered,
        Self::Lock,
    ];

    /// The name that files use, as in the API of the runtime.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Join => "join",
            Self::Scope => "scope",
            Self::Spawn => "spawn",
            Self::Broadcast => "broadcast",
            Self::Thread => "thread",
            Self::ParIter => "par_iter",
            Self::ParBridge => "par_bridge",
            Self::ParSort => "par_sort",
            Self::Function => "function",
            Self::Region => "region",
            Self::Parallel => "parallel",
            Self::Loop => "loop",
            Self::Sections => "sections",
            Self::Task => "task",
            Self::Taskgroup => "taskgroup",
            Self::Critical => "critical",
            Self::Atomic => "atomic",
            Self::Ordered => "ordered",
            Self::Lock => "lock",
        }
    }

    /// What a person calls it.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Parallel => "parallel region",
            Self::Critical => "critical section",
            Self::Atomic => "atomic update",
            Self::Ordered => "ordered part",
            _ => self.name(),
        }
    }

    /// Whether the site is a construct of a parallel runtime: neither the root, nor a thread of the program's own, nor what
    /// runs in place.
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

    /// Whether instances of the site run while a lock is held, one after the other. Such a site has no nodes in the call
    /// tree: its strands are those of what is around it.
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

    /// Whether an instance only awaits tasks that are made in it.
    pub const fn is_group(self) -> bool {
        matches!(self, Self::Scope | Self::Taskgroup)
    }

    /// Whether each thread of a team or pool runs the same code once for an instance.
    pub const fn is_of_threads(self) -> bool {
        matches!(self, Self::Broadcast | Self::Parallel)
    }

    /// Whether an instance is made of pieces that begin with it.
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

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)?;
        if self.column != 0 {
            write!(formatter, ":{}", self.column)?;
        }
        Ok(())
    }
}

/// A spawn site, as far as it could be named.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Site {
    /// What it does.
    pub kind: SiteKind,
    /// Where it stands in the user's code; `None` for the root and where no symbols told.
    pub location: Option<Location>,
    /// The function around it.
    pub function: Option<String>,
    /// What was called there, such as `ParallelIterator::for_each` or `tbb::parallel_for`.
    pub detail: Option<String>,
    /// What the reader should know about its figures.
    pub note: Option<String>,
    /// Name of the region, or of the function called; of another construct without a place where its code is:
    /// `main+0x1a4`.
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

/// ϕ of Cilkprof §3: the function in which code stands that symbols name `function`. A closure counts as the
/// function around it, since its code runs for an execution of that function.
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

/// Whether the last segment of a function's path is a closure's: `{closure}`, or as symbols have it,
/// `{closure#0}` and `{{closure}}`; or a lambda's of C++.
fn is_closure(segment: &str) -> bool {
    ["{closure", "{{closure", "{lambda"]
        .iter()
        .any(|begin| segment.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::enclosing_function;

    #[test]
    fn closures_stand_in_the_function_around_them() {
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
