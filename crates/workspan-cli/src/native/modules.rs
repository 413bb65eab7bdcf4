//! The libraries that are loaded with a program.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A library that the program asks for, directly or through another library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Module {
    /// The name that is asked for.
    pub(crate) name: String,
    /// Where the dynamic linker finds it, if at all.
    pub(crate) path: Option<PathBuf>,
}

/// The libraries of a program that `loader`, glibc's dynamic linker, starts; none for another
/// loader.
///
/// Asks the dynamic linker to list them without starting the program, so that all of its rules
/// apply: the program's own search paths, the variables, its cache and the variants for the
/// processor.
pub(crate) fn of_program(program: &Path, loader: &str) -> Vec<Module> {
    if !is_glibcs(loader) {
        return Vec::new();
    }
    let Ok(program) = std::path::absolute(program) else {
        return Vec::new();
    };
    let output = Command::new(loader)
        .arg("--list")
        .arg(program)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    output
        .map(|output| parse(&String::from_utf8_lossy(&output.stdout)))
        .unwrap_or_default()
}

/// Whether `loader` is glibc's dynamic linker.
pub(super) fn is_glibcs(loader: &str) -> bool {
    Path::new(loader)
        .file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with("ld"))
        && !loader.contains("ld-musl")
        && !loader.contains("/linker")
}

/// Parses lines like `libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f0000000000)`.
fn parse(list: &str) -> Vec<Module> {
    list.lines()
        .filter_map(|line| {
            let (name, found) = line.trim().split_once(" => ")?;
            let path = found.rsplit_once(" (0x").map(|(path, _)| path.into());
            Some(Module {
                name: name.to_owned(),
                path,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_what_is_found_and_what_is_not() {
        let list = "\tlinux-vdso.so.1 (0x00007ffd5c3f2000)\n\
                    \tlibomp.so.5 => not found\n\
                    \tlibm.so.6 => /lib/with (0x) blank/libm.so.6 (0x00007f0000000000)\n\
                    \t/lib64/ld-linux-x86-64.so.2 (0x00007f8f12345000)\n";
        let module = |name: &str, path: Option<&str>| Module {
            name: name.to_owned(),
            path: path.map(PathBuf::from),
        };
        assert_eq!(
            parse(list),
            [
                module("libomp.so.5", None),
                module("libm.so.6", Some("/lib/with (0x) blank/libm.so.6")),
            ]
        );
    }

    #[test]
    fn the_loader_of_glibc_is_known() {
        assert!(is_glibcs("/lib64/ld-linux-x86-64.so.2"));
        assert!(is_glibcs("/lib/ld-linux-aarch64.so.1"));
        assert!(is_glibcs("/lib/ld64.so.1"));
        assert!(!is_glibcs("/lib/ld-musl-x86_64.so.1"));
        assert!(!is_glibcs("/system/bin/linker64"));
    }

    #[test]
    fn the_libraries_of_a_real_program_are_found() {
        let own = std::env::current_exe().unwrap();
        let loader = "/lib64/ld-linux-x86-64.so.2";
        if !Path::new(loader).exists() {
            crate::skip::skip("glibc", &format!("no {loader}"));
            return;
        }
        let modules = of_program(&own, loader);
        let libc = modules.iter().find(|module| module.name == "libc.so.6");
        assert!(libc.unwrap().path.as_ref().unwrap().is_file());
    }
}
