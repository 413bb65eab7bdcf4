//! The `.wsp` file: what is written comes back, and nothing else is taken for it.

use std::error::Error;

use proptest::prelude::*;
use workspan_format::wsp::{self, WspProblem, decode, encode};
use workspan_model::{Profile, example, repeated};

fn profile() -> Profile {
    example::quicksort()
}

/// A section as `docs/format.md` describes it, written independently of the crate.
fn section(tag: &[u8; 4], payload: &[u8]) -> Vec<u8> {
    let mut section = tag.to_vec();
    section.extend((payload.len() as u64).to_le_bytes());
    section.extend(payload);
    let checksum = crc32fast::hash(&section);
    section.extend(checksum.to_le_bytes());
    section
}

fn file(version: u32, sections: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"\x89WSP\r\n\x1a\n".to_vec();
    file.extend(version.to_le_bytes());
    file.extend(sections.concat());
    file
}

fn profile_section() -> Vec<u8> {
    section(b"PROF", &serde_json::to_vec(&profile()).unwrap())
}

fn end() -> Vec<u8> {
    section(b"END ", b"")
}

fn assert_damaged(bytes: &[u8], what: &str) {
    match decode(bytes) {
        Err(WspProblem::Damaged(problem)) => assert!(problem.contains(what), "{problem}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_profile_comes_back_from_its_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.wsp");
    wsp::write(&path, &profile()).unwrap();
    assert_eq!(wsp::read(&path).unwrap(), profile());
}

#[test]
fn several_runs_come_back_from_their_file() {
    let profile = repeated(vec![profile(); 3]).unwrap();
    assert_eq!(decode(&encode(&profile)).unwrap(), profile);
}

#[test]
fn the_file_is_as_documented() {
    assert_eq!(encode(&profile()), file(2, &[profile_section(), end()]));
}

#[test]
fn files_of_version_1_were_timed_exactly() {
    let mut payload = serde_json::to_value(profile()).unwrap();
    for later in ["timing", "engine", "repetition"] {
        payload.as_object_mut().unwrap().remove(later).unwrap();
    }
    payload["run"]
        .as_object_mut()
        .unwrap()
        .remove("burden_source")
        .unwrap();
    let old = section(b"PROF", &serde_json::to_vec(&payload).unwrap());
    let mut expected = profile();
    expected.run.burden_source = None;
    assert_eq!(decode(&file(1, &[old, end()])).unwrap(), expected);
}

#[test]
fn unknown_sections_are_skipped() {
    let bytes = file(
        1,
        &[
            section(b"DAG ", b"later"),
            profile_section(),
            section(b"NOTE", b""),
            end(),
        ],
    );
    assert_eq!(decode(&bytes).unwrap(), profile());
}

#[test]
fn every_cut_is_seen() {
    let bytes = encode(&profile());
    assert!(matches!(decode(&[]), Err(WspProblem::Foreign)));
    for length in 1..bytes.len() {
        assert!(
            matches!(decode(&bytes[..length]), Err(WspProblem::Truncated)),
            "{length} bytes"
        );
    }
}

#[test]
fn every_flipped_bit_is_seen() {
    let bytes = encode(&profile());
    for index in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[index] ^= 1 << bit;
            assert!(decode(&changed).is_err(), "bit {bit} of byte {index}");
        }
    }
}

#[test]
fn foreign_files_are_told_apart() {
    for bytes in [
        &b"workspan-raw 1\n"[..],
        b"\x7fELF",
        b"{}",
        b"\x89PNG\r\n\x1a\n",
    ] {
        assert!(
            matches!(decode(bytes), Err(WspProblem::Foreign)),
            "{bytes:?}"
        );
    }
}

#[test]
fn newer_files_name_both_versions_and_what_to_do() {
    let problem = decode(&file(7, &[])).unwrap_err();
    assert!(matches!(problem, WspProblem::Newer { found: 7 }));
    let text = problem.to_string();
    assert!(
        text.contains("version 7") && text.contains("up to 2") && text.contains("update"),
        "{text}"
    );
}

#[test]
fn damage_is_named() {
    assert_damaged(&file(0, &[profile_section(), end()]), "version 0");
    assert_damaged(&file(1, &[end()]), "no section PROF");
    assert_damaged(
        &file(1, &[profile_section(), profile_section(), end()]),
        "two sections PROF",
    );
    assert_damaged(&file(1, &[section(b"PROF", b"{}"), end()]), "missing field");
    assert_damaged(
        &file(1, &[section(b"PROF", b"\xff"), end()]),
        "section PROF",
    );
    assert_damaged(&[encode(&profile()), vec![0]].concat(), "after its end");
    let mut invalid = profile();
    invalid.tree[1].parent = None;
    assert_damaged(&encode(&invalid), "node 1");
}

#[test]
fn a_length_beyond_the_file_allocates_nothing() {
    let mut bytes = file(1, &[]);
    bytes.extend(b"PROF");
    bytes.extend(u64::MAX.to_le_bytes());
    assert!(matches!(decode(&bytes), Err(WspProblem::Truncated)));
}

#[test]
fn errors_name_the_file_and_their_cause() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing/run.wsp");
    for error in [
        wsp::read(&missing).unwrap_err(),
        wsp::write(&missing, &profile()).unwrap_err(),
    ] {
        assert!(error.to_string().contains("missing/run.wsp"), "{error}");
        assert!(error.source().is_some());
    }
}

#[test]
fn a_failed_write_keeps_what_stood_there() {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("run.wsp");
    std::fs::create_dir(&target).unwrap();
    let error = wsp::write(&target, &profile()).unwrap_err();
    assert!(matches!(error.problem, WspProblem::Write(_)), "{error}");
    assert!(target.is_dir());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(decode(&bytes).is_err());
    }

    #[test]
    fn changed_contents_with_a_right_checksum_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut payload = serde_json::to_vec(&profile()).unwrap();
        for (index, byte) in changes {
            let index = index.index(payload.len());
            payload[index] = byte;
        }
        if let Ok(profile) = decode(&file(1, &[section(b"PROF", &payload), end()])) {
            workspan_model::analyse(&profile);
        }
    }
}
