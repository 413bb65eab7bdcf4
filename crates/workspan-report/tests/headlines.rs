//! The first screen for runs of programs that people report and of their healthy likes: what it
//! shows of stored profiles, against golden files. `SNAPSHOTS=overwrite` blesses it.

mod common;
mod profiles;

use std::fs;
use std::path::Path;

use common::{ASCII, golden, written};
use snapbox::assert_data_eq;
use unicode_width::UnicodeWidthStr;
use workspan_model::{Exit, Profile, analyse};
use workspan_report::{FirstScreen, Renderer, Screen};

fn stored(name: &str) -> Profile {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/cases/{name}.json"));
    let profile: Profile = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    profile.check().unwrap();
    profile
}

/// What people see of a profile, with a text for every file.
fn shown_on(screen: Screen, profile: &Profile) -> String {
    let text = |file: &str| {
        let lines = (1..=2_000).map(|line| format!("\tline {line} of {file};\n"));
        Some(lines.collect())
    };
    let screen = FirstScreen {
        screen,
        source: &text,
        file: Some("program.wsp"),
    };
    written(|output| screen.render(profile, &analyse(profile), output))
}

fn headline(name: &str) -> String {
    shown_on(Screen::default(), &stored(name))
}

#[test]
fn a_screen_has_24_lines_of_80_columns() {
    for (name, profile) in profiles::all() {
        let text = shown_on(Screen::default(), &profile);
        assert_data_eq!(&text, golden(&format!("first_screens/{name}.txt")));
        for screen in [Screen::default(), ASCII, Screen::default().with_width(40)] {
            let text = shown_on(screen, &profile);
            let widest = text.lines().map(UnicodeWidthStr::width).max();
            assert!(widest <= Some(screen.width), "{name}: {text}");
            assert_eq!(screen == ASCII, text.is_ascii(), "{name}: {text}");
        }
        assert!(text.lines().count() <= 24, "{name}: {text}");
    }
}

#[test]
fn a_program_that_failed_says_so_first() {
    let mut profile = stored("halo_even");
    profile.run.exit = Exit::Code(7);
    let text = shown_on(Screen::default(), &profile);
    let second = text.lines().nth(1).unwrap();
    assert!(
        second.starts_with("The program failed: exit status 7 after"),
        "{text}"
    );
    profile.run.exit = Exit::Signal(11);
    let text = shown_on(Screen::default(), &profile);
    assert!(
        text.contains("The program failed: signal 11 after"),
        "{text}"
    );
}

#[test]
fn sources_that_cannot_be_read_leave_no_gap() {
    let profile = &profiles::functions();
    let screen = FirstScreen {
        screen: Screen::default(),
        source: &|_| None,
        file: None,
    };
    let text = written(|output| screen.render(profile, &analyse(profile), output));
    assert!(
        !text.contains("\n\n\n") && !text.contains(" path "),
        "{text}"
    );
    assert!(text.contains("-o FILE.wsp"), "{text}");
}

macro_rules! headlines {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let name = stringify!($name);
                assert_data_eq!(headline(name), golden(&format!("headlines/{name}.txt")));
            }
        )*
    };
}

headlines! {
    alloc_reuse alloc_strings bridge_before counters_hot counters_hot_baseline counters_padded_baseline count_own count_shared fold_atomic fold_ident halo_even halo_last
    minlen_high muladd_blocked muladd_sweep mutex_copied mutex_locked omp_all omp_cut omp_dynamic_one omp_triangle_static pool_one progress_each
    progress_rare tbb_fine
}
