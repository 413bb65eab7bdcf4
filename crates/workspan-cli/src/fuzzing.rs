//! Entry points for `fuzz/`: the code that reads untrusted files and text. Compiled only for that.

use crate::cilk2c::{self, Language};
use crate::{command, inflate, native, sweep, symbols};

/// Reads the file of a sweep.
pub fn sweep(bytes: &[u8]) {
    let _ = sweep::decode(bytes);
}

/// Reads the file of runs that `workspan inflate` keeps.
pub fn inflation(bytes: &[u8]) {
    let _ = inflate::decode(bytes);
}

/// Reads `workspan.toml`.
pub fn configuration(text: &str) {
    let _ = command::parse_configuration(text);
}

/// Translates a Cilk source.
pub fn cilk(text: &str) {
    for language in [Language::C, Language::Cpp] {
        let _ = cilk2c::serial_elision(text, "fuzz.c", language, &|_| None);
    }
}

/// Reads an executable or a library.
pub fn program(bytes: &[u8]) {
    native::look_at(bytes);
    symbols::look_at(bytes);
}
