//! workspan-rayon.
