//! The record of a task dag whose checksums are right.
#![no_main]

use libfuzzer_sys::fuzz_target;
use workspan_format::stream;

/// Kind and length of a block; its checksum follows its payload.
const HEAD: usize = 5;

fuzz_target!(|bytes: &[u8]| {
    let mut record = bytes.to_vec();
    let mut at = record.iter().position(|byte| *byte == b'\n').map_or(record.len(), |end| end + 1);
    while let Some(head) = record.get(at..at + HEAD) {
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
        let end = at + HEAD + length;
        if record.len() < end + 4 {
            break;
        }
        // FNV-1a of 32 bits.
        let checksum = record[at..end].iter().fold(0x811c_9dc5_u32, |hash, byte| {
            (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
        });
        record[end..end + 4].copy_from_slice(&checksum.to_le_bytes());
        at = end + 4;
    }
    let _ = stream::parse(&record);
});
