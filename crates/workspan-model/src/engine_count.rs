//! The engine's counts of its own operations.

use serde::{Deserialize, Serialize};

/// One of the engine's counts of its own operations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineCount {
    /// What was counted, in snake_case. Unless the value is a plain number, the name ends in its
    /// unit (`write_nanos`, `thread_bytes`).
    pub name: String,
    /// The count.
    pub value: i64,
}
