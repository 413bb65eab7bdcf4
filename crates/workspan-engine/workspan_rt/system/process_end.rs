//! How the process came to its end.

use std::fmt;

/// How the process came to write the profile.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ending {
    Exit,
    Signal(i32),
    /// It has not ended: this is the profile so far.
    Not,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Exit => f.write_str("exit"),
            Self::Signal(number) => write!(f, "signal {number}"),
            Self::Not => f.write_str("not"),
        }
    }
}
