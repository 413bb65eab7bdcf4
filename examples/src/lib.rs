//! Case studies.
