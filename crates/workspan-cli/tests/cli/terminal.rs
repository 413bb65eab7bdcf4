//! How texts look: colour, characters, and the width of a terminal.

use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;
use unicode_width::UnicodeWidthStr as _;
use workspan_format::wsp;
use workspan_model::example;

use crate::project::{Project, Ran, plain};

const ESCAPE: char = '\u{1b}';

/// A folder with a profile and its dag in `app.wsp`.
fn stored() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let dag = example::quicksort_dag();
    wsp::write(
        &folder.path().join("app.wsp"),
        &example::quicksort(),
        Some(&dag),
    )
    .unwrap();
    folder
}

/// `workspan ARGUMENTS` with these variables set.
fn with(folder: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
    let mut command = plain(Command::new(env!("CARGO_BIN_EXE_workspan")));
    command.current_dir(folder).args(arguments);
    Ran::of(command.envs(variables.iter().copied()))
}

/// Every command that prints a page of a profile.
const PAGES: [&[&str]; 8] = [
    &["report", "app.wsp"],
    &["report", "app.wsp", "--tree"],
    &["report", "app.wsp", "--path-of", "root"],
    &["annotate", "app.wsp"],
    &[
        "whatif",
        "app.wsp",
        "--region",
        "root",
        "--parallelise",
        "2",
    ],
    &["advise", "app.wsp"],
    &["predict", "app.wsp", "--seeds", "1"],
    &["dag", "app.wsp"],
];

#[test]
fn colour_is_as_asked() {
    let folder = stored();
    for page in PAGES {
        let is_coloured = |variables: &[(&str, &str)], options: &[&str]| {
            let arguments = [page, options].concat();
            let ran = with(folder.path(), variables, &arguments);
            ran.succeeds().stdout.contains(ESCAPE)
        };
        assert!(!is_coloured(&[], &[]), "{page:?}: no terminal");
        assert!(is_coloured(&[], &["--color", "always"]), "{page:?}");
        assert!(is_coloured(&[("CLICOLOR_FORCE", "1")], &[]), "{page:?}");
        let force = [("CLICOLOR_FORCE", "1")];
        assert!(!is_coloured(&force, &["--color", "never"]), "{page:?}");
        let against = [("NO_COLOR", "1")];
        assert!(is_coloured(&against, &["--color", "always"]), "{page:?}");
    }
    with(
        folder.path(),
        &[],
        &["report", "app.wsp", "--color", "green"],
    )
    .exits(2)
    .says("always");
}

#[test]
fn ascii_is_as_asked_and_as_the_locale_says() {
    let folder = stored();
    for page in PAGES {
        let is_ascii = |variables: &[(&str, &str)], options: &[&str]| {
            let arguments = [page, options].concat();
            let ran = with(folder.path(), variables, &arguments);
            ran.succeeds().stdout.is_ascii()
        };
        assert!(is_ascii(&[], &["--ascii"]), "{page:?}");
        assert!(is_ascii(&[("LC_ALL", "C")], &[]), "{page:?}");
        let other = [("LC_ALL", ""), ("LANG", "de_AT.ISO-8859-1")];
        assert!(is_ascii(&other, &[]), "{page:?}");
    }
    assert!(!with(folder.path(), &[], PAGES[0]).stdout.is_ascii());
    let explained = |options: &[&str]| {
        let arguments = [&["explain", "WS002"], options].concat();
        with(folder.path(), &[], &arguments)
            .succeeds()
            .stdout
            .clone()
    };
    assert!(explained(&[]).contains("5 µs"));
    assert!(explained(&["--ascii"]).contains("5 us"));
}

/// What a command prints on a terminal of so many columns.
fn on_terminal(folder: &Path, columns: usize, arguments: &str) -> String {
    on_terminal_with("", folder, columns, arguments)
}

/// The same with `variables` set, as a shell takes them before a command.
fn on_terminal_with(variables: &str, folder: &Path, columns: usize, arguments: &str) -> String {
    let workspan = env!("CARGO_BIN_EXE_workspan");
    // Notes are the terminal's to wrap.
    let line =
        format!("stty cols {columns} rows 24; {variables} '{workspan}' {arguments} 2>/dev/null");
    let mut command = plain(Command::new("script"));
    command
        .args(["-q", "-e", "-c", &line, "/dev/null"])
        .current_dir(folder)
        .env("TERM", "xterm-256color")
        .stdin(Stdio::null());
    Ran::of(&mut command).succeeds().stdout.clone()
}

fn without_escapes(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').unwrap().1)
}

#[test]
fn pages_fit_a_terminal_and_have_its_colours() {
    if Command::new("script").arg("--version").output().is_err() {
        eprintln!("skipped: script is not installed (apt-get install bsdutils)");
        return;
    }
    let folder = stored();
    for page in PAGES {
        let page = page.join(" ");
        for columns in [40, 80, 200] {
            let text = on_terminal(folder.path(), columns, &page);
            assert!(text.contains(ESCAPE), "{page}: {text}");
            for line in without_escapes(&text).lines() {
                assert!(line.width() <= columns, "{page} on {columns}: {line}");
            }
        }
        let never = on_terminal(folder.path(), 80, &format!("{page} --color never"));
        assert!(!never.contains(ESCAPE), "{page}: {never}");
        let against = on_terminal_with("NO_COLOR=1", folder.path(), 80, &page);
        assert!(!against.contains(ESCAPE), "{page}: {against}");
    }
    let wide = on_terminal(folder.path(), 200, "report app.wsp");
    let narrow = on_terminal(folder.path(), 80, "report app.wsp");
    let widest = |text: &str| without_escapes(text).lines().map(|line| line.width()).max();
    assert!(widest(&wide) > widest(&narrow));
}

/// The choice goes through cargo to what prints the report, and cargo hears of it too.
#[test]
fn a_profiled_run_looks_as_asked() {
    let project = Project::new("terminal_run");
    project.main("terminal_run::fib(10);").lock();
    let run = |options: &[&str]| {
        let arguments = [&["run", "--quiet"], options].concat();
        project.run(&arguments).succeeds().stderr.clone()
    };
    let coloured = run(&["--color", "always"]);
    let heading = "\u{1b}[1m\u{1b}[4mParallelism profile";
    assert!(coloured.contains(heading), "{coloured}");
    let note = coloured.lines().last().unwrap();
    assert!(note.contains(ESCAPE) && note.contains("note"), "{note}");
    let plain = run(&["--ascii", "--color", "never"]);
    assert!(plain.is_ascii() && !plain.contains(ESCAPE), "{plain}");
}
