//! What a profiled program writes on its exit.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = workspan_format::raw::parse(&String::from_utf8_lossy(bytes));
});
