//! How texts look: colours, characters and the width of a terminal.

use std::path::Path;
use std::process::{Command, Stdio};

use unicode_width::UnicodeWidthStr as _;

use crate::project::{Project, Ran, command, plain, workspan};
use crate::skip::skip;
use crate::stand_in::StandIn;
use crate::stored::stored;

const ESCAPE: char = '\u{1b}';

/// `workspan LINE` with these variables set.
fn with(folder: &Path, variables: &[(&str, &str)], line: &str) -> Ran {
    Ran::new(command(folder, line).envs(variables.iter().copied()))
}

/// Every command that prints a page about a profile.
const PAGES: [&str; 9] = [
    "report q.wsp",
    "report q.wsp --full",
    "report q.wsp --tree",
    "report q.wsp --path-of root",
    "annotate q.wsp",
    "whatif q.wsp --region root --parallelise 2",
    "advise q.wsp",
    "predict q.wsp --seeds 1",
    "dag q.wsp",
];

#[test]
fn options_and_variables_choose_colours() {
    let folder = stored();
    for page in PAGES {
        let is_coloured = |variables: &[(&str, &str)], options: &str| {
            let ran = with(folder.path(), variables, &format!("{page} {options}"));
            ran.succeeds().stdout.contains(ESCAPE)
        };
        assert!(!is_coloured(&[], ""), "{page}: no terminal");
        assert!(is_coloured(&[], "--color always"), "{page}");
        assert!(is_coloured(&[("CLICOLOR_FORCE", "1")], ""), "{page}");
        let force = [("CLICOLOR_FORCE", "1")];
        assert!(!is_coloured(&force, "--color never"), "{page}");
        let against = [("NO_COLOR", "1")];
        assert!(is_coloured(&against, "--color always"), "{page}");
    }
    with(folder.path(), &[], "report q.wsp --color green")
        .exits(2)
        .says("always");
}

#[test]
fn quiet_commands_print_errors_alone() {
    let folder = stored();
    let quiet = |line: &str| workspan(folder.path(), &format!("{line} -q"));
    let check = "check q.wsp --max-span";
    for page in PAGES {
        assert_eq!(quiet(page).succeeds().stderr, "", "{page}");
        quiet(page).prints("");
    }
    quiet(&format!("{check} 1s --save-baseline main"))
        .succeeds()
        .prints("");
    assert_eq!(
        quiet(&format!("{check} 1ms")).exits(3).prints("").stderr,
        ""
    );
    assert_eq!(
        quiet(&format!("{check} 1ms --json -")).json()["passed"],
        false
    );
    for other in [
        "export q.wsp -f csv -o q.csv",
        "merge q.wsp plain.wsp -o both.wsp",
        "list",
    ] {
        assert_eq!(
            quiet(other).prints("").stderr.matches("note").count(),
            0,
            "{other}"
        );
    }
    quiet("report none.wsp").exits(4).says("none.wsp");
    let program = StandIn::new("echo out");
    assert_eq!(program.run("--quiet").prints("out\n").stderr, "");
    let failing = StandIn::new("exit 7");
    failing.run("--quiet").exits(7);
}

#[test]
fn options_and_the_locale_choose_ascii() {
    let folder = stored();
    for page in PAGES {
        let is_ascii = |variables: &[(&str, &str)], options: &str| {
            let ran = with(folder.path(), variables, &format!("{page} {options}"));
            ran.succeeds().stdout.is_ascii()
        };
        assert!(is_ascii(&[], "--ascii"), "{page}");
        assert!(is_ascii(&[("LC_ALL", "C")], ""), "{page}");
        let other = [("LC_ALL", ""), ("LANG", "de_AT.ISO-8859-1")];
        assert!(is_ascii(&other, ""), "{page}");
    }
    assert!(!with(folder.path(), &[], PAGES[0]).stdout.is_ascii());
    with(folder.path(), &[], "explain WS002")
        .succeeds()
        .shows("5 µs");
    with(folder.path(), &[], "explain WS002 --ascii")
        .succeeds()
        .shows("5 us");
}

/// The output of `workspan LINE` on a terminal with this number of columns, and with `variables` as
/// a shell expects them before a command.
fn on_terminal(variables: &str, folder: &Path, columns: usize, line: &str) -> String {
    let workspan = env!("CARGO_BIN_EXE_workspan");
    // Notes, on standard error, are not wrapped.
    let line = format!("stty cols {columns} rows 24; {variables} '{workspan}' {line} 2>/dev/null");
    let mut command = plain(Command::new("script"));
    command
        .args(["-q", "-e", "-c", &line, "/dev/null"])
        .current_dir(folder)
        .env("TERM", "xterm-256color")
        .stdin(Stdio::null());
    Ran::new(&mut command).succeeds().stdout.clone()
}

fn without_escapes(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').unwrap().1)
}

#[test]
fn pages_fit_a_terminal_and_have_its_colours() {
    if Command::new("script").arg("--version").output().is_err() {
        skip("script", "not installed (apt-get install bsdutils)");
        return;
    }
    let folder = stored();
    for page in PAGES {
        for columns in [40, 80, 200] {
            let text = on_terminal("", folder.path(), columns, page);
            assert!(text.contains(ESCAPE), "{page}: {text}");
            for line in without_escapes(&text).lines() {
                assert!(line.width() <= columns, "{page} on {columns}: {line}");
            }
        }
        let never = on_terminal("", folder.path(), 80, &format!("{page} --color never"));
        assert!(!never.contains(ESCAPE), "{page}: {never}");
        let against = on_terminal("NO_COLOR=1", folder.path(), 80, page);
        assert!(!against.contains(ESCAPE), "{page}: {against}");
    }
    let wide = on_terminal("", folder.path(), 200, "report q.wsp");
    let narrow = on_terminal("", folder.path(), 80, "report q.wsp");
    let widest = |text: &str| without_escapes(text).lines().map(|line| line.width()).max();
    assert!(widest(&wide) > widest(&narrow));
}

/// The program's exit code is the number of its arguments.
pub(crate) fn a_quiet_run_prints_what_the_program_does(project: &Project) {
    let ran = project.run("run -q -- argument");
    assert_eq!(ran.exits(1).prints("55\n").stderr, "");
}

/// The options pass through cargo to the process that prints the report. Cargo follows them, too.
pub(crate) fn a_profiled_run_looks_as_chosen(project: &Project) {
    let run = |options: &str| {
        let ran = project.run(&format!("run {options}"));
        ran.succeeds();
        ran.stderr
    };
    let coloured = run("--color always");
    assert!(coloured.contains("\u{1b}[1mTry:"), "{coloured}");
    let note = coloured.lines().last().unwrap();
    assert!(note.contains(ESCAPE) && note.contains("note"), "{note}");
    let plain = run("--ascii --color never");
    assert!(plain.is_ascii() && !plain.contains(ESCAPE), "{plain}");
}
