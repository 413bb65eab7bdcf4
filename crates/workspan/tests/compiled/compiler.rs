//! Programs compiled against this crate by rustc alone, since cargo compiles tests without the
//! option of a profiled build.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

/// How this crate is compiled.
#[derive(Clone, Copy)]
pub(crate) enum Build {
    Normal,
    Profiled,
}

static NORMAL: LazyLock<PathBuf> = LazyLock::new(|| build_crate("normal", &[]));
static PROFILED: LazyLock<PathBuf> = LazyLock::new(|| build_crate("profiled", &["--cfg=workspan"]));

/// A compiled program or library.
pub(crate) struct Compiled {
    file: PathBuf,
}

impl Build {
    fn libraries(self) -> &'static Path {
        match self {
            Self::Normal => &NORMAL,
            Self::Profiled => &PROFILED,
        }
    }

    /// Compiles `source`.
    #[track_caller]
    pub(crate) fn compile(self, name: &str, source: &str, options: &[&str]) -> Compiled {
        let (output, file) = self.try_to_compile(name, source, options);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && errors.is_empty(), "{errors}");
        Compiled { file }
    }

    /// The errors of a program that must not compile.
    #[track_caller]
    pub(crate) fn refuse(self, name: &str, source: &str) -> String {
        let (output, _) = self.try_to_compile(name, source, &[]);
        assert!(!output.status.success(), "compiled: {source}");
        String::from_utf8(output.stderr).unwrap()
    }

    fn try_to_compile(self, name: &str, source: &str, options: &[&str]) -> (Output, PathBuf) {
        let folder = folder(name);
        // A relative path, since it is in the places of regions.
        let file = format!("{name}.rs");
        fs::write(folder.join(&file), source).unwrap();
        let compiled = folder.join(name);
        let output = rustc(&folder)
            .args([&file, "--crate-name", name, "--edition=2021", "-L"])
            .arg(self.libraries())
            .args(["--extern", "workspan", "-o"])
            .arg(&compiled)
            .args(options)
            .output()
            .unwrap();
        (output, compiled)
    }
}

impl Compiled {
    pub(crate) fn assembly(&self) -> String {
        fs::read_to_string(&self.file).unwrap()
    }

    /// Standard output of the program.
    #[track_caller]
    pub(crate) fn run(&self) -> String {
        let output = Command::new(&self.file).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

/// Builds this crate and that of its attribute. Returns their folder.
fn build_crate(name: &str, options: &[&str]) -> PathBuf {
    let folder = folder(name);
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let parts = [
        ("workspan_macros", "proc-macro", "proc_macro", &[][..]),
        ("workspan", "lib", "workspan_macros", options),
    ];
    for (crate_name, kind, dependency, options) in parts {
        let source = crates.join(crate_name.replace('_', "-")).join("src/lib.rs");
        let output = rustc(&folder)
            .args([
                "--crate-name",
                crate_name,
                "--crate-type",
                kind,
                "--extern",
                dependency,
            ])
            .args(["--edition=2021", "-O", "-L", "."])
            .args(options)
            .arg(source)
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
    }
    folder
}

fn rustc(folder: &Path) -> Command {
    let mut command = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.current_dir(folder);
    command
}

/// An empty folder for one test, or one thread of it.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("compiled")
        .join(name);
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => panic!("{error}"),
        _ => fs::create_dir_all(&folder).unwrap(),
    }
    folder
}
