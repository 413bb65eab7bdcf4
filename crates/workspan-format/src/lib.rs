//! workspan-format.
