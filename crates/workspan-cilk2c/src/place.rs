//! Places in the source that the user wrote.

use std::fmt::{self, Display};
use std::sync::Arc;

/// A place in a source file: the file that was read, or the one that `#line` named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The file, as the command line or `#line` named it.
    pub(crate) file: Arc<str>,
    /// The line, from 1.
    pub(crate) line: u32,
    /// The column in bytes, from 1.
    pub(crate) column: u32,
}

impl Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}:{}", self.file, self.line, self.column)
    }
}
