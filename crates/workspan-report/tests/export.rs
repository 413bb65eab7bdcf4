//! Call stacks in the formats of other tools. `ci/exports` tests that the tools read them.

mod profiles;

use std::io;

use workspan_model::{
    FlameMeasure, FrameId, LineUse, Location, NodeId, Profile, SampledStack, Samples, StackFrame,
    example, flame, site_rows,
};
use workspan_report::export::{self, Stacks};

type Writer = fn(&Stacks, FlameMeasure, &mut dyn io::Write) -> io::Result<()>;

/// The formats that are text.
const TEXTS: [(&str, Writer); 4] = [
    ("collapsed", export::collapsed),
    ("firefox", export::firefox),
    ("flamegraph", export::flamegraph),
    ("speedscope", export::speedscope),
];

fn stacks(profile: &Profile) -> Stacks {
    let rows = site_rows(profile);
    Stacks::new(profile, &rows, &flame(profile, &rows, None, usize::MAX))
}

fn written(writer: Writer, profile: &Profile, by: FlameMeasure) -> Vec<u8> {
    let mut file = Vec::new();
    writer(&stacks(profile), by, &mut file).unwrap();
    file
}

fn text(writer: Writer, profile: &Profile, by: FlameMeasure) -> String {
    String::from_utf8(written(writer, profile, by)).unwrap()
}

/// The quicksort, with samples of a function called `function` at its join.
fn sampled(function: &str) -> Profile {
    let mut profile = example::quicksort();
    profile.samples = Some(Samples {
        rate: 1_000,
        frames: vec![StackFrame {
            function: Some(function.to_owned()),
            definition: Some(Location {
                file: function.to_owned(),
                line: 7,
                column: 0,
            }),
            user_code: true,
            ..StackFrame::default()
        }],
        stacks: vec![SampledStack {
            node: NodeId(1),
            frames: vec![FrameId(0)],
            on_work: 12.0,
            on_span: 3.0,
            elapsed: 6.0,
            line: LineUse::Unknown,
        }],
        ..Samples::default()
    });
    profile
}

#[test]
fn collapsed_lines_are_the_stacks() {
    let by_span = text(
        export::collapsed,
        &sampled("sort::partition<[u8; 4]>"),
        FlameMeasure::Span,
    );
    assert_eq!(
        by_span,
        "quicksort 21400000\n\
         quicksort;quicksort::quicksort;join at examples/quicksort.rs:31:9;sort::partition<[u8: 4]> 76600000\n"
    );
}

#[test]
fn a_number_at_the_end_of_a_name_is_no_count() {
    for (name, shown) in [
        ("phase 2", "phase_2"),
        ("phase 1e3", "phase_1e3"),
        ("2", "2"),
        ("", "(unknown)"),
    ] {
        let lines = text(export::collapsed, &sampled(name), FlameMeasure::Samples);
        let (stack, count) = lines.trim_end().rsplit_once(' ').unwrap();
        assert_eq!((stack.rsplit(';').next(), count), (Some(shown), "12"));
    }
}

#[test]
fn no_name_breaks_a_line_or_is_lost() {
    let hostile = "a\nb\r\u{0}\u{1b}[31m\u{202e}\u{ffff}\t";
    for (format, writer) in TEXTS {
        let plain = text(writer, &sampled("plain"), FlameMeasure::Work);
        let text = text(writer, &sampled(hostile), FlameMeasure::Work);
        assert_eq!(text.lines().count(), plain.lines().count(), "{format}");
        let is_layout =
            |character| character == '\n' || format == "flamegraph" && character == '\t';
        let stray = text.chars().find(|&character| {
            character.is_control() && !is_layout(character)
                || matches!(character, '\u{202e}' | '\u{ffff}')
        });
        assert_eq!(stray, None, "{format}");
        let escaped = match format {
            // JSON escapes backslashes.
            "firefox" | "speedscope" => r"a\\nb\\r\\u{0}\\u{1b}[31m\\u{202e}\\u{ffff}\\t",
            _ => r"a\nb\r\u{0}\u{1b}[31m\u{202e}\u{ffff}\t",
        };
        assert!(text.contains(escaped), "{format}: {text}");
    }
}

#[test]
fn the_same_profile_gives_the_same_bytes() {
    for (name, profile) in profiles::all() {
        let writers = TEXTS
            .into_iter()
            .chain([("pprof", export::pprof as Writer)]);
        for (format, writer) in writers {
            let once = written(writer, &profile, FlameMeasure::Work);
            assert!(!once.is_empty(), "{format} of {name}");
            assert!(
                once == written(writer, &profile, FlameMeasure::Work),
                "{format} of {name}"
            );
        }
    }
}
