//! workspan-rt.
