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
}

impl SiteKind {
    /// Every kind.
    pub const ALL: [Self; 11] = [
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
    ];

    /// The name that reports and files use, as in rayon's API.
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
        }
    }

    /// Whether the site is a construct of rayon: neither the root nor a thread of the program's own.
    pub const fn is_rayon(self) -> bool {
        !self.is_serial() && !matches!(self, Self::Root | Self::Thread)
    }

    /// Whether instances of the site run in place, on the path of the strand that enters them.
    pub const fn is_serial(self) -> bool {
        matches!(self, Self::Function | Self::Region)
    }
}

impl fmt::Display for SiteKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
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
    /// What was called there, such as `ParallelIterator::for_each`.
    pub detail: Option<String>,
    /// What the reader should know about its figures.
    pub note: Option<String>,
    /// Name of the region, or of the function called.
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
