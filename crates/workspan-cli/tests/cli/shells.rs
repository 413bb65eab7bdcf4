//! Shell completions and manual pages.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::project::{Project, plain, workspan};
use crate::skip::skip;

/// Whether a program is installed; notes a skip if not.
fn is_installed(program: &str) -> bool {
    let found = Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .output()
        .unwrap();
    if !found.status.success() {
        skip(
            program,
            &format!("not installed (apt-get install {program})"),
        );
    }
    found.status.success()
}

#[track_caller]
fn succeeds(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    output
}

/// Writes both scripts for a shell into a folder: for `workspan` and for `cargo workspan`.
fn scripts(shell: &str, folder: &Path) -> [std::path::PathBuf; 2] {
    let own = workspan(folder, &format!("completions {shell}"));
    let project = Project::without_rayon(&format!("completions_{shell}"));
    let cargos = project.run(&format!("completions {shell}"));
    let texts = [("workspan", own), ("cargo-workspan", cargos)];
    texts.map(|(name, ran)| {
        let text = &ran.succeeds().stdout;
        assert!(text.contains(name) && text.contains("advise"), "{text}");
        let has_hidden = text.contains("__timed") || text.contains("_timed_commands");
        assert!(
            !has_hidden,
            "what only workspan starts is no command: {text}"
        );
        let file = folder.join(format!("{name}.{shell}"));
        fs::write(&file, text).unwrap();
        file
    })
}

#[test]
fn shells_can_read_their_scripts() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let files = scripts(shell, folder.path());
        if ["bash", "zsh", "fish"].contains(&shell) && is_installed(shell) {
            for file in files {
                let read = succeeds(Command::new(shell).arg("-n").arg(file));
                assert!(read.stderr.is_empty(), "{shell}: {read:?}");
            }
        }
    }
    workspan(folder.path(), "completions command.com")
        .exits(2)
        .says("elvish");
}

/// Types into a bash in a terminal. What is typed ends with TAB and a line break.
#[test]
fn bash_completes_what_is_typed() {
    if !is_installed("script") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [own, cargos] = scripts("bash", folder.path());
    let bin = Path::new(env!("CARGO_BIN_EXE_workspan")).parent().unwrap();
    let typed = format!(
        "PATH={}:$PATH; source {}; source {}\nworkspan advi\t--hel\t\ncargo-workspan predi\t--hel\t\nexit\n",
        bin.display(),
        own.display(),
        cargos.display(),
    );
    let keys = folder.path().join("keys");
    fs::write(&keys, typed).unwrap();
    // Each line is typed when bash asks for it, which the number of prompts shows.
    let line = "PS1='READY ' bash --norc --noprofile -i < /dev/tty";
    let mut command = plain(Command::new("sh"));
    let typing = "line=0; : >shown; while IFS= read -r keys; do line=$((line + 1)); \
                  while [ $(grep -c READY shown) -lt $line ]; do sleep 0.1; done; printf '%s\\n' \"$keys\"; done <keys | \
                  timeout 120 script -q -f -e -c \"$0\" shown";
    command
        .args(["-c", typing, line])
        .current_dir(folder.path())
        .env("TERM", "xterm")
        .stdin(Stdio::null());
    let output = succeeds(&mut command);
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(
        shown.contains("Tells which code has to become parallel"),
        "{shown}"
    );
    assert!(
        shown.contains("Simulates a work-stealing scheduler"),
        "{shown}"
    );
}

#[test]
fn manual_pages_are_written_for_all_commands() {
    let folder = tempfile::tempdir().unwrap();
    workspan(folder.path(), "man -o man1").succeeds();
    let pages = folder.path().join("man1");
    for page in [
        "workspan.1",
        "workspan-run.1",
        "workspan-bandwidth.1",
        "workspan-report.1",
        "cargo-workspan.1",
        "cargo-workspan-run.1",
        "cargo-workspan-scale.1",
    ] {
        let text = fs::read_to_string(pages.join(page)).unwrap();
        assert!(text.contains(".SH SYNOPSIS"), "{page}: {text}");
    }
    assert!(!pages.join("workspan-timed.1").exists());
    let main = workspan(folder.path(), "man");
    main.prints(&fs::read_to_string(pages.join("workspan.1")).unwrap());
    let run = fs::read_to_string(pages.join("cargo-workspan-run.1")).unwrap();
    assert!(run.contains("assume\\-cores"), "{run}");

    let all = || {
        fs::read_dir(&pages)
            .unwrap()
            .map(|entry| entry.unwrap().path())
    };
    if is_installed("groff") {
        for page in all() {
            let mut groff = Command::new("groff");
            let set = succeeds(
                groff
                    .args(["-K", "utf8", "-man", "-Tutf8", "-ww", "-z"])
                    .arg(&page),
            );
            assert!(set.stderr.is_empty(), "{page:?}: {set:?}");
        }
    }
    if is_installed("mandoc") {
        for page in all() {
            let mut mandoc = Command::new("mandoc");
            succeeds(mandoc.args(["-Tlint", "-Werror"]).arg(&page));
        }
    }
    if is_installed("man") {
        let shown = succeeds(
            Command::new("man")
                .args(["-P", "cat", "-l"])
                .arg(pages.join("cargo-workspan.1")),
        );
        let shown = String::from_utf8_lossy(&shown.stdout);
        assert!(shown.contains("predict"), "{shown}");
    }
}

#[test]
fn man_shows_the_page_of_cargos_command() {
    if !is_installed("man") {
        return;
    }
    let project = Project::without_rayon("man_of_cargo");
    project.run("man -o man/man1").succeeds();
    let mut command = plain(Command::new("man"));
    command
        .arg("cargo-workspan")
        .env("MANPATH", project.folder.join("man"))
        .env("MANPAGER", "cat")
        .env("PAGER", "cat")
        .current_dir(&project.folder)
        .stdin(Stdio::null());
    let shown = succeeds(&mut command);
    let shown = String::from_utf8_lossy(&shown.stdout);
    // Justified lines may have several spaces in a row.
    let words: Vec<&str> = shown.split_whitespace().collect();
    let words = words.join(" ");
    assert!(
        words.contains("SYNOPSIS") && words.contains("says why it does not scale"),
        "{shown}"
    );
}
