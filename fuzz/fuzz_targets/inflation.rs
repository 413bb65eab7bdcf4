//! The file of runs that `workspan inflate` compares.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| workspan_cli::fuzzing::inflation(bytes));
