//! workspan-report.
