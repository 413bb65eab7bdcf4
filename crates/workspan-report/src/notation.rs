//! How figures, places and names are written, wherever they stand.

pub(crate) mod figures;
pub(crate) mod place;
pub(crate) mod program;
pub(crate) mod readable;
