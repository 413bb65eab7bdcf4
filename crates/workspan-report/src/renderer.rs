//! What all renderers share.

use std::io;

use workspan_model::{Analysis, Profile};

/// A form that a profile can be printed in.
pub trait Renderer {
    /// Writes `profile` and what follows from it to `output`; the same profile always gives the same bytes.
    ///
    /// # Errors
    /// Those of `output`.
    ///
    /// # Panics
    /// When the profile is not valid ([`Profile::check`]).
    fn render(
        &self,
        profile: &Profile,
        analysis: &Analysis,
        output: &mut dyn io::Write,
    ) -> io::Result<()>;
}
