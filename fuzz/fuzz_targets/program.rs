//! An executable or a library: its runtime, and the places and functions of its addresses.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| workspan_cli::fuzzing::program(bytes));
