//! `workspan.toml`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| workspan_cli::fuzzing::configuration(&String::from_utf8_lossy(bytes)));
