//! The `.wsp` file: what is written is read back, and nothing else is accepted.

use std::error::Error;

use proptest::prelude::*;
use serde_json::json;
use workspan_format::wsp::{self, WspProblem, decode, encode};
use workspan_model::{
    Cost, FrameId, InvalidProfile, Lock, LockUse, Measure, MeasureKind, Nanos, NodeId, On,
    OutsideStack, Profile, Quartiles, Queue, RuntimeKind, Samples, Site, SiteId, SiteKind,
    StackFrame, ThreadShare, Totals, WaitPlace, Waits, Work, analyse, example, repeated, totals,
};

fn profile() -> Profile {
    example::quicksort()
}

/// The version that is written.
const VERSION: u32 = 12;

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
fn a_profile_is_read_back() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.wsp");
    wsp::write(&path, &profile(), None).unwrap();
    assert_eq!(wsp::read(&path).unwrap(), profile());
}

#[test]
fn how_a_program_was_run_is_read_without_the_rest_of_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.wsp");
    let mut bytes = file(VERSION, &[profile_section()]);
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(wsp::read_run(&path).unwrap(), profile().run);
    *bytes.last_mut().unwrap() ^= 1;
    for (bytes, problem) in [
        (bytes, "checksum of section PROF"),
        (file(VERSION, &[end()]), "it begins with END"),
        (file(99, &[]), "version 99"),
        (
            b"PK\x03\x04 an archive, longer than a head".to_vec(),
            "not a workspan profile",
        ),
        (Vec::new(), "not a workspan profile"),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let error = wsp::read_run(&path).unwrap_err().problem.to_string();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn several_runs_are_read_back() {
    let profile = repeated(vec![profile(); 3]).unwrap();
    assert_eq!(decode(&encode(&profile, None)).unwrap(), profile);
}

#[test]
fn the_file_is_as_documented() {
    assert_eq!(
        encode(&profile(), None),
        file(VERSION, &[profile_section(), end()])
    );
}

/// A profile with a stack that threads waited on, one that they woke others on, and one outside of
/// strands.
fn profile_with_waits() -> Profile {
    let frames = vec![StackFrame {
        function: Some("std::sys::sync::mutex::futex::Mutex::lock".to_owned()),
        ..StackFrame::default()
    }];
    let place = |waited| WaitPlace {
        node: NodeId(1),
        frames: vec![FrameId(0)],
        count: 3,
        waited: Nanos::from_nanos(waited),
        open: 0,
        open_waited: Nanos::ZERO,
    };
    let queue = Queue {
        is_sleep: false,
        awaited: None,
        any: Nanos::from_nanos(700),
        unwoken: Nanos::from_nanos(200),
        waits: vec![place(640)],
        wakes: vec![place(0)],
    };
    let outside = OutsideStack {
        frames: vec![FrameId(0)],
        periods: 2.5,
    };
    Profile {
        samples: Some(Samples {
            rate: 1000,
            frames: frames.clone(),
            outside: vec![outside],
            ..Samples::default()
        }),
        waits: Waits {
            frames,
            queues: vec![queue],
            restrictions: vec![place(0)],
        },
        ..profile()
    }
}

#[test]
fn waits_and_stacks_outside_of_strands_are_read_back() {
    let profile = profile_with_waits();
    assert_eq!(profile.check(), Ok(()));
    assert_eq!(decode(&encode(&profile, None)).unwrap(), profile);
}

/// What is changed, how, and how it is refused.
type Refused = (&'static str, fn(&mut Profile), InvalidProfile);

#[test]
fn waits_and_stacks_outside_of_unknown_frames_are_damage() {
    let refused: [Refused; 5] = [
        (
            "waits",
            |profile| profile.waits.queues[0].waits[0].frames.push(FrameId(1)),
            InvalidProfile::Waits,
        ),
        (
            "wakes",
            |profile| profile.waits.queues[0].wakes[0].frames.push(FrameId(1)),
            InvalidProfile::Waits,
        ),
        (
            "restrictions",
            |profile| profile.waits.restrictions[0].frames.push(FrameId(1)),
            InvalidProfile::Waits,
        ),
        (
            "node",
            |profile| profile.waits.queues[0].waits[0].node = NodeId(99),
            InvalidProfile::Waits,
        ),
        (
            "outside",
            |profile| {
                let samples = profile.samples.as_mut().unwrap();
                samples.outside[0].frames.push(FrameId(1));
            },
            InvalidProfile::AroundSites,
        ),
    ];
    for (what, change, error) in refused {
        let mut profile = profile_with_waits();
        change(&mut profile);
        assert_eq!(profile.check(), Err(error), "{what}");
        let payload = serde_json::to_vec(&profile).unwrap();
        let file = file(8, &[section(b"PROF", &payload), end()]);
        assert_damaged(&file, "a frame that does not exist");
    }
}

#[test]
fn files_of_version_11_have_no_restrictions() {
    let mut profile = profile_with_waits();
    let mut payload = serde_json::to_value(&profile).unwrap();
    remove(&mut payload["waits"], &["restrictions"]);
    profile.waits.restrictions.clear();
    let section = section(b"PROF", payload.to_string().as_bytes());
    assert_eq!(decode(&file(11, &[section, end()])).unwrap(), profile);
}

#[test]
fn files_of_version_9_have_no_timeline() {
    let timed = example::timed_quicksort();
    assert_eq!(decode(&encode(&timed, None)).unwrap(), timed);
    let mut payload = serde_json::to_value(timed).unwrap();
    remove(&mut payload, &["timeline"]);
    let section = section(b"PROF", payload.to_string().as_bytes());
    assert_eq!(decode(&file(9, &[section, end()])).unwrap().timeline, None);
}

#[test]
fn files_of_version_7_have_no_waits() {
    let mut payload = serde_json::to_value(profile()).unwrap();
    remove(&mut payload, &["waits"]);
    let section = section(b"PROF", payload.to_string().as_bytes());
    assert_eq!(decode(&file(7, &[section, end()])).unwrap(), profile());
}

#[test]
fn files_of_version_6_have_no_processor_time() {
    let mut payload = serde_json::to_value(profile()).unwrap();
    remove(&mut payload["run"], &["processors"]);
    let section = section(b"PROF", payload.to_string().as_bytes());
    let read = decode(&file(6, &[section, end()])).unwrap();
    assert_eq!(read, profile());
    assert_eq!(analyse(&read).books, None);
}

#[test]
fn files_without_a_metric_measure_time() {
    let mut payload = serde_json::to_value(profile()).unwrap();
    remove(&mut payload["run"], &["metric"]);
    let section = section(b"PROF", payload.to_string().as_bytes());
    let read = decode(&file(5, &[section, end()])).unwrap();
    assert_eq!(read, profile());
    assert!(read.run.metric.is_default() && read.run.metric.is_time());
}

/// The profile as a file of version 3 holds it.
fn payload_of_version_3() -> serde_json::Value {
    let mut payload = serde_json::to_value(profile()).unwrap();
    let runtimes = payload["run"]["runtimes"].take();
    remove(&mut payload["run"], &["runtimes"]);
    payload["run"]["rayon_core_version"] = runtimes[0]["version"].clone();
    payload
}

/// The profile as a file of version 2 holds it.
fn payload_of_version_2() -> serde_json::Value {
    let mut payload = payload_of_version_3();
    remove(&mut payload, &["samples", "instances"]);
    for site in payload["sites"].as_array_mut().unwrap() {
        remove(site, &["name", "callee"]);
    }
    for node in payload["tree"].as_array_mut().unwrap() {
        remove(node, &["path"]);
        remove(&mut node["on_work"], &["local_span"]);
        remove(
            &mut node["on_span"],
            &["top_count", "top_work", "local_work"],
        );
    }
    payload
}

fn remove(object: &mut serde_json::Value, keys: &[&str]) {
    for key in keys {
        let object = object.as_object_mut().unwrap();
        assert!(object.remove(*key).is_some(), "{key}");
    }
}

/// The profile that is read from [`payload_of_version_2`].
fn profile_of_version_2() -> Profile {
    let mut profile = profile();
    for node in &mut profile.tree {
        node.path.clear();
        node.on_work.local_span = Default::default();
        node.on_span.top_count = 0;
        node.on_span.top_work = Default::default();
        node.on_span.local_work = Default::default();
    }
    profile
}

fn decoded(version: u32, payload: &serde_json::Value) -> Profile {
    let section = section(b"PROF", &serde_json::to_vec(payload).unwrap());
    decode(&file(version, &[section, end()])).unwrap()
}

#[test]
fn files_of_version_1_have_exact_timing() {
    let mut payload = payload_of_version_2();
    remove(&mut payload, &["timing", "engine", "repetition"]);
    remove(&mut payload["run"], &["burden_source"]);
    let mut expected = profile_of_version_2();
    expected.run.burden_source = None;
    assert_eq!(decoded(1, &payload), expected);
}

#[test]
fn the_rayon_version_of_version_3_becomes_a_runtime() {
    let mut payload = payload_of_version_3();
    assert_eq!(payload["run"]["rayon_core_version"], "1.13.0");
    assert_eq!(decoded(3, &payload), profile());
    payload["run"]["rayon_core_version"] = serde_json::Value::Null;
    assert_eq!(decoded(3, &payload).run.runtimes, []);
}

/// A profile with a lock that site 2 acquires.
fn profile_with_a_lock() -> Profile {
    let mut profile = profile();
    profile.sites.push(Site::unnamed(SiteKind::Critical));
    let held = LockUse {
        site: SiteId(2),
        held: Work::from_nanos(400_000_000),
        acquisitions: 7,
        waits: 3,
        waited: Nanos::from_nanos(50),
    };
    profile.locks = vec![Lock { uses: vec![held] }];
    profile.other_locks = vec![held];
    profile
}

#[test]
fn locks_are_read_back_and_older_files_have_none() {
    let profile = profile_with_a_lock();
    assert_eq!(decode(&encode(&profile, None)).unwrap(), profile);
    let mut payload = serde_json::to_value(&profile).unwrap();
    let payload = payload.as_object_mut().unwrap();
    payload.remove("locks").unwrap();
    payload.remove("other_locks").unwrap();
    let read = decoded(4, &payload.clone().into());
    assert_eq!((read.locks, read.other_locks), (Vec::new(), Vec::new()));
}

#[test]
fn locks_at_sites_that_acquire_none_are_damage() {
    for site in [1, 9] {
        let mut profile = profile_with_a_lock();
        profile.locks[0].uses[0].site = SiteId(site);
        let payload = serde_json::to_vec(&profile).unwrap();
        let file = file(5, &[section(b"PROF", &payload), end()]);
        assert_damaged(&file, &format!("a lock was acquired at site {site}"));
    }
}

#[test]
fn runtimes_are_called_the_same_in_all_files() {
    for kind in RuntimeKind::ALL {
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
    }
}

#[test]
fn files_of_version_2_have_no_paths() {
    let read = decoded(2, &payload_of_version_2());
    assert_eq!(read, profile_of_version_2());
    assert!(!read.has_paths());
}

/// The rows of several runs are stored in the file, and not computed on reading.
#[test]
fn rows_of_version_2_lack_later_measures() {
    let repetition = repeated(vec![profile_of_version_2(); 3])
        .unwrap()
        .repetition;
    let mut payload = payload_of_version_2();
    payload["repetition"] = serde_json::to_value(&repetition).unwrap();
    for run in payload["repetition"]["runs"].as_array_mut().unwrap() {
        for row in run["sites"].as_array_mut().unwrap() {
            remove(row, &["name", "callee"]);
            remove(&mut row["on_work"], &["local_span", "top_caller"]);
            let further = ["local_work", "top_call_site", "top_caller"];
            remove(&mut row["on_span"], &further);
        }
    }
    let read = decoded(2, &payload);
    let row = &read.repetition.as_ref().unwrap().runs[0].sites[0];
    assert_eq!(row.on_work.work, Work::from_nanos(1_038_600_000));
    let top_caller = row.measure(On::Work, MeasureKind::TopCaller);
    assert_eq!(top_caller, Measure::default());
    let medians = &analyse(&read).runs.unwrap().sites[0].medians;
    assert_eq!(
        medians.measure(On::Work, MeasureKind::TopCaller),
        top_caller
    );
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
fn every_cut_is_detected() {
    let bytes = encode(&profile(), None);
    assert!(matches!(decode(&[]), Err(WspProblem::Foreign)));
    for length in 1..bytes.len() {
        assert!(
            matches!(decode(&bytes[..length]), Err(WspProblem::Truncated)),
            "{length} bytes"
        );
    }
}

#[test]
fn every_flipped_bit_is_detected() {
    let bytes = encode(&profile(), None);
    for index in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[index] ^= 1 << bit;
            // No checksum covers the version, and older versions are read the same way.
            if index == 8 && (1..VERSION as u8).contains(&changed[index]) {
                continue;
            }
            assert!(decode(&changed).is_err(), "bit {bit} of byte {index}");
        }
    }
}

#[test]
fn foreign_files_are_recognised() {
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
fn the_documentation_names_the_version_and_what_it_added() {
    let documented = include_str!("../../../docs/format.md");
    assert!(documented.contains(&format!("| 4 | version, u32: {VERSION} |")));
    assert!(documented.contains(&format!("\n| {VERSION} | ")));
}

#[test]
fn files_of_version_11_do_not_know_which_thread_ran_for_how_long() {
    let mut profile = profile();
    profile.shares = vec![ThreadShare {
        node: NodeId::ROOT,
        thread: 1,
        ran: Nanos::from_nanos(7),
    }];
    assert_eq!(decode(&encode(&profile, None)).unwrap(), profile);
    let mut payload = serde_json::to_value(&profile).unwrap();
    remove(&mut payload, &["shares"]);
    profile.shares.clear();
    assert_eq!(decoded(11, &payload), profile);
}

#[test]
fn newer_files_name_both_versions_and_what_to_do() {
    let problem = decode(&file(VERSION + 1, &[])).unwrap_err();
    assert!(matches!(problem, WspProblem::Newer { found } if found == VERSION + 1));
    let text = problem.to_string();
    for part in [
        format!("version {}", VERSION + 1),
        format!("up to {VERSION}"),
        "update".to_owned(),
    ] {
        assert!(text.contains(&part), "{text}");
    }
}

#[test]
fn damage_is_described() {
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
    assert_damaged(
        &[encode(&profile(), None), vec![0]].concat(),
        "after its end",
    );
    let mut invalid = profile();
    invalid.tree[1].parent = None;
    assert_damaged(&encode(&invalid, None), "node 1");
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
        wsp::write(&missing, &profile(), None).unwrap_err(),
    ] {
        assert!(error.to_string().contains("missing/run.wsp"), "{error}");
        assert!(error.source().is_some());
    }
}

#[test]
fn a_failed_write_keeps_what_was_there() {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("run.wsp");
    std::fs::create_dir(&target).unwrap();
    let error = wsp::write(&target, &profile(), None).unwrap_err();
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
    fn changed_contents_with_a_correct_checksum_never_panic(
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

/// An `Estimate` has other names for them.
#[test]
fn measured_costs_keep_their_keys() {
    let costs = [1.0, 2.0, 3.0, 4.0, 9.0].map(Cost::from_nanos);
    let quartiles = Quartiles::from_samples(costs.to_vec()).unwrap();
    let written = serde_json::to_string(&quartiles).unwrap();
    assert_eq!(
        written,
        r#"{"lower":2.0,"median":3.0,"upper":4.0,"samples":5}"#
    );
    assert_eq!(
        serde_json::from_str::<Quartiles>(&written).unwrap(),
        quartiles
    );
}

#[test]
fn totals_keep_their_keys() {
    let mut profile = example::quicksort();
    profile.timing.span_open = profile.span.time();
    profile.timing.burdened_span_open = Nanos::from_nanos(1);
    let totals = totals(&profile);
    let written = serde_json::to_value(totals).unwrap();
    assert_eq!(written["span"], 98_000_000);
    assert_eq!(
        written["span_interval"],
        json!({"lower": 0, "upper": 196_000_000, "is_open": true})
    );
    assert_eq!(written["burdened_span_interval"]["is_open"], false);
    assert_eq!(
        written["parallelism_interval"],
        json!({"lower": totals.parallelism.low, "upper": null})
    );
    assert_eq!(serde_json::from_value::<Totals>(written).unwrap(), totals);
}
