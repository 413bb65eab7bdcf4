//! The file of a sweep.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| workspan_cli::fuzzing::sweep(bytes));
