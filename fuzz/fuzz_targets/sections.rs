//! A profile file whose checksums are right: what is in its sections, and the report on that.
//!
//! The input is the text of the profile's section, a byte 0, and the columns of the task dag, not compressed.
#![no_main]

use std::io::Write as _;

use libfuzzer_sys::fuzz_target;
use workspan_format::wsp;
use workspan_model::analyse_with_dag;
use workspan_report::{Json, Renderer as _, Text};

fn section(file: &mut Vec<u8>, tag: &[u8; 4], payload: &[u8]) {
    let start = file.len();
    file.extend(tag);
    file.extend((payload.len() as u64).to_le_bytes());
    file.extend(payload);
    let checksum = crc32fast::hash(&file[start..]);
    file.extend(checksum.to_le_bytes());
}

fuzz_target!(|bytes: &[u8]| {
    let (profile, dag) = match bytes.iter().position(|byte| *byte == 0) {
        Some(end) => (&bytes[..end], Some(&bytes[end + 1..])),
        None => (bytes, None),
    };
    let mut file = b"\x89WSP\r\n\x1a\n\x06\0\0\0".to_vec();
    section(&mut file, b"PROF", profile);
    if let Some(columns) = dag {
        let fast = flate2::Compression::fast();
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), fast);
        encoder.write_all(columns).expect("to memory");
        section(&mut file, b"DAG ", &encoder.finish().expect("to memory"));
    }
    section(&mut file, b"END ", b"");
    if let Ok((profile, dag)) = wsp::decode_with_dag(&file) {
        let analysis = analyse_with_dag(&profile, dag.as_ref());
        let mut output = Vec::new();
        let _ = Text::default().render(&profile, &analysis, &mut output);
        let _ = Json.render(&profile, &analysis, &mut output);
    }
});
