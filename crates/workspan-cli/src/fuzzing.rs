//! The code that reads untrusted files and text, one function for each target of `fuzz/`. Compiled
//! only for that, and for the test that replays `fuzz/corpus`.

use std::io::Write as _;

use workspan_cilk2c::{Language, serial_elision};
use workspan_engine::counters::Event;
use workspan_format::{idle, raw, stream, wsp};
use workspan_model::analyse_with_dag;
use workspan_report::{Json, Renderer as _, Text};

use crate::{command, inflate, native, sweep, symbols};

/// Kind and length of a block of a record; its checksum follows its payload.
const BLOCK_HEAD: usize = 5;

/// A profile file, as it is.
pub fn wsp(bytes: &[u8]) {
    let _ = wsp::decode_with_dag(bytes);
    let _ = wsp::decode_run(bytes);
}

/// A profile file whose checksums are right: what is in its sections, and the report on that.
///
/// `bytes` are the text of the profile's section, a byte 0, and the uncompressed columns of the task
/// dag.
pub fn sections(bytes: &[u8]) {
    let (profile, dag) = match bytes.iter().position(|byte| *byte == 0) {
        Some(end) => (&bytes[..end], Some(&bytes[end + 1..])),
        None => (bytes, None),
    };
    let mut file = b"\x89WSP\r\n\x1a\n\x07\0\0\0".to_vec();
    add_section(&mut file, b"PROF", profile);
    if let Some(columns) = dag {
        let fast = flate2::Compression::fast();
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), fast);
        encoder.write_all(columns).expect("to memory");
        add_section(&mut file, b"DAG ", &encoder.finish().expect("to memory"));
    }
    add_section(&mut file, b"END ", b"");
    if let Ok((profile, dag)) = wsp::decode_with_dag(&file) {
        let analysis = analyse_with_dag(&profile, dag.as_ref());
        let mut output = Vec::new();
        let _ = Text::default().render(&profile, &analysis, &mut output);
        let _ = Json.render(&profile, &analysis, &mut output);
    }
}

fn add_section(file: &mut Vec<u8>, tag: &[u8; 4], payload: &[u8]) {
    let start = file.len();
    file.extend(tag);
    file.extend((payload.len() as u64).to_le_bytes());
    file.extend(payload);
    let checksum = crc32fast::hash(&file[start..]);
    file.extend(checksum.to_le_bytes());
}

/// What a profiled program writes on its exit.
pub fn raw(bytes: &[u8]) {
    let _ = raw::parse(&String::from_utf8_lossy(bytes));
}

/// The record of a task dag, with its checksums corrected.
pub fn stream(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    let mut at = bytes
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(bytes.len(), |end| end + 1);
    while let Some(head) = bytes.get(at..at + BLOCK_HEAD) {
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
        let end = at + BLOCK_HEAD + length;
        if bytes.len() < end + 4 {
            break;
        }
        // FNV-1a of 32 bits.
        let checksum = bytes[at..end].iter().fold(0x811c_9dc5_u32, |hash, byte| {
            (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
        });
        bytes[end..end + 4].copy_from_slice(&checksum.to_le_bytes());
        at = end + 4;
    }
    let _ = stream::parse(&bytes);
}

/// What a program writes of its idle time.
pub fn idle(bytes: &[u8]) {
    let _ = idle::parse(&String::from_utf8_lossy(bytes));
}

/// The file of a sweep.
pub fn sweep(bytes: &[u8]) {
    let _ = sweep::decode(bytes);
}

/// The file of runs that `workspan inflate` compares.
pub fn inflation(bytes: &[u8]) {
    let _ = inflate::decode(bytes);
}

/// `workspan.toml`.
pub fn configuration(bytes: &[u8]) {
    command::parse_configuration(&String::from_utf8_lossy(bytes));
}

/// A Cilk source that `workspan cilk2c` translates.
pub fn cilk(bytes: &[u8]) {
    let source = String::from_utf8_lossy(bytes);
    for language in [Language::C, Language::Cpp] {
        let _ = serial_elision(&source, "fuzz.c", language, &|_| None);
    }
}

/// The name of an event to count.
pub fn event(bytes: &[u8]) {
    let _ = Event::named(&String::from_utf8_lossy(bytes));
}

/// An executable or a library: its runtime, and the places and functions of its addresses.
pub fn program(bytes: &[u8]) {
    native::look_at(bytes);
    symbols::look_at(bytes);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::panic;
    use std::path::{Path, PathBuf};

    type Target = (&'static str, fn(&[u8]));

    const TARGETS: [Target; 11] = [
        ("cilk", super::cilk),
        ("configuration", super::configuration),
        ("event", super::event),
        ("idle", super::idle),
        ("inflation", super::inflation),
        ("program", super::program),
        ("raw", super::raw),
        ("sections", super::sections),
        ("stream", super::stream),
        ("sweep", super::sweep),
        ("wsp", super::wsp),
    ];

    fn entries(folder: &Path) -> BTreeSet<PathBuf> {
        fs::read_dir(folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .map(|entry| entry.expect("an entry").path())
            .collect()
    }

    fn names(folder: &Path) -> Vec<String> {
        let name = |path: &PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into());
        entries(folder).iter().filter_map(name).collect()
    }

    #[test]
    fn each_target_has_its_program_and_its_corpus() {
        let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
        let targets = TARGETS.map(|(name, _)| name);
        assert_eq!(names(&fuzz.join("fuzz_targets")), targets);
        assert_eq!(names(&fuzz.join("corpus")), targets);
    }

    /// Panics, also of an arithmetic overflow, as the fuzzers find them.
    #[test]
    fn every_file_of_the_corpora_is_read_without_panic() {
        let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
        let mut broken = Vec::new();
        for (name, target) in TARGETS {
            let files = entries(&corpora.join(name));
            assert!(!files.is_empty(), "no file in fuzz/corpus/{name}");
            for file in files {
                let bytes = fs::read(&file).expect("a file of the corpus");
                if panic::catch_unwind(|| target(&bytes)).is_err() {
                    broken.push(file);
                }
            }
        }
        assert!(broken.is_empty(), "panics on {broken:?}");
    }
}
