//! LLVM's OpenMP runtime on this machine.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::elf::{Elf, Symbol};
use super::error::ProgramError;

/// A file of LLVM's OpenMP runtime with an interface for tools.
#[derive(Clone, Debug)]
pub(super) struct Libomp {
    pub(super) path: PathBuf,
    /// LLVM's major version; `None` if the path does not contain it.
    pub(super) release: Option<u32>,
    /// The name under which programs ask for it.
    pub(super) name: String,
    pub(super) exports: BTreeSet<Symbol>,
}

/// What is loaded before the program's own runtime.
#[derive(Clone, Debug)]
pub(super) enum Stand {
    /// Another runtime, in its place.
    In(Libomp),
    /// What tells of the calls of GCC's, which stays.
    Before(PathBuf),
}

/// The names that the file may have.
const NAMES: [&str; 4] = ["libomp.so.5", "libomp.so", "libiomp5.so", "libomp5.so"];

/// The first version in which every worksharing loop reports its chunks.
pub(super) const REPORTS_CHUNKS: u32 = 16;

impl Libomp {
    /// The runtime that the user named by its file or its folder.
    pub(super) fn given(path: &Path) -> Result<Self, ProgramError> {
        let error = |what: &str| ProgramError::GivenLibomp {
            path: path.to_owned(),
            what: what.to_owned(),
        };
        let file = if path.is_dir() {
            NAMES
                .iter()
                .map(|name| path.join(name))
                .find(|file| file.is_file())
                .ok_or_else(|| error("there is no libomp.so.5 in that folder"))?
        } else {
            path.to_owned()
        };
        if !file.is_file() {
            return Err(error("there is no such file"));
        }
        Self::at(&file).ok_or_else(|| {
            error(
                "it is not LLVM's OpenMP runtime with its interface for tools (libomp.so.5, version 9 or newer, for \
                 this machine)",
            )
        })
    }

    /// The one that the user's `LD_LIBRARY_PATH` leads to, or else the newest on this machine.
    pub(super) fn newest() -> Option<Self> {
        let variable = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        env::split_paths(&variable)
            .filter(|folder| folder.is_absolute())
            .flat_map(|folder| NAMES.map(|name| folder.join(name)))
            .chain(installed(Path::new("/")))
            .find_map(|file| Self::at(&file))
    }

    /// The runtime in a file, if it has the interface for tools of OpenMP 5.0.
    pub(super) fn at(path: &Path) -> Option<Self> {
        let bytes = fs::read(path).ok()?;
        if !has_tool_interface(&bytes) {
            return None;
        }
        let elf = Elf::of_library(&bytes)?;
        let exports = elf.exports();
        exports
            .iter()
            .any(|symbol| symbol.name == "__kmpc_fork_call")
            .then(|| Self {
                path: path.to_owned(),
                release: release(path),
                name: elf.library_name().unwrap_or_else(|| NAMES[0].to_owned()),
                exports,
            })
    }

    /// The functions of libgomp that this runtime does not have, and for which libgomp's own would
    /// compute wrong results.
    pub(super) fn missing_functions<'a>(&'a self, wanted: &'a BTreeSet<Symbol>) -> Vec<&'a str> {
        wanted
            .difference(&self.exports)
            .map(|symbol| symbol.name.as_str())
            .filter(|name| !is_independent(name))
            .collect()
    }
}

/// Whether a function of libgomp works while another runtime, unknown to it, runs the threads.
fn is_independent(name: &str) -> bool {
    // Without devices, `target` runs on the host. Functions that allocate and free memory work if
    // all of them come from the same runtime.
    const PREFIXES: [&str; 14] = [
        "GOMP_target",
        "GOMP_offload",
        "GOMP_alloc",
        "GOMP_free",
        "GOMP_error",
        "GOMP_warning",
        "GOACC_",
        "acc_",
        "omp_target_",
        "omp_alloc",
        "omp_calloc",
        "omp_realloc",
        "omp_free",
        "omp_aligned_",
    ];
    const PARTS: [&str; 4] = [
        "_allocator",
        "_device",
        "_display_env",
        "_supported_active_levels",
    ];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || name.starts_with("omp_") && PARTS.iter().any(|part| name.contains(part))
}

/// The files of the runtime where packages of distributions install it, newest first.
fn installed(root: &Path) -> Vec<PathBuf> {
    let mut by_release: Vec<(u32, PathBuf)> = Vec::new();
    for parent in ["usr/lib", "usr/lib64", "usr/local", "opt"] {
        let Ok(entries) = fs::read_dir(root.join(parent)) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            if let Some(release) = release_in(&entry.file_name().to_string_lossy()) {
                by_release.push((release, path));
            }
        }
    }
    by_release.sort_by_key(|(release, path)| (Reverse(*release), path.clone()));
    let release_folders = by_release
        .into_iter()
        .flat_map(|(_, folder)| [folder.join("lib"), folder.join("lib64")]);
    let triplet = format!("usr/lib/{}-linux-gnu", env::consts::ARCH);
    let system_folders = [
        triplet.as_str(),
        "usr/lib64",
        "usr/lib",
        "usr/local/lib",
        "usr/local/lib64",
    ]
    .map(|folder| root.join(folder));
    release_folders
        .chain(system_folders)
        .flat_map(|folder| NAMES.map(|name| folder.join(name)))
        .filter(|file| file.is_file())
        .collect()
}

/// LLVM's major version in a path such as `/usr/lib/llvm-19/lib/libomp.so.5`, or in the path that a
/// link leads to.
fn release(path: &Path) -> Option<u32> {
    let of = |path: &Path| {
        path.components()
            .filter_map(|part| release_in(&part.as_os_str().to_string_lossy()))
            .next_back()
    };
    of(path).or_else(|| of(&path.canonicalize().ok()?))
}

/// The number in `llvm-19`, `llvm19` or `llvm-19.1.7`.
fn release_in(name: &str) -> Option<u32> {
    let rest = name.strip_prefix("llvm")?;
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    rest.split('.').next()?.parse().ok()
}

/// Whether a runtime has the interface for tools of OpenMP 5.0, in which tools look up functions by
/// name. One of the names is new in 5.0.
pub(super) fn has_tool_interface(bytes: &[u8]) -> bool {
    const NEW: &[u8] = b"ompt_finalize_tool";
    bytes.windows(NEW.len()).any(|part| part == NEW)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(root: &Path, file: &str) {
        let file = root.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "").unwrap();
    }

    #[test]
    fn the_newest_release_comes_first_and_system_folders_last() {
        let root = tempfile::tempdir().unwrap();
        let system = format!("usr/lib/{}-linux-gnu/libomp.so.5", env::consts::ARCH);
        put(root.path(), &system);
        put(root.path(), "usr/lib/llvm-9/lib/libomp.so.5");
        put(root.path(), "usr/lib/llvm-19/lib/libomp.so.5");
        put(root.path(), "usr/lib/llvm-14/lib/libomp.so.5");
        put(root.path(), "usr/lib/llvm-20/lib/libLLVM.so");
        put(root.path(), "usr/lib/llvm/lib/libomp.so.5");
        let found: Vec<String> = installed(root.path())
            .iter()
            .map(|file| {
                file.strip_prefix(root.path())
                    .unwrap()
                    .display()
                    .to_string()
            })
            .collect();
        assert_eq!(
            found,
            [
                "usr/lib/llvm-19/lib/libomp.so.5",
                "usr/lib/llvm-14/lib/libomp.so.5",
                "usr/lib/llvm-9/lib/libomp.so.5",
                &system,
            ]
        );
    }

    #[test]
    fn the_release_is_read_from_the_path() {
        let of = |path: &str| release(Path::new(path));
        assert_eq!(of("/usr/lib/llvm-19/lib/libomp.so.5"), Some(19));
        assert_eq!(of("/usr/lib64/llvm17/lib64/libomp.so"), Some(17));
        assert_eq!(of("/opt/llvm-16.0.6/lib/libomp.so"), Some(16));
        assert_eq!(of("/nowhere/lib/libomp.so"), None);
    }

    #[test]
    fn functions_that_only_libgomp_has_are_missing_if_they_share_threads() {
        let symbol = |name: &str, version: &str| Symbol {
            name: name.to_owned(),
            version: Some(version.to_owned()),
        };
        let libomp = Libomp {
            path: PathBuf::new(),
            release: None,
            name: String::new(),
            exports: BTreeSet::from([symbol("GOMP_parallel", "GOMP_4.0")]),
        };
        let wanted = BTreeSet::from([
            symbol("GOMP_parallel", "GOMP_4.0"),
            symbol("GOMP_scope_start", "GOMP_5.1"),
            symbol("GOMP_target_ext", "GOMP_4.5"),
            symbol("omp_get_num_devices", "OMP_4.0"),
        ]);
        assert_eq!(libomp.missing_functions(&wanted), ["GOMP_scope_start"]);
        let newer = BTreeSet::from([symbol("GOMP_parallel", "GOMP_9.0")]);
        assert_eq!(libomp.missing_functions(&newer), ["GOMP_parallel"]);
    }

    #[test]
    fn a_named_file_has_to_be_a_runtime() {
        let folder = tempfile::tempdir().unwrap();
        let error = |path: &Path| Libomp::given(path).unwrap_err().to_string();
        assert!(error(folder.path()).contains("no libomp.so.5 in that folder"));
        assert!(error(&folder.path().join("absent")).contains("no such file"));
        put(folder.path(), "libomp.so.5");
        assert!(error(folder.path()).contains("version 9 or newer"));
    }
}
