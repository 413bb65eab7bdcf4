//! Whose code it is that lies in a file of the process.

use std::path::Path;

use super::function::Function;

/// Whose code it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Origin {
    /// What crates its function is of tells.
    #[default]
    ByCrate,
    /// The program's or a library's, of C or C++.
    C,
    /// A parallel runtime's.
    Runtime,
    /// Workspan's library.
    Engine,
    /// The C library's, or another one's that serves whoever calls it.
    System,
}

/// Files of the runtimes, by the beginnings of their names.
const RUNTIMES: [&str; 8] = [
    "libomp.",
    "libomp-",
    "libomp5",
    "libiomp5",
    "libgomp",
    "libtbb",
    "libopencilk",
    "libcilkrts",
];

/// Files that serve whoever calls them, by the beginnings of their names.
const SYSTEM: [&str; 10] = [
    "libc.",
    "libc-",
    "libm.",
    "libm-",
    "libpthread",
    "libdl.",
    "ld-linux",
    "libstdc++",
    "libc++",
    "libgcc_s",
];

impl Origin {
    /// Of the functions in the file `path` of a program of C or C++.
    pub(super) fn of_file(path: &str) -> Self {
        let name = Path::new(path).file_name();
        let name = name.map(|name| name.to_string_lossy()).unwrap_or_default();
        let begins_as_one_of = |beginnings: &[&str]| {
            beginnings
                .iter()
                .any(|beginning| name.starts_with(beginning))
        };
        if begins_as_one_of(&["libworkspan"]) {
            Self::Engine
        } else if begins_as_one_of(&RUNTIMES) {
            Self::Runtime
        } else if begins_as_one_of(&SYSTEM) {
            Self::System
        } else {
            Self::C
        }
    }

    /// Of `function` in a file of this origin: Rust's have crates.
    pub(super) fn of_function(self, function: Option<&Function>) -> Self {
        match self {
            Self::C if function.is_some_and(Function::is_rust) => Self::ByCrate,
            origin => origin,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart_by_their_names() {
        let cases = [
            ("/home/me/loops", Origin::C),
            ("/home/me/libcompute.so", Origin::C),
            ("/usr/lib/x86_64-linux-gnu/libomp.so.5", Origin::Runtime),
            ("/usr/lib/llvm-14/lib/libomp-14.so.5", Origin::Runtime),
            ("/lib/x86_64-linux-gnu/libgomp.so.1", Origin::Runtime),
            ("/lib/x86_64-linux-gnu/libtbb.so.12.8", Origin::Runtime),
            ("/home/me/.cache/workspan/libworkspan.so", Origin::Engine),
            ("/lib/x86_64-linux-gnu/libc.so.6", Origin::System),
            ("/lib64/ld-linux-x86-64.so.2", Origin::System),
            ("/lib/x86_64-linux-gnu/libstdc++.so.6", Origin::System),
            ("[vdso]", Origin::C),
        ];
        for (path, expected) in cases {
            assert_eq!(Origin::of_file(path), expected, "{path}");
        }
        let rust = Function::of_rust("app::run".to_owned());
        assert_eq!(Origin::C.of_function(Some(&rust)), Origin::ByCrate);
        assert_eq!(Origin::Engine.of_function(Some(&rust)), Origin::Engine);
    }
}
