//! The sites of a profile: a row for each, the paths and the call tree through them.

pub(crate) mod call_tree;
pub(crate) mod construct;
pub(crate) mod division;
pub(crate) mod matching;
pub(crate) mod path;
pub(crate) mod rows;
pub(crate) mod selection;
pub(crate) mod top_instances;
