//! Doors for `fuzz/`, to what reads files and text that may be anybody's. Only there in a build for it.

use crate::cilk2c::{self, Language};
use crate::{command, inflate, native, sweep, symbols};

/// The file of a sweep.
pub fn sweep(bytes: &[u8]) {
    let _ = sweep::decode(bytes);
}

/// The file of runs that are compared.
pub fn inflation(bytes: &[u8]) {
    let _ = inflate::decode(bytes);
}

/// `workspan.toml`.
pub fn configuration(text: &str) {
    let _ = command::parse_configuration(text);
}

/// A Cilk source.
pub fn cilk(text: &str) {
    for language in [Language::C, Language::Cpp] {
        let _ = cilk2c::serial_elision(text, "fuzz.c", language, &|_| None);
    }
}

/// An executable, or a library.
pub fn program(bytes: &[u8]) {
    native::look_at(bytes);
    symbols::look_at(bytes);
}
