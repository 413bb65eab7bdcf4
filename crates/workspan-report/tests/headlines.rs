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
    with_sources(screen, profile, &text, Some("program.wsp"))
}

fn with_sources(
    screen: Screen,
    profile: &Profile,
    source: &dyn Fn(&str) -> Option<String>,
    file: Option<&str>,
) -> String {
    let screen = FirstScreen {
        screen,
        source,
        file,
    };
    written(|output| screen.render(profile, &analyse(profile), output))
}

/// A profile with samples.
fn sampled() -> Profile {
    let mut all = profiles::all().into_iter();
    all.find(|(name, _)| *name == "sampled").unwrap().1
}

fn headline(name: &str) -> String {
    shown_on(Screen::default(), &stored(name))
}

#[test]
fn a_screen_has_21_lines_of_80_columns() {
    for (name, profile) in profiles::all() {
        let text = shown_on(Screen::default(), &profile);
        assert_data_eq!(&text, golden(&format!("first_screens/{name}.txt")));
        for screen in [Screen::default(), ASCII, Screen::default().with_width(40)] {
            let text = shown_on(screen, &profile);
            let widest = text.lines().map(UnicodeWidthStr::width).max();
            assert!(widest <= Some(screen.width), "{name}: {text}");
            assert_eq!(screen == ASCII, text.is_ascii(), "{name}: {text}");
            let is_narrow = screen.width < 80;
            assert!(text.lines().count() <= 21 || is_narrow, "{name}: {text}");
        }
    }
}

#[test]
fn lines_of_any_characters_fit() {
    let text = |_: &str| {
        Some(
            "\tif\t// \u{26a0}\u{fe0f} \u{1b}[31m 表表表表 \u{202e} x\n"
                .repeat(500)
                .replace("x", &"表".repeat(90)),
        )
    };
    let text = with_sources(Screen::default(), &sampled(), &text, None);
    assert!(
        text.contains("if    // ") && !text.contains('\u{1b}'),
        "{text}"
    );
}

#[test]
fn lines_beyond_the_end_of_a_file_are_not_shown() {
    let text = with_sources(
        Screen::default(),
        &sampled(),
        &|_| Some("one line\n".to_owned()),
        None,
    );
    assert!(!text.contains("│"), "{text}");
}

#[test]
fn a_program_that_failed_says_so_first() {
    let mut profile = stored("halo_even");
    let mut second = |exit| {
        profile.run.exit = exit;
        let text = shown_on(Screen::default(), &profile);
        text.lines().nth(1).unwrap().to_owned()
    };
    let failed = second(Exit::Code(7));
    assert!(failed.contains("code 7"), "{failed}");
    let killed = second(Exit::Signal(11));
    assert!(killed.contains("signal 11"), "{killed}");
}

#[test]
fn sources_that_cannot_be_read_leave_no_gap() {
    let text = with_sources(Screen::default(), &sampled(), &|_| None, None);
    assert!(
        !text.contains("\n\n\n") && !text.contains("path       work"),
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
                let text = headline(name);
                assert!(text.lines().count() <= 22, "{text}");
                assert_data_eq!(text, golden(&format!("headlines/{name}.txt")));
            }
        )*
    };
}

headlines! {
    alloc_reuse alloc_strings bridge_before counters_hot counters_hot_baseline counters_padded_baseline count_own count_shared fold_atomic fold_ident halo_even halo_last
    affinity_pinned guided_guided join_each_chain minlen_high muladd_blocked muladd_sweep mutex_copied mutex_locked omp_all omp_cut omp_dynamic_one omp_triangle_static pool_one progress_each
    oversub_host progress_rare tbb_fine
}
