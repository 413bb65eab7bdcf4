//! workspan-testkit.
