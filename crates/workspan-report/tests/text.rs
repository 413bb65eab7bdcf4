//! The report for people, against golden files. `SNAPSHOTS=overwrite` blesses what is printed.

mod profiles;

use snapbox::{Data, assert_data_eq};
use unicode_width::UnicodeWidthStr;
use workspan_model::{BurdenSource, Nanos, Profile, SiteRow, analyse, example};
use workspan_report::{Renderer, Text, machine_costs};

fn rendered(profile: &Profile, text: Text) -> String {
    let mut output = Vec::new();
    text.render(profile, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

fn golden(name: &str) -> Data {
    let path = format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    Data::read_from(path.as_ref(), Some(snapbox::data::DataFormat::Text)).raw()
}

#[test]
fn reports_look_as_blessed() {
    for (name, profile) in profiles::all() {
        for width in [80, 120] {
            let text = rendered(
                &profile,
                Text {
                    width,
                    ..Text::default()
                },
            );
            assert_data_eq!(text, golden(&format!("{name}.{width}.txt")));
        }
    }
}

#[test]
fn colour_looks_as_blessed() {
    let (_, profile) = &profiles::all()[1];
    let text = rendered(
        profile,
        Text {
            colour: true,
            ..Text::default()
        },
    );
    assert_data_eq!(text, golden("wordcount.colour.txt"));
}

#[test]
fn the_cost_of_the_engine_looks_as_blessed() {
    let text = Text {
        engine: true,
        ..Text::default()
    };
    for (name, profile) in [
        ("fib", profiles::fib()),
        ("quicksort", example::quicksort()),
    ] {
        let whole = rendered(&profile, text);
        let (_, engine) = whole.split_once("What the engine cost\n").unwrap();
        assert_data_eq!(engine, golden(&format!("{name}.engine.txt")));
        assert!(!rendered(&profile, Text::default()).contains("What the engine cost"));
    }
}

#[test]
fn a_span_that_is_hardly_open_is_told_as_it_is() {
    let mut profile = profiles::fib();
    profile.timing.span_open = Nanos::from_nanos(9);
    profile.timing.burdened_span_open = Nanos::from_nanos(2_000);
    let text = rendered(&profile, Text::default());
    assert!(!text.contains("--exact narrows"), "{text}");
    profile.timing.span_open = Nanos::from_nanos(2_000);
    let text = rendered(&profile, Text::default());
    assert!(
        text.contains("0 ns … 2.93 µs") && text.contains(" … ∞"),
        "{text}"
    );
}

#[test]
fn the_costs_of_a_machine_look_as_blessed() {
    let mut output = Vec::new();
    machine_costs(&profiles::machine_costs(), &mut output).unwrap();
    let text = String::from_utf8(output).unwrap();
    assert_data_eq!(text, golden("machine-costs.txt"));
}

#[test]
fn the_burden_has_a_source() {
    let told = |source| {
        let mut profile = example::quicksort();
        profile.run.burden_source = source;
        let text = rendered(&profile, Text::default());
        let (_, burden) = text.split_once("  Burden     ").unwrap();
        let words: Vec<&str> = burden.split_whitespace().collect();
        words.join(" ")
    };
    assert!(told(Some(BurdenSource::Cilkview)).contains("Cilkview's figure, 15,000 cycles"));
    assert!(told(Some(BurdenSource::Given)).ends_with("given by --burden"));
    assert!(told(None).ends_with("set by --burden"));
    let measured = told(Some(BurdenSource::Measured(profiles::machine_costs())));
    assert!(
        measured.ends_with("a steal 520 ns, the way back 555 ns; a wake-up takes 16.6 µs"),
        "{measured}"
    );
}

#[test]
fn lines_fit_the_width_unless_a_single_word_does_not() {
    for (name, profile) in profiles::all() {
        for width in 80..=130 {
            let text = rendered(
                &profile,
                Text {
                    width,
                    ..Text::default()
                },
            );
            let long_word = |line: &str| line.split_whitespace().any(|word| word.width() > 40);
            for line in text
                .lines()
                .filter(|line| line.starts_with("──") || !long_word(line))
            {
                assert!(line.width() <= width, "{name} at {width}: {line}");
            }
        }
    }
}

#[test]
fn colour_changes_nothing_but_the_escapes() {
    for (name, profile) in profiles::all() {
        let plain = rendered(&profile, Text::default());
        let coloured = rendered(
            &profile,
            Text {
                colour: true,
                ..Text::default()
            },
        );
        assert!(coloured.contains('\u{1b}'), "{name}");
        assert_eq!(without_escapes(&coloured), plain, "{name}");
    }
}

fn without_escapes(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').unwrap().1)
}

#[test]
fn the_table_of_sites_stops_at_the_limit_and_says_so() {
    let (_, profile) = &profiles::all()[1];
    let text = rendered(
        profile,
        Text {
            sites: 2,
            ..Text::default()
        },
    );
    let rows: Vec<SiteRow> = analyse(profile).sites;
    assert_eq!(rows.len(), 7);
    assert!(
        text.contains("and 5 more with at most 11.7% of the span each"),
        "{text}"
    );
    assert!(!text.contains("main.rs:77:14"), "{text}");
}

#[test]
fn errors_of_the_output_are_passed_on() {
    let mut full: &mut [u8] = &mut [0; 100];
    let (_, profile) = &profiles::all()[0];
    let error = Text::default().render(profile, &mut full).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::WriteZero);
}
