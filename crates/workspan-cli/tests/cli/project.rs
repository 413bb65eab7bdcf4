//! Cargo projects made for a test, and the results of commands run in them.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The library that most projects use. [`line_of`] finds the marks.
pub(crate) const LIBRARY: &str = r#"
use rayon::prelude::*;

pub fn fib(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2)); // mark: join
    a + b
}

pub fn sum(numbers: &[u64]) -> u64 {
    numbers
        .par_iter()
        .map(|number| number + 1)
        .sum() // mark: par_iter
}

/// ```
/// assert_eq!(rayon::current_num_threads() > 0, true);
/// ```
pub fn documented() {}

#[cfg(test)]
mod tests {
    #[test]
    fn sums() {
        assert_eq!(super::sum(&[1, 2]), 5);
    }
}
"#;

/// A cargo project in a folder of its own.
pub(crate) struct Project {
    _parent: TempDir,
    pub(crate) folder: PathBuf,
    pub(crate) target: PathBuf,
}

impl Project {
    /// A package that depends on rayon and has the [`LIBRARY`]. Its name has to be unique among all
    /// tests, because they share a target directory.
    pub(crate) fn new(name: &str) -> Self {
        let project = Self::without_rayon(name);
        project.append("Cargo.toml", "[dependencies]\nrayon = \"1\"\n");
        project.write("src/lib.rs", LIBRARY);
        project
    }

    /// A package that depends on rayon, with this body of `main` and a `Cargo.lock`.
    pub(crate) fn with_main(name: &str, body: &str) -> Self {
        let project = Self::new(name);
        project.main(body).lock();
        project
    }

    /// A package without dependencies and without sources.
    pub(crate) fn without_rayon(name: &str) -> Self {
        Self::in_folder(name, name)
    }

    /// The same in a folder of another name.
    pub(crate) fn in_folder(name: &str, folder: &str) -> Self {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().canonicalize().unwrap().join(folder);
        let project = Self {
            _parent: parent,
            folder,
            target: Path::new(env!("CARGO_TARGET_TMPDIR")).join("shared"),
        };
        project.write(
            "Cargo.toml",
            &format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n"),
        );
        project
    }

    pub(crate) fn write(&self, file: &str, text: &str) -> &Self {
        let path = self.folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn append(&self, file: &str, text: &str) -> &Self {
        let before = self.read(file);
        self.write(file, &(before + text))
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.folder.join(file)).unwrap()
    }

    /// `src/main.rs` with this body of `main`.
    pub(crate) fn main(&self, body: &str) -> &Self {
        self.write("src/main.rs", &format!("fn main() {{\n{body}\n}}\n"))
    }

    /// Makes `Cargo.lock`, without downloads if this machine already has everything.
    pub(crate) fn lock(&self) -> &Self {
        for extra in [&["--offline"][..], &[]] {
            let output = plain(Command::new("cargo"))
                .current_dir(&self.folder)
                .args(["generate-lockfile", "--quiet"])
                .args(extra)
                .output()
                .unwrap();
            if output.status.success() {
                return self;
            }
        }
        panic!(
            "cargo generate-lockfile failed in {}",
            self.folder.display()
        );
    }

    /// `cargo workspan LINE` in the project's folder.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = plain(interruptible(env!("CARGO_BIN_EXE_cargo-workspan")));
        command
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", &self.target)
            .arg("workspan")
            .args(words(line))
            .stdin(Stdio::null());
        command
    }

    /// Runs `cargo workspan LINE`.
    pub(crate) fn run(&self, line: &str) -> Ran {
        Ran::new(&mut self.command(line))
    }

    /// Runs `cargo workspan run OPTIONS` and reads the JSON.
    pub(crate) fn profile(&self, options: &str) -> Value {
        self.run(&format!("run --json profile.json {options}"))
            .succeeds();
        self.json("profile.json")
    }

    /// The JSON in a file of the project's folder.
    pub(crate) fn json(&self, file: &str) -> Value {
        read_json(&self.folder.join(file))
    }

    /// The profile that a run keeps.
    pub(crate) fn kept(&self, name: &str) -> PathBuf {
        self.target
            .join("workspan")
            .join(name)
            .with_extension("wsp")
    }
}

/// Runs a command of the shell, with `$1` and `$2`, that makes an executable. Were it written here, a
/// child that another test has just forked might still have it open for writing when it is started,
/// which fails then (ETXTBSY).
fn make_executable(command: &str, arguments: [&OsStr; 2]) {
    let mut shell = Command::new("sh");
    shell.args(["-ec", command, "sh"]).args(arguments);
    assert!(shell.status().unwrap().success(), "{arguments:?}");
}

/// Writes an executable shell script.
pub(crate) fn script(file: &Path, text: &str) {
    let text = format!("#!/bin/sh\n{text}\n");
    let command = r#"printf %s "$2" >"$1" && chmod 755 "$1""#;
    make_executable(command, [file.as_ref(), text.as_ref()]);
}

/// Copies the command `workspan` to `file`.
pub(crate) fn copy_workspan(file: &Path) {
    let command = r#"cp "$2" "$1""#;
    let workspan = env!("CARGO_BIN_EXE_cargo-workspan");
    make_executable(command, [file.as_ref(), workspan.as_ref()]);
}

/// Whether most of three attempts succeed, of which others on this machine may spoil one. The last
/// attempt made is then one that did.
pub(crate) fn most_of_three(mut attempt: impl FnMut() -> bool) -> bool {
    let first = attempt();
    if attempt() == first { first } else { attempt() }
}

/// The words of a command line, as a shell splits it. It replaces nothing in them.
pub(crate) fn words(line: &str) -> Vec<String> {
    shlex::split(line).unwrap_or_else(|| panic!("a quotation mark is not closed: {line}"))
}

/// A command that signals end as usual. Commands in the background of a shell inherit that SIGINT
/// is ignored.
pub(crate) fn interruptible(program: &str) -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal=INT,QUIT,TERM", "--", program]);
    command
}

/// A command in a UTF-8 locale, without the variables that the cargo around this test has set.
pub(crate) fn plain(mut command: Command) -> Command {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let is_cargos = text.starts_with("CARGO") && text != "CARGO_HOME" && text != "CARGO";
        let is_tests = [
            "RUSTC",
            "RUSTFLAGS",
            "RUST_TEST",
            "WORKSPAN",
            "RUST_BACKTRACE",
        ]
        .iter()
        .any(|prefix| text.starts_with(prefix));
        if is_cargos || is_tests {
            command.env_remove(name);
        }
    }
    // The locale and colors of the tests' own terminal do not matter.
    command.env("LC_ALL", "C.UTF-8");
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command
}

/// `workspan LINE` in a folder, with a cache of the tests.
pub(crate) fn command(folder: &Path, line: &str) -> Command {
    let mut command = plain(interruptible(env!("CARGO_BIN_EXE_workspan")));
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    command
        .current_dir(folder)
        .env("XDG_CACHE_HOME", cache)
        .args(words(line));
    command
}

/// `workspan LINE` in a folder, which has the cache: what the command keeps there is of no other
/// test.
pub(crate) fn command_apart(folder: &Path, line: &str) -> Command {
    let mut command = command(folder, line);
    command.env("XDG_CACHE_HOME", folder.join("cache"));
    command
}

/// The file that such commands keep, which have all run the same program.
pub(crate) fn kept_apart(folder: &Path, name: &str) -> PathBuf {
    let mut programs = fs::read_dir(folder.join("cache/workspan/profiles")).unwrap();
    programs.next().unwrap().unwrap().path().join(name)
}

/// Runs `workspan LINE` in a folder.
pub(crate) fn workspan(folder: &Path, line: &str) -> Ran {
    Ran::new(&mut command(folder, line))
}

pub(crate) fn read_json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The result of a command.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Runs a command.
    pub(crate) fn new(command: &mut Command) -> Self {
        Self::from(command.output().unwrap())
    }

    #[track_caller]
    pub(crate) fn exits(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    #[track_caller]
    pub(crate) fn succeeds(&self) -> &Self {
        self.exits(0)
    }

    #[track_caller]
    pub(crate) fn says(&self, text: &str) -> &Self {
        assert!(
            self.stderr.contains(text),
            "no `{text}` in: {}",
            self.stderr
        );
        self
    }

    #[track_caller]
    pub(crate) fn does_not_say(&self, text: &str) -> &Self {
        assert!(!self.stderr.contains(text), "`{text}` in: {}", self.stderr);
        self
    }

    #[track_caller]
    pub(crate) fn shows(&self, text: &str) -> &Self {
        assert!(
            self.stdout.contains(text),
            "no `{text}` in: {}",
            self.stdout
        );
        self
    }

    #[track_caller]
    pub(crate) fn does_not_show(&self, text: &str) -> &Self {
        assert!(!self.stdout.contains(text), "`{text}` in: {}", self.stdout);
        self
    }

    /// The JSON on standard output.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    #[track_caller]
    pub(crate) fn prints(&self, text: &str) -> &Self {
        assert_eq!(self.stdout, text, "{self:#?}");
        self
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// The number of the line that ends with `// mark: NAME`.
pub(crate) fn line_of(source: &str, name: &str) -> usize {
    let mark = format!("// mark: {name}");
    let index = source.lines().position(|line| line.ends_with(&mark));
    index.unwrap_or_else(|| panic!("no {mark}")) + 1
}

/// The only site of a kind.
#[track_caller]
pub(crate) fn site<'a>(profile: &'a Value, kind: &str) -> &'a Value {
    let sites: Vec<&Value> = profile["sites"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|site| site["kind"] == kind)
        .collect();
    assert_eq!(sites.len(), 1, "{kind} in {}", profile["sites"]);
    sites[0]
}

/// Asserts that a site is at a line of a file.
#[track_caller]
pub(crate) fn assert_at(site: &Value, file: &str, line: usize) {
    let location = site["location"].as_str().unwrap_or_default();
    assert!(
        location.starts_with(&format!("{file}:{line}:")),
        "{location} is not {file}:{line}"
    );
}
