//! Names the stacks of a real program, which the tests build.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use workspan_format::raw::RawProfile;
use workspan_model::{Samples, StackFrame};

use super::super::name;
use super::super::raw_records::{self, places};

const SOURCE: &str = include_str!("sampled.rs");

const HEADER: &str = "\
sampling 1000
site 0 root 0 0 0 -
node 0 - 0 0
";

/// What the program in `sampled.rs` prints: lines that start with a word.
fn printed() -> &'static str {
    static PRINTED: OnceLock<String> = OnceLock::new();
    PRINTED.get_or_init(|| {
        // It is not deleted, since names are looked up in it.
        let program = Path::new(env!("OUT_DIR")).join("sampled");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/symbols/stacks/sampled.rs");
        let built = Command::new("rustc")
            .args(["--edition=2024", "-Copt-level=2", "-Cdebuginfo=1"])
            .args(["-Cforce-frame-pointers=yes", "-Ccodegen-units=1", "-o"])
            .args([&program, &source])
            .status();
        assert!(built.unwrap().success());
        let output = Command::new(program).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    })
}

/// The rest of the one line that starts with `word`.
fn after(word: &str) -> &'static str {
    let mut lines = printed().lines();
    lines
        .find_map(|line| line.strip_prefix(word)?.strip_prefix(' '))
        .unwrap()
}

fn profile(records: &str) -> RawProfile {
    raw_records::profile(HEADER, printed(), records)
}

fn samples(records: &str) -> Samples {
    name(&profile(records), &places()).samples.unwrap()
}

fn line_of(mark: &str) -> u32 {
    raw_records::line_of(SOURCE, mark)
}

fn line_with(text: &str) -> u32 {
    let index = SOURCE.lines().position(|line| line.contains(text));
    index.unwrap() as u32 + 1
}

/// The user's frames of stack `index`: function, line, inlined.
fn users(samples: &Samples, index: usize) -> Vec<(&str, u32, bool)> {
    let frames = samples.stacks[index].frames.iter();
    frames
        .map(|id| &samples.frames[id.index()])
        .filter(|frame| frame.user_code)
        .map(|frame| {
            let line = frame.location.as_ref().unwrap().line;
            (frame.function.as_deref().unwrap(), line, frame.inlined)
        })
        .collect()
}

fn frame<'a>(samples: &'a Samples, function: &str) -> &'a StackFrame {
    let mut frames = samples.frames.iter();
    frames
        .find(|frame| frame.function.as_deref() == Some(function))
        .unwrap()
}

#[test]
fn inlined_functions_are_separate_frames() {
    let samples = samples(&format!("stack 0 3 1.5 2 - {}\n", after("inlined")));
    assert_eq!(samples.rate, 1_000);
    assert_eq!(
        users(&samples, 0),
        [
            ("sampled::copy", line_with("asm!(\"lea {}, [rip]\""), true),
            ("sampled::inner::measured", line_of("measured"), true),
            ("sampled::inner::partition", line_of("partition"), false),
            ("sampled::quicksort", line_of("quicksort"), false),
            ("sampled::begin", line_of("begin"), false),
            ("sampled::main", line_of("main"), false),
        ]
    );
    assert_eq!(
        (samples.stacks[0].on_work, samples.stacks[0].on_span),
        (3.0, 1.5)
    );
}

#[test]
fn functions_have_the_place_of_their_definition() {
    let samples = samples(&format!("stack 0 3 1.5 2 - {}\n", after("inlined")));
    for (function, text) in [
        ("sampled::inner::measured", "fn measured()"),
        ("sampled::inner::partition", "pub fn partition("),
        ("sampled::quicksort", "fn quicksort("),
    ] {
        let definition = frame(&samples, function).definition.as_ref().unwrap();
        assert_eq!(definition.file, "src/symbols/stacks/sampled.rs");
        assert_eq!(definition.line, line_with(text), "{function}");
    }
}

#[test]
fn callers_of_functions_without_frame_pointers_are_found() {
    let stack = after("without_frame_pointers");
    let whole = samples(&format!("stack 0 1 1 1 - {stack}\n"));
    let calls = (
        "sampled::calls_without_frame_pointers",
        line_of("no frame pointers"),
        false,
    );
    let around = [
        ("sampled::around", line_of("around"), false),
        ("sampled::begin", line_of("begin, around"), false),
        ("sampled::main", line_of("main"), false),
    ];
    let mut expected = vec![calls];
    expected.extend(around);
    assert_eq!(users(&whole, 0), expected);
    let innermost = &whole.frames[whole.stacks[0].frames[0].index()];
    let name = innermost.function.as_deref();
    assert_eq!(name, Some("keeps_no_frame_pointer"));
    assert!(!innermost.user_code);
    // A stack that ends early has fewer frames.
    let (words, last) = stack.rsplit_once(' ').unwrap();
    assert!(last.contains(':'), "{stack}");
    let cut = samples(&format!("stack 0 1 1 1 - {words}\n"));
    assert_eq!(users(&cut, 0), expected[..3]);
}

#[test]
fn without_tables_frame_pointers_are_followed() {
    let samples = samples(&format!("stack 0 1 1 1 - {}\n", after("without_tables")));
    assert_eq!(
        users(&samples, 0)[2..],
        [
            ("sampled::calls_without_tables", line_of("no tables"), false),
            ("sampled::around", line_of("around, without tables"), false),
            ("sampled::begin", line_of("begin, around"), false),
            ("sampled::main", line_of("main"), false),
        ]
    );
}

#[test]
fn any_stack_has_frames() {
    let (top, instruction) = (u64::MAX, after("inlined").split_once(' ').unwrap().0);
    for stack in [
        format!("{top:x} 0 - -"),
        format!("{top:x} 4294967295 4294967294 {top:x} 0:{top:x} 1>4294967295"),
        format!("{instruction} 3 0 {instruction} 0>0 1:{instruction} 2:{instruction}"),
        format!("{instruction} 9 8 - 0>8 8>8"),
        format!("{instruction} 0 0 -"),
    ] {
        let samples = samples(&format!("stack 0 1 1 1 - {stack}\n"));
        assert!(!samples.stacks[0].frames.is_empty(), "{stack}");
    }
}

#[test]
fn damaged_stacks_are_counted_in_the_note() {
    let stack = after("inlined");
    let damaged = samples(&format!(
        "stack 0 1 1 1 - x\nstack 0 1 1 1 - {stack}\nstack 0\n"
    ));
    assert_eq!(damaged.stacks.len(), 1);
    let note = damaged.note.as_deref();
    assert_eq!(note, Some("2 damaged stacks were left out"));
}

#[test]
fn stacks_with_the_same_frames_are_merged() {
    let stack = after("inlined");
    let samples = samples(&format!(
        "stack 0 1 0 1 - {stack}\nstack 0 2.5 1 2 - {stack}\n"
    ));
    assert_eq!(samples.stacks.len(), 1);
    assert_eq!(
        (samples.stacks[0].on_work, samples.stacks[0].on_span),
        (3.5, 1.0)
    );
    assert_eq!(samples.stacks[0].elapsed, 3.0);
}

#[test]
fn samples_are_counted_by_the_engine() {
    let stack = "stack 0 400 1 400 - 1234 0 - -\n";
    assert_eq!(samples(stack).taken, None);
    let counted = "engine samples_taken 110\nengine samples_merged 10\n";
    assert_eq!(samples(&format!("{counted}{stack}")).taken, Some(100));
}

#[test]
fn addresses_outside_files_are_frames_without_a_name() {
    let samples = samples("stack 0 1 1 1 - 1234 2 0 - 1:5678\n");
    assert_eq!(samples.frames, [StackFrame::default()]);
    assert_eq!(samples.stacks[0].frames.len(), 2);
}

#[test]
fn without_sampling_there_are_no_samples_except_a_note() {
    let places = places();
    let mut raw = profile("");
    raw.sampling = None;
    assert_eq!(name(&raw, &places).samples, None);
    raw.sampling_note = Some("another profiler has the timer".to_owned());
    let samples = name(&raw, &places).samples.unwrap();
    assert_eq!((samples.rate, samples.note), (0, raw.sampling_note));
}
