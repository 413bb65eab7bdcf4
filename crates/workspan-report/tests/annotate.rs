//! Annotated source, against golden files. `SNAPSHOTS=overwrite` blesses what is printed.

mod common;
mod profiles;

use std::collections::BTreeSet;

use common::{golden, without_escapes, written};
use snapbox::assert_data_eq;
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
    written(|output| annotate.render(file, lines, source, &program, output))
}

#[test]
fn sources_look_as_blessed() {
    assert_data_eq!(whole(Annotate::default()), golden("sampled.annotate.txt"));
}

/// The legend and all files of the sampled profile.
fn whole(page: Annotate) -> String {
    let mut text = written(|output| page.legend(output));
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
fn without_a_source_only_the_figures_show() {
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
            screen: Screen::default().with_width(width),
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
    // The name, the shares and the heading come before the 70 lines.
    assert_eq!(text.lines().count(), 73);
}

#[test]
fn colour_changes_nothing_but_the_escapes() {
    for (name, profile) in profiles::all() {
        for file in source_files(&profile) {
            let page = |colour| {
                let page = Annotate {
                    screen: Screen {
                        colour,
                        ..Screen::default()
                    },
                    ..Annotate::default()
                };
                rendered(page, &file, &file.noteworthy_lines(), Some(&source()))
            };
            let (plain, coloured) = (page(false), page(true));
            assert_eq!(without_escapes(&coloured), plain, "{name}");
            assert!(coloured.len() > plain.len(), "{name}");
        }
    }
}
