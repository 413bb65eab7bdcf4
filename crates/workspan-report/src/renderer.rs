//! The trait of all renderers.

use std::io;

use workspan_model::{Analysis, Profile};

/// A form that a profile can be printed in.
pub trait Renderer {
    /// Writes `profile` and its `analysis` to `output`; the same profile always gives the same
    /// bytes.
    ///
    /// # Errors
    /// Any error from writing to `output`.
    ///
    /// # Panics
    /// If the profile is not valid ([`Profile::check`]).
    fn render(
        &self,
        profile: &Profile,
        analysis: &Analysis,
        output: &mut dyn io::Write,
    ) -> io::Result<()>;
}
