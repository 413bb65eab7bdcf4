//! Source lines with what they run, against golden files. `SNAPSHOTS=overwrite` blesses what is printed.

mod profiles;

use std::collections::BTreeSet;

use snapbox::{Data, assert_data_eq};
use unicode_width::UnicodeWidthStr;
use workspan_model::{SourceFile, source_files};
use workspan_report::{Annotate, Charset, Screen};

/// A source of 70 lines, one of them with a tab, one with wide characters.
fn source() -> String {
    let line = |number: u32| match number {
        9 => "\tif left < right { // 数数数 数数数 数数数 数数数 数数数 数数数".to_owned(),
        number => format!("    source_of_line_{number}();"),
    };
    (1..=70).map(|number| line(number) + "\n").collect()
}

fn rendered(
    annotate: Annotate,
    file: &SourceFile,
    lines: &BTreeSet<u32>,
    source: Option<&str>,
) -> String {
    let program = profiles::sampled();
    let mut output = Vec::new();
    annotate
        .render(file, lines, source, &program, &mut output)
        .unwrap();
    String::from_utf8(output).unwrap()
}

fn golden(name: &str) -> Data {
    let path = format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    Data::read_from(path.as_ref(), Some(snapbox::data::DataFormat::Text)).raw()
}

#[test]
fn sources_look_as_blessed() {
    assert_data_eq!(whole(Annotate::default()), golden("sampled.annotate.txt"));
}

/// The legend and all files of the sampled profile.
fn whole(page: Annotate) -> String {
    let mut output = Vec::new();
    page.legend(&mut output).unwrap();
    let mut text = String::from_utf8(output).unwrap();
    for file in source_files(&profiles::sampled()) {
        text += &rendered(page, &file, &file.noteworthy_lines(), Some(&source()));
    }
    text
}

#[test]
fn terminals_look_as_blessed() {
    let page = |width, charset| Annotate {
        screen: Screen {
            width,
            charset,
            ..Screen::default()
        },
        is_cut: true,
        ..Annotate::default()
    };
    for width in [40, 80] {
        let text = whole(page(width, Charset::Unicode));
        assert_data_eq!(text, golden(&format!("sampled.annotate.{width}.txt")));
    }
    let text = whole(page(80, Charset::Ascii));
    let ours = text.lines().filter(|line| !line.contains("数"));
    assert!(ours.clone().all(str::is_ascii), "{text}");
    assert_data_eq!(text, golden("sampled.annotate.ascii.txt"));
}

#[test]
fn without_a_source_there_are_the_figures_alone() {
    let files = source_files(&profiles::sampled());
    let lines = files[0].lines_of("partition");
    let text = rendered(Annotate::default(), &files[0], &lines, None);
    assert_data_eq!(text, golden("sampled.annotate-no-source.txt"));
}

#[test]
fn lines_are_cut_at_the_width_and_only_there() {
    let files = source_files(&profiles::sampled());
    let lines = files[0].noteworthy_lines();
    for width in [40, 70, 80, 200] {
        let page = Annotate {
            screen: Screen::default().of_width(width),
            is_cut: true,
            ..Annotate::default()
        };
        let cut = rendered(page, &files[0], &lines, Some(&source()));
        assert!(cut.lines().all(|line| line.width() <= width), "{cut}");
        assert!(cut.contains("    source_of"), "{cut}");
    }
    let whole = rendered(Annotate::default(), &files[0], &lines, Some(&source()));
    assert!(whole.contains("数数数 数数数 数数数 数数数 数数数 数数数\n"));
}

#[test]
fn context_ends_with_the_file() {
    let files = source_files(&profiles::sampled());
    let page = Annotate {
        context: u32::MAX,
        ..Annotate::default()
    };
    let text = rendered(page, &files[0], &BTreeSet::from([20]), Some(&source()));
    // The name, the shares and the heading stand above the 70 lines.
    assert_eq!(text.lines().count(), 73);
}

#[test]
fn colour_changes_nothing_but_the_escapes() {
    for (name, profile) in profiles::all() {
        for file in source_files(&profile) {
            let of = |colour| {
                let page = Annotate {
                    screen: Screen {
                        colour,
                        ..Screen::default()
                    },
                    ..Annotate::default()
                };
                rendered(page, &file, &file.noteworthy_lines(), Some(&source()))
            };
            let (plain, coloured) = (of(false), of(true));
            let mut parts = coloured.split("\u{1b}[");
            let first = parts.next().unwrap_or_default().to_owned();
            let without = parts.fold(first, |text, part| text + part.split_once('m').unwrap().1);
            assert_eq!(without, plain, "{name}");
            assert!(coloured.len() > plain.len(), "{name}");
        }
    }
}
