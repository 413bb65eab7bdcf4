//! The name of an event to count.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = workspan_engine::counters::Event::named(&String::from_utf8_lossy(bytes));
});
