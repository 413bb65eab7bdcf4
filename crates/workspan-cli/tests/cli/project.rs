//! Cargo projects made for one test, and what a command did in them.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The library that most projects use; the marks are looked up by [`line_of`].
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
    /// A package that depends on rayon and has the [`LIBRARY`]. Its name has to differ from that of every other
    /// test's, because they share a target directory.
    pub(crate) fn new(name: &str) -> Self {
        let project = Self::without_rayon(name);
        project.append("Cargo.toml", "[dependencies]\nrayon = \"1\"\n");
        project.write("src/lib.rs", LIBRARY);
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

    /// Makes `Cargo.lock` from what this machine has downloaded, if it has all.
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

    /// `cargo workspan ARGUMENTS` in the project's folder.
    pub(crate) fn workspan(&self, arguments: &[&str]) -> Command {
        let mut command = plain(interruptible(env!("CARGO_BIN_EXE_cargo-workspan")));
        command
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", &self.target)
            .arg("workspan")
            .args(arguments)
            .stdin(Stdio::null());
        command
    }

    /// Runs `cargo workspan ARGUMENTS`.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(&mut self.workspan(arguments))
    }

    /// Runs `cargo workspan run ARGUMENTS` and reads the JSON.
    pub(crate) fn profile(&self, arguments: &[&str]) -> Value {
        let json = self.folder.join("profile.json");
        let mut all = vec!["run", "--json", json.to_str().unwrap()];
        all.extend(arguments);
        self.run(&all).succeeds();
        read_json(&json)
    }

    /// The profile that a run keeps.
    pub(crate) fn kept(&self, name: &str) -> PathBuf {
        self.target
            .join("workspan")
            .join(name)
            .with_extension("wsp")
    }
}

/// A command that signals end as they usually do: a shell starts what it runs in the background with SIGINT ignored,
/// and that is inherited.
pub(crate) fn interruptible(program: &str) -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal=INT,QUIT,TERM", "--", program]);
    command
}

/// A command without the variables that the cargo around this test has set, and with the characters of UTF-8.
pub(crate) fn plain(mut command: Command) -> Command {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let of_cargo = text.starts_with("CARGO") && text != "CARGO_HOME" && text != "CARGO";
        let of_tests = [
            "RUSTC",
            "RUSTFLAGS",
            "RUST_TEST",
            "WORKSPAN",
            "RUST_BACKTRACE",
        ]
        .iter()
        .any(|prefix| text.starts_with(prefix));
        if of_cargo || of_tests {
            command.env_remove(name);
        }
    }
    // Whatever the tests' own terminal is like.
    command.env("LC_ALL", "C.UTF-8");
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command
}

/// `workspan ARGUMENTS` in a folder.
pub(crate) fn workspan<A: AsRef<OsStr>>(folder: &Path, arguments: &[A]) -> Ran {
    let mut command = plain(Command::new(env!("CARGO_BIN_EXE_workspan")));
    Ran::of(command.current_dir(folder).args(arguments))
}

pub(crate) fn read_json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(command: &mut Command) -> Self {
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

/// Number of the line that ends with `// mark: NAME`.
pub(crate) fn line_of(source: &str, name: &str) -> usize {
    let mark = format!("// mark: {name}");
    let index = source.lines().position(|line| line.ends_with(&mark));
    index.unwrap_or_else(|| panic!("no {mark}")) + 1
}

/// The site of a kind, if there is just one.
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

/// Whether a site stands at a line of a file.
#[track_caller]
pub(crate) fn assert_at(site: &Value, file: &str, line: usize) {
    let location = site["location"].as_str().unwrap_or_default();
    assert!(
        location.starts_with(&format!("{file}:{line}:")),
        "{location} is not {file}:{line}"
    );
}
