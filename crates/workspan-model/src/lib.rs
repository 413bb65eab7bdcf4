//! workspan-model.
