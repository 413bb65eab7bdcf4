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
            Origin::C => {
                let place = self.location.as_ref();
                let is_header = place.is_some_and(|at| places::is_installed_header(&at.file));
                return function.is_user_code_of_c() && !is_header;
            }
            Origin::Engine | Origin::Runtime | Origin::System => return false,
        }
        let Some(location) = &self.location else {
            return false;
        };
        (function.is_user_code() || self.is_of_namesake(function))
            && !places::is_standard_library(&location.file)
    }

    /// Whether the function is of a crate that has the name of a part of the standard library, and
    /// is defined elsewhere.
    fn is_of_namesake(&self, function: &Function) -> bool {
        let definition = self.definition.as_ref();
        !function.is_outside_std()
            && definition.is_some_and(|place| {
                !places::is_standard_library(&place.file) && !places::is_engine(&place.file)
            })
    }

    /// Whether the frame is of code in which functions are measured.
    pub(super) fn is_of_program(&self) -> bool {
        if self.origin != Origin::ByCrate {
            return self.is_user_code() && self.location.is_some();
        }
        let function = self.function.as_ref();
        let is_own = function
            .is_some_and(|function| function.is_of_program() || self.is_of_namesake(function));
        let place = self.location.as_ref();
        is_own && place.is_some_and(|location| !places::is_standard_library(&location.file))
    }

    pub(super) fn is_inside_rayon(&self) -> bool {
        self.function.as_ref().is_some_and(Function::is_rayon)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_programs_crate_may_be_named_like_the_standard_librarys() {
        let frame = |file: &str| {
            let place = Some(Location {
                file: file.to_owned(),
                line: 1,
                column: 0,
            });
            Frame {
                function: Some(Function::from_rust("alloc::main::{closure#0}".to_owned())),
                location: place.clone(),
                definition: place,
                ..Frame::default()
            }
        };
        let own = frame("src/bin/alloc.rs");
        assert!(own.is_user_code() && own.is_of_program());
        let library = frame("/rustc/0123abcd/library/alloc/src/vec/mod.rs");
        assert!(!library.is_user_code() && !library.is_of_program());
        // Code of the user's, inlined into a function of the library that has no place.
        let mut inlined = own;
        inlined.definition = None;
        assert!(!inlined.is_user_code());
    }
}
