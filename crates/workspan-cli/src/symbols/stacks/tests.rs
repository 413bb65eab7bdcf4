//! On the stacks of a real program, built here.

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
        // It stays there: names are looked up in it.
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

/// The frames of stack `index` that are the user's: function, line, inlined.
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
fn inlined_functions_are_told_from_those_around_them() {
    let samples = samples(&format!(
        "stack 0 0 {}\nsamples 0 3 1.5\n",
        after("inlined")
    ));
    assert_eq!(samples.rate, 1_000);
    assert_eq!(
        users(&samples, 0),
        [
            ("sampled::stack", line_with("asm!(\"lea {}, [rip]\""), true),
            ("sampled::inner::measured", line_of("measured"), true),
            ("sampled::inner::partition", line_of("partition"), false),
            ("sampled::quicksort", line_of("quicksort"), false),
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
    let samples = samples(&format!("stack 0 0 {}\n", after("inlined")));
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
fn the_caller_of_a_function_without_frame_is_on_top_of_the_stack() {
    let stack = format!("stack 0 0 {}\n", after("leaf"));
    let caller = format!("stackcaller 0 {}\n", after("leafcaller"));
    let with_caller = samples(&(stack.clone() + &caller));
    assert_eq!(
        users(&with_caller, 0)[..2],
        [
            ("sampled::calls_a_leaf", line_of("leaf"), false),
            ("sampled::after_the_leaf", line_of("after"), false),
        ]
    );
    let leaf = &with_caller.frames[with_caller.stacks[0].frames[0].index()];
    assert_eq!(leaf.function.as_deref(), Some("leaf_without_frame"));
    assert!(!leaf.user_code);
    // The frame pointers alone lose it.
    assert_eq!(users(&samples(&stack), 0)[0].0, "sampled::after_the_leaf");
}

#[test]
fn callers_of_functions_without_frame_pointers_are_found_by_unwinding() {
    let stack = format!("stack 0 0 {}\n", after("pusher"));
    let top = |frame: &str, word: u32| {
        let caller = after("pushercaller");
        // Another word that happens to be a code address.
        let other = after("leafcaller");
        format!("{stack}stacktop 0 {frame} 0:{other} {word}:{caller}\n")
    };
    let calls = ("sampled::calls_a_pusher", line_of("pusher"), false);
    let around = (
        "sampled::after_the_leaf",
        line_of("after the pusher"),
        false,
    );
    // It keeps the frame pointer in word 1, and the return address in word 2.
    assert_eq!(users(&samples(&top("1", 2)), 0)[..2], [calls, around]);
    // What was followed from elsewhere is no chain of frames.
    assert_eq!(users(&samples(&top("-", 2)), 0), [calls]);
    // Without the return address there is only the chain.
    assert_eq!(users(&samples(&top("1", 3)), 0)[0], around);
}

#[test]
fn the_word_on_top_of_a_frame_is_no_caller() {
    let stack = format!("stack 0 0 {}\n", after("inlined"));
    let caller = format!("stackcaller 0 {}\n", after("leafcaller"));
    let (plain, with_word) = (samples(&stack), samples(&(stack.clone() + &caller)));
    assert_eq!(users(&with_word, 0), users(&plain, 0));
}

#[test]
fn stacks_of_the_same_frames_are_one() {
    let stack = after("inlined");
    let samples = samples(&format!(
        "stack 0 0 {stack}\nstack 1 0 {stack}\nsamples 0 1 0\nsamples 1 2.5 1\n"
    ));
    assert_eq!(samples.stacks.len(), 1);
    assert_eq!(
        (samples.stacks[0].on_work, samples.stacks[0].on_span),
        (3.5, 1.0)
    );
}

#[test]
fn the_engine_says_how_many_samples_it_kept() {
    let stack = "stack 0 0 1234\nsamples 0 400 1\n";
    assert_eq!(samples(stack).taken, None);
    let counted = "engine samples_taken 110\nengine samples_merged 10\n";
    assert_eq!(samples(&format!("{counted}{stack}")).taken, Some(100));
}

#[test]
fn addresses_of_no_file_are_frames_without_a_name() {
    let samples = samples("stack 0 0 1234 5678\nsamples 0 1 1\n");
    assert_eq!(samples.frames, [StackFrame::default()]);
    assert_eq!(samples.stacks[0].frames.len(), 2);
}

#[test]
fn without_sampling_there_are_no_samples_but_perhaps_a_reason() {
    let places = places();
    let mut raw = profile("");
    raw.sampling = None;
    assert_eq!(name(&raw, &places).samples, None);
    raw.sampling_note = Some("another profiler has the timer".to_owned());
    let samples = name(&raw, &places).samples.unwrap();
    assert_eq!((samples.rate, samples.note), (0, raw.sampling_note));
}
