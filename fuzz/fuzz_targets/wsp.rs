//! A profile file, as it is.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = workspan_format::wsp::decode_with_dag(bytes);
});
