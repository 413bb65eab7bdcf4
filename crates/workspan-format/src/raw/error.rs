//! Errors of reading a raw profile.

use std::io;
use std::path::PathBuf;

use super::VERSION;

/// Why a raw profile could not be read, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RawError {
    /// Reading the file failed.
    #[error(
        "cannot read the raw profile {}: {error}; did the program reach its end, and may it write there?",
        .path.display()
    )]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// The text does not start like a raw profile.
    #[error("this is not a raw profile of workspan; remove the file and run the program again")]
    Foreign,
    /// The program was built by another version of workspan.
    #[error(
        "the raw profile has version {found}, this workspan reads {VERSION}: the program was built \
         by another workspan; build it again (`rm -r target/workspan` if that does not help)"
    )]
    OtherVersion {
        /// The version in the first line.
        found: String,
    },
    /// The text ends too early.
    #[error(
        "the raw profile is truncated after line {lines}: the program could not write all of it; \
         check the space on the disk and run it again"
    )]
    Truncated {
        /// The number of lines.
        lines: usize,
    },
    /// A line cannot be parsed.
    #[error(
        "line {line} of the raw profile is not understood: {problem}; build the program again with \
         this workspan (`rm -r target/workspan` first), and report the line if it stays"
    )]
    Malformed {
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// A required record is missing.
    #[error(
        "the raw profile has no record `{0}`; build the program again with this workspan \
         (`rm -r target/workspan` first)"
    )]
    Missing(&'static str),
}
