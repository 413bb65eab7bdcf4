//! workspan-cli.
