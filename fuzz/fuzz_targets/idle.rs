//! What a program writes of its idle time.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = workspan_format::idle::parse(&String::from_utf8_lossy(bytes));
});
