//! One level of a call stack, inlined calls included.

use workspan_model::Location;

use super::function::Function;
use super::origin::Origin;
use super::places;

/// One level of a call stack.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    pub(super) function: Option<Function>,
    /// The line that was running, or that called the next inner level.
    pub(super) location: Option<Location>,
    /// Where the function is defined.
    pub(super) definition: Option<Location>,
    /// Whether the function is inlined into the next outer level's.
    pub(super) inlined: bool,
    pub(super) origin: Origin,
}

impl Frame {
    /// Whether the frame is of code outside rayon, the standard library and the engine.
    pub(super) fn is_user_code(&self) -> bool {
        let Some(function) = &self.function else {
            return false;
        };
        match self.origin {
            Origin::ByCrate => {}
            Origin::C => return function.is_user_code_of_c(),
            Origin::Engine | Origin::Runtime | Origin::System => return false,
        }
        let Some(location) = &self.location else {
            return false;
        };
        function.is_user_code() && !places::is_standard_library(&location.file)
    }

    /// Whether the frame is of code in which functions are measured.
    pub(super) fn is_of_program(&self) -> bool {
        if self.origin != Origin::ByCrate {
            return self.is_user_code() && self.location.is_some();
        }
        let is_own = self.function.as_ref().is_some_and(Function::is_of_program);
        let place = self.location.as_ref();
        is_own && place.is_some_and(|location| !places::is_standard_library(&location.file))
    }

    pub(super) fn is_inside_rayon(&self) -> bool {
        self.function.as_ref().is_some_and(Function::is_rayon)
    }
}
