#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| workspan_cli::fuzzing::wsp(bytes));
