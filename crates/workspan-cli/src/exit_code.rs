//! Exit codes, documented for users in `docs/exit-codes.md`.

/// The command line was wrong.
pub(crate) const USAGE: u8 = 2;
/// workspan could not prepare the build or start cargo.
pub(crate) const SETUP: u8 = 3;
/// A profile exceeds a threshold (`workspan check`). The number is that of [`SETUP`]: a command that only reads profiles sets
/// nothing up.
pub(crate) const REGRESSION: u8 = 3;
/// A profile or a report could not be read or written.
pub(crate) const PROFILE: u8 = 4;
/// Runs of a program printed different things, which was to be checked.
pub(crate) const OUTPUT: u8 = 5;
/// The build failed: cargo's own code.
pub(crate) const BUILD: u8 = 101;
/// The program exists but cannot be executed.
pub(crate) const NOT_EXECUTABLE: u8 = 126;
/// The program does not exist.
pub(crate) const NOT_FOUND: u8 = 127;
/// Added to the number of the signal that ended the program.
pub(crate) const SIGNAL_BASE: i32 = 128;

/// An error on its way out of the process, with the exit code that it leads to.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: u8,
    /// What to say; none if the user has been told, by cargo or by clap.
    pub(crate) error: Option<anyhow::Error>,
}

impl Failure {
    pub(crate) fn new(code: u8, error: impl Into<anyhow::Error>) -> Self {
        Self {
            code,
            error: Some(error.into()),
        }
    }

    /// A failure of which the user has been told.
    pub(crate) const fn told(code: u8) -> Self {
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
