//! The profiles that runs have kept.

use std::io;
use std::path::PathBuf;

use unicode_width::UnicodeWidthStr;
use workspan_model::Run;

use super::page::Page;
use super::table::{TableOf, or_none};
use crate::Screen;
use crate::notation::figures::{age, duration, grouped};
use crate::notation::program::program;

/// What the other columns take at least.
const BESIDE_FILE: usize = 40;

/// A profile that a run has kept.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptProfile {
    /// How the program was run.
    pub run: Run,
    /// How many seconds ago that was.
    pub age: u64,
    /// The file.
    pub path: PathBuf,
    /// The file, as a shell takes it.
    pub file: String,
}

/// Writes a table of `profiles`, one a line: a line that is too long for the screen leaves the name
/// of the file whole.
///
/// # Errors
/// Any error from writing to `output`.
pub fn kept_profiles(
    profiles: &[KeptProfile],
    screen: Screen,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let widest = profiles.iter().map(|kept| kept.file.width()).max();
    let width = screen.width.max(widest.unwrap_or(0) + BESIDE_FILE);
    let threads = |run: &Run| (run.threads > 0).then(|| grouped(run.threads.into()));
    Page::new(output, screen.with_width(width)).table(
        TableOf::new(profiles)
            .right("age", |kept| age(kept.age))
            .right("took", |kept| duration(kept.run.elapsed))
            .right("thr\u{ad}\neads", |kept| or_none(threads(&kept.run)))
            .beginning("program", |kept| program(&kept.run.command))
            .left("file", |kept| kept.file.clone()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_takes_one_line() {
        let run = workspan_model::example::quicksort().run;
        let kept = |age, argument: &str, file: &str| KeptProfile {
            run: Run {
                command: vec!["/w/quicksort".to_owned(), argument.to_owned()],
                ..run.clone()
            },
            age,
            path: file.into(),
            file: file.to_owned(),
        };
        let profiles = [
            kept(59, "5", "target/workspan/quicksort.wsp"),
            kept(
                7_300,
                "30000000",
                "target/workspan/history/quicksort.10.wsp",
            ),
        ];
        let mut table = Vec::new();
        kept_profiles(&profiles, Screen::default(), &mut table).unwrap();
        let table = String::from_utf8(table).unwrap();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 4, "{table}");
        assert!(lines.iter().all(|line| line.width() <= 80), "{table}");
        assert!(lines[2].starts_with("  59 s") && lines[2].ends_with("quicksort.wsp"));
        assert!(lines[3].starts_with("   2 h") && lines[3].contains(" quicksort 30"));
    }
}
