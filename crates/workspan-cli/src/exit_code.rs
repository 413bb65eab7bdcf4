//! Exit codes, documented for users in `docs/exit-codes.md`.

/// The command line was wrong.
pub(crate) const USAGE: u8 = 2;
/// workspan could not prepare the build or start cargo.
pub(crate) const SETUP: u8 = 3;
/// A profile exceeds a threshold (`workspan check`). The number is that of [`SETUP`], which cannot
/// happen there: the command only reads profiles.
pub(crate) const REGRESSION: u8 = 3;
/// A profile or a report could not be read or written.
pub(crate) const PROFILE: u8 = 4;
/// Runs of a program printed different things (`--check-output`).
pub(crate) const OUTPUT: u8 = 5;
/// The build failed. Cargo uses the same code.
pub(crate) const BUILD: u8 = 101;
/// The program exists but cannot be executed.
pub(crate) const NOT_EXECUTABLE: u8 = 126;
/// The program does not exist.
pub(crate) const NOT_FOUND: u8 = 127;
/// Added to the number of the signal that ended the program.
pub(crate) const SIGNAL_BASE: i32 = 128;

/// The exit codes of most commands, for their help.
pub(crate) const EXIT_CODES: &str = "\
Exit codes: the program's own (128 + the signal's number when a signal ended it), or
  2    the command line is wrong
  3    the build could not be prepared (an unwritable target directory, no cargo), the machine's costs
       could not be measured, a counter (--metric) or the emulator (--emulate) is not available, or the
       program cannot be profiled; of `check`: a threshold is exceeded
  4    a profile or a report could not be read or written
  101  the build failed
  126  the program cannot be executed
  127  the program does not exist";

/// An error that ends the process, with its exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: u8,
    /// What to print; none if the user has already seen the error, for example from cargo or clap.
    pub(crate) error: Option<anyhow::Error>,
}

impl Failure {
    pub(crate) fn new(code: u8, error: impl Into<anyhow::Error>) -> Self {
        Self {
            code,
            error: Some(error.into()),
        }
    }

    /// A failure that has already been reported to the user.
    pub(crate) const fn reported(code: u8) -> Self {
        Self { code, error: None }
    }
}

/// Attaches an exit code to an error.
pub(crate) trait OrExit<T> {
    /// Turns the error into a [`Failure`] with `code`.
    fn or_exit(self, code: u8) -> Result<T, Failure>;
}

impl<T, E: Into<anyhow::Error>> OrExit<T> for Result<T, E> {
    fn or_exit(self, code: u8) -> Result<T, Failure> {
        self.map_err(|error| Failure::new(code, error))
    }
}
