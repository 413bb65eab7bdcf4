//! Compiles the engine, which depends on nothing, once for all projects of a user with the same
//! compiler and settings.

use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use anyhow::bail;
use workspan_engine::INSTRUMENTATION;

use super::compiler::Compiler;
use super::invocation::{Argument, Invocation};
use crate::cache;
use crate::exit_code::{BUILD, Failure, OrExit as _};
use crate::session::Session;
use crate::sources::{self, CODEGEN};

/// The name of its crate.
pub(super) const NAME: &str = "workspan_rt";

/// Settings of the program's that the engine's replace, or that do not change what is compiled.
const REPLACED: [&str; 7] = [
    "opt-level",
    "codegen-units",
    "debug-assertions",
    "overflow-checks",
    "debuginfo",
    "metadata",
    "extra-filename",
];

/// Options that change nothing in a library without dependencies, or that the engine replaces.
const DROPPED: [&str; 7] = [
    "--check-cfg",
    "--color",
    "--diagnostic-width",
    "--emit",
    "--out-dir",
    "-L",
    "-g",
];

/// Puts the engine into `out_dir`, compiled with the settings of `call`, and returns its file; or how
/// the compiler ended if it failed.
pub(super) fn library(
    compiler: &Compiler,
    session: &Session,
    call: &Invocation,
    out_dir: &Path,
) -> Result<Result<PathBuf, ExitStatus>, Failure> {
    let version = compiler.version()?;
    if !version.status.success() {
        return Ok(Err(version.status));
    }
    let settings = settings(call);
    let name = format!("{:016x}", key(&version.stdout, &settings));
    let library = out_dir.join(format!("lib{NAME}-{name}.{}", call.library_kind()));
    let compile = |home: &Path, folder: &Path| {
        let sources = sources::extract(&INSTRUMENTATION, home).or_exit(BUILD)?;
        compiler.run(&complete(&settings, &name, &sources, folder))
    };
    if is_for_all_projects(&settings)
        && let Ok(home) = cache::folder()
    {
        let kept = home.join(format!("engine-{name}"));
        let file = library.file_name().expect("it was given one");
        let filled = cache::filled(&kept, file.as_ref(), |draft| match compile(&home, draft) {
            Ok(status) if status.success() => Ok(()),
            _ => bail!("the engine is not compiled"),
        });
        if filled.is_ok() && copy_files(&kept, out_dir).is_ok() {
            return Ok(Ok(library));
        }
        // A cache that cannot be used must not keep a program from being profiled.
    }
    let status = compile(&session.home, out_dir)?;
    Ok(if status.success() {
        Ok(library)
    } else {
        Err(status)
    })
}

/// What the engine is compiled with: those settings of rayon-core that matter to it, and its own.
fn settings(call: &Invocation) -> Invocation {
    let emitted = if call.emits("link") {
        "metadata,link"
    } else {
        "metadata"
    };
    let mut call = call.clone();
    for option in DROPPED {
        call.remove(option);
    }
    for setting in REPLACED {
        call.remove_codegen(setting);
    }
    call.rename(NAME);
    replace_source(&mut call, Path::new(NAME));
    call.push("--emit", emitted);
    call.push_codegen("debuginfo=1");
    call
}

/// Has `call` compile the crate in `folder` with the engine's settings.
pub(super) fn replace_source(call: &mut Invocation, folder: &Path) {
    for argument in &mut call.arguments {
        if let Argument::Input(file) = argument {
            *file = folder.join("lib.rs").into();
        }
    }
    call.remove("--extern");
    call.remove("--edition");
    call.push("--edition", "2021");
    // Off in the program's profile, it would leave calls between the engine's parts in place.
    call.remove_codegen("lto");
    for setting in CODEGEN {
        call.push_codegen(setting);
    }
}

/// Identifies a compiled engine by its sources, the compiler and the settings.
fn key(version: &[u8], settings: &Invocation) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(INSTRUMENTATION.hash.as_bytes());
    hasher.write(version);
    for argument in settings.to_arguments() {
        hasher.write(argument.as_encoded_bytes());
        hasher.write_u8(0);
    }
    hasher.finish()
}

/// Whether settings mean the same in all projects, and on all machines that share the cache: they
/// name no file, and neither this machine's processor nor another standard library.
fn is_for_all_projects(settings: &Invocation) -> bool {
    let names_file = |target: &OsStr| target.as_encoded_bytes().ends_with(b".json");
    settings.codegen("target-cpu") != Some("native")
        && settings.codegen("profile-use").is_none()
        && !settings.values("--target").any(names_file)
        && settings.values("--sysroot").next().is_none()
        && settings.values("-Z").next().is_none()
}

fn complete(settings: &Invocation, name: &str, sources: &Path, folder: &Path) -> Invocation {
    let mut call = settings.clone();
    for argument in &mut call.arguments {
        if let Argument::Input(file) = argument {
            *file = sources.join(&file).into();
        }
    }
    call.push_codegen(&format!("metadata={name}"));
    call.push_codegen(&format!("extra-filename=-{name}"));
    call.push("--out-dir", folder);
    call
}

/// Copies files, each of which appears whole or not at all: other builds may use the folder, too.
fn copy_files(from: &Path, to: &Path) -> io::Result<()> {
    for file in fs::read_dir(from)? {
        let file = file?;
        let target = to.join(file.file_name());
        if !target.is_file() {
            let draft = tempfile::NamedTempFile::new_in(to)?;
            fs::copy(file.path(), draft.path())?;
            draft.persist(target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::invocation::{parse, texts};
    use super::*;

    fn settings_of(more: &str) -> Vec<String> {
        texts(call(more).to_arguments())
    }

    fn call(more: &str) -> Invocation {
        let text = format!(
            "--crate-name rayon_core --edition=2018 /r/src/lib.rs --crate-type lib --cap-lints allow \
             --target x86_64-unknown-linux-gnu {more}"
        );
        settings(&parse(&text).unwrap())
    }

    fn has(call: &[String], pair: [&str; 2]) -> bool {
        call.windows(2).any(|two| two == pair)
    }

    #[test]
    fn the_engine_is_optimised_and_independent() {
        let engine = settings_of(
            "-C opt-level=1 -C lto=off -L dependency=/t/deps --emit=dep-info,metadata,link \
             --extern crossbeam_deque=/t/deps/libcrossbeam_deque-1.rmeta",
        );
        assert!(has(&engine, ["--crate-name", NAME]));
        assert!(engine.contains(&"workspan_rt/lib.rs".to_owned()));
        assert!(has(&engine, ["-C", "opt-level=3"]) && has(&engine, ["--edition", "2021"]));
        assert!(has(&engine, ["--emit", "metadata,link"]));
        for unwanted in ["lto=off", "opt-level=1", "--extern", "-L"] {
            assert!(!engine.contains(&unwanted.to_owned()), "{unwanted}");
        }
        assert!(has(&engine, ["--target", "x86_64-unknown-linux-gnu"]));
    }

    #[test]
    fn projects_share_an_engine_unless_a_setting_matters_to_it() {
        let release = "-C opt-level=3 -C metadata=0a -C extra-filename=-0b --out-dir /t/deps \
                       --emit=dep-info,metadata,link";
        let key_of = |more: &str| key(b"rustc 1.95.0", &call(more));
        let dev = "-C debuginfo=2 -C metadata=0c -C extra-filename=-0d --out-dir /u/deps \
                   --emit=dep-info,metadata,link --diagnostic-width=80";
        assert_eq!(key_of(release), key_of(dev));
        for setting in [
            "-C panic=abort",
            "-C target-cpu=haswell",
            "--remap-path-prefix=/r=/s",
        ] {
            assert_ne!(
                key_of(release),
                key_of(&format!("{release} {setting}")),
                "{setting}"
            );
        }
        assert_ne!(key_of(release), key_of("--emit=dep-info,metadata"));
        assert_ne!(key_of(release), key(b"rustc 1.96.0", &call(release)));
    }

    #[test]
    fn an_engine_whose_settings_mean_something_here_alone_is_of_one_project() {
        assert!(is_for_all_projects(&call("-C target-cpu=haswell")));
        for setting in [
            "-C target-cpu=native",
            "-C profile-use=/p/merged.profdata",
            "--target /p/own.json",
            "--sysroot=/p/sysroot",
            "-Z tune-cpu=native",
        ] {
            assert!(!is_for_all_projects(&call(setting)), "{setting}");
        }
    }

    #[test]
    fn files_are_copied_once() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for text in ["first", "second"] {
            fs::write(from.path().join("file"), text).unwrap();
            copy_files(from.path(), to.path()).unwrap();
        }
        assert_eq!(fs::read_to_string(to.path().join("file")).unwrap(), "first");
        assert_eq!(fs::read_dir(to.path()).unwrap().count(), 1);
    }
}
