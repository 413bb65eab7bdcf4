//! A Cilk source that `workspan cilk2c` translates.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| workspan_cli::fuzzing::cilk(&String::from_utf8_lossy(bytes)));
