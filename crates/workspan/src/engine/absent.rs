//! Without an engine, regions do nothing.

use std::fmt::Display;

/// An instance of a region.
#[derive(Debug)]
pub(crate) struct Instance;

#[inline(always)]
pub(crate) fn begin(_name: &dyn Display) -> Instance {
    Instance
}

impl Instance {
    #[inline(always)]
    pub(crate) fn end(&mut self) {}
}
