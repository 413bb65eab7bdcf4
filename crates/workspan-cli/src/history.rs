//! Keeps the last few versions of each file that commands write by default.
//!
//! `history/app.N.wsp` is the Nth profile that was kept as `app.wsp`. As the newest is there, too,
//! runs that end at the same time can each replace `app.wsp`, and nothing is lost.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::kept::{self, HISTORY};
use crate::message;

/// How many files of a name are kept.
const MOST: usize = 10;

/// Of how many programs the user's cache keeps files.
const MOST_PROGRAMS: usize = 20;

/// Keeps what `write` writes into the file that it is given: as `file`, and in its history.
pub(crate) fn keep<E>(file: &Path, write: impl FnOnce(&Path) -> Result<(), E>) -> anyhow::Result<()>
where
    anyhow::Error: From<E>,
{
    let history = History::of(file);
    let place = history.next()?;
    if let Err(error) = write(&place) {
        let _ = fs::remove_file(&place);
        return Err(error.into());
    }
    let named = give_name(&place, file, &draft_of(&place));
    remove_older(file);
    named.with_context(|| format!("it is in {} only", place.display()))
}

/// Keeps `file`, if it is there, in its history, too, before another replaces it. Prints a warning
/// if that fails. A file that is in the current folder, for want of another, has no history.
pub(crate) fn set_aside(file: &Path) {
    if file.parent() == Some(Path::new("")) {
        return;
    }
    if file.exists() {
        let place = History::of(file).next();
        let kept = place.and_then(|place| Ok(give_name(file, &place, &draft_of(&place))?));
        if let Err(error) = kept {
            message::warning(format_args!(
                "{} is replaced, and not kept in `{HISTORY}`: {error:#}",
                file.display()
            ));
        }
    }
    remove_older(file);
}

/// Gives the file `from` the name `to`, too, which may be that of another file.
fn give_name(from: &Path, to: &Path, draft: &Path) -> io::Result<()> {
    // Not every file system has hard links.
    let drafted = fs::hard_link(from, draft).or_else(|_| fs::copy(from, draft).map(drop));
    let named = drafted.and_then(|()| fs::rename(draft, to));
    let _ = fs::remove_file(draft);
    named
}

/// A second name for a file, in the history with `place`, until it is renamed.
fn draft_of(place: &Path) -> PathBuf {
    place.with_extension("newest")
}

/// Removes the oldest files in the history of `file`, and in the user's cache, if it is there, those
/// of other programs.
fn remove_older(file: &Path) {
    History::of(file).remove_older();
    if let Some(cache) = kept::cache_of(file) {
        remove_older_programs(cache);
    }
}

/// Removes all but the programs whose files changed last.
fn remove_older_programs(cache: &Path) {
    for (_, folder) in kept::programs(cache).into_iter().skip(MOST_PROGRAMS) {
        let _ = fs::remove_dir_all(folder);
    }
}

/// Removes a file with its page and its draft. Another command may do so at the same time.
fn remove(file: &Path) {
    let page = kept::page_of(file);
    let _ = fs::remove_file(file);
    let _ = fs::remove_file(draft_of(file));
    let _ = fs::remove_file(&page);
    let _ = page.parent().map(fs::remove_dir);
}

/// The history of a file.
struct History {
    folder: PathBuf,
    stem: String,
    extension: String,
}

impl History {
    fn of(file: &Path) -> Self {
        let text = |part: Option<&std::ffi::OsStr>| {
            let part = part.unwrap_or_default();
            part.to_string_lossy().into_owned()
        };
        Self {
            folder: file.with_file_name(HISTORY),
            stem: text(file.file_stem()),
            extension: text(file.extension()),
        }
    }

    fn place(&self, number: u64) -> PathBuf {
        let Self {
            folder,
            stem,
            extension,
        } = self;
        folder.join(format!("{stem}.{number}.{extension}"))
    }

    /// The numbers of the files that are there, in order.
    fn numbers(&self) -> Vec<u64> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let number = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            let rest = name.strip_prefix(&self.stem)?.strip_prefix('.')?;
            let number = rest.strip_suffix(&self.extension)?.strip_suffix('.')?;
            number.parse().ok()
        };
        let mut numbers: Vec<u64> = entries.filter_map(number).collect();
        numbers.sort_unstable();
        numbers
    }

    /// An empty file for the next one, which no other command gets.
    fn next(&self) -> anyhow::Result<PathBuf> {
        let named = || self.folder.display().to_string();
        fs::create_dir_all(&self.folder).with_context(named)?;
        let mut number = self.numbers().last().map_or(1, |last| last + 1);
        loop {
            let place = self.place(number);
            match File::create_new(&place) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                created => return created.map(|_| place).with_context(named),
            }
        }
    }

    /// Removes what is older than the newest files that are to be kept.
    fn remove_older(&self) {
        let mut newest = self.numbers().into_iter().rev();
        // An empty one is being written, or its command was killed.
        let is_whole =
            |number: &u64| fs::metadata(self.place(*number)).is_ok_and(|data| data.len() > 0);
        let _ = newest.by_ref().filter(is_whole).nth(MOST - 1);
        newest.for_each(|number| remove(&self.place(number)));
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use workspan_format::replace_file;

    use super::*;

    fn keep_text(file: &Path, text: &str) {
        keep(file, |place| fs::write(place, text)).unwrap();
    }

    fn read(file: impl AsRef<Path>) -> String {
        fs::read_to_string(file).unwrap()
    }

    #[test]
    fn the_last_files_of_a_name_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("app.wsp");
        let history = folder.path().join(HISTORY);
        keep_text(&folder.path().join("app.cycles.wsp"), "of another metric");
        keep_text(&file, "1");
        let page = kept::page_of(&history.join("app.1.wsp"));
        fs::create_dir(page.parent().unwrap()).unwrap();
        fs::write(&page, "").unwrap();
        for run in 2..=12 {
            keep_text(&file, &run.to_string());
        }
        assert_eq!(read(&file), "12");
        assert_eq!(History::of(&file).numbers(), (3..=12).collect::<Vec<_>>());
        for run in 3..=12 {
            assert_eq!(
                read(history.join(format!("app.{run}.wsp"))),
                run.to_string()
            );
        }
        assert_eq!(read(history.join("app.cycles.1.wsp")), "of another metric");
        assert_eq!(
            fs::read_dir(history).unwrap().count(),
            11,
            "no page is left"
        );
    }

    #[test]
    fn what_killed_commands_left_takes_no_place() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("app.wsp");
        keep_text(&file, "1");
        let history = History::of(&file);
        fs::write(history.place(2), "").unwrap();
        fs::write(draft_of(&history.place(2)), "2").unwrap();
        (3..=11).for_each(|run| keep_text(&file, &run.to_string()));
        assert_eq!(history.numbers(), (1..=11).collect::<Vec<_>>());
        keep_text(&file, "12");
        assert_eq!(history.numbers(), (3..=12).collect::<Vec<_>>());
        assert_eq!(fs::read_dir(&history.folder).unwrap().count(), MOST);
    }

    #[test]
    fn the_programs_measured_last_stay_in_the_cache() {
        let cache = tempfile::tempdir().unwrap();
        let folder = |number: usize| cache.path().join(format!("app-{number}"));
        for number in 0..=MOST_PROGRAMS {
            let file = folder(number).join("app.wsp");
            keep_text(&file, "profile");
            fs::create_dir(folder(number).join("app")).unwrap();
            fs::write(kept::page_of(&file), "page").unwrap();
            let changed = if number == 3 { 0 } else { 1 + number as u64 };
            let changed = UNIX_EPOCH + Duration::from_secs(changed);
            let opened = File::open(folder(number)).unwrap();
            opened.set_modified(changed).unwrap();
        }
        remove_older_programs(cache.path());
        for number in 0..=MOST_PROGRAMS {
            assert_eq!(folder(number).exists(), number != 3, "{number}");
        }
        let files = ["app.wsp", "app/report.html", "history/app.1.wsp"];
        assert!(files.iter().all(|file| folder(4).join(file).is_file()));
    }

    #[test]
    fn runs_at_the_same_time_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("app.wsp");
        std::thread::scope(|scope| {
            for run in 0..MOST {
                let file = &file;
                scope.spawn(move || keep_text(file, &run.to_string()));
            }
        });
        let history = History::of(&file);
        let numbers = history.numbers().into_iter();
        let mut kept: Vec<_> = numbers.map(|number| read(history.place(number))).collect();
        assert!(kept.contains(&read(&file)));
        kept.sort();
        assert_eq!(
            kept,
            (0..MOST).map(|run| run.to_string()).collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_run_that_cannot_write_leaves_the_newest() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("app.wsp");
        keep_text(&file, "first");
        let failed = keep(&file, |_| Err(io::Error::other("no space")));
        assert_eq!(failed.unwrap_err().to_string(), "no space");
        assert_eq!(read(&file), "first");
        assert_eq!(History::of(&file).numbers(), [1]);
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        let failed = keep(&file, |place| fs::write(place, "second"));
        let place = History::of(&file).place(2);
        let said = format!("it is in {} only", place.display());
        assert_eq!(failed.unwrap_err().to_string(), said);
        assert_eq!(read(place), "second");
    }

    #[test]
    fn what_is_set_aside_is_in_the_history() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("app.sweep.json");
        set_aside(&file);
        replace_file(&file, b"sweep").unwrap();
        set_aside(&file);
        assert_eq!(read(&file), "sweep");
        replace_file(&file, b"another").unwrap();
        let kept = folder.path().join("history/app.sweep.1.json");
        assert_eq!(read(kept), "sweep");
    }
}
