//! Who the code in a file of the process belongs to.

use std::path::Path;

use super::function::Function;

/// Who a function belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Origin {
    /// The crates in the function's name decide.
    #[default]
    ByCrate,
    /// The program or a library, in C or C++.
    C,
    /// A parallel runtime.
    Runtime,
    /// workspan's library.
    Engine,
    /// The C library, or another one that works for its callers.
    System,
}

/// Prefixes of the names of runtimes' files.
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

/// Prefixes of the names of files that work for their callers.
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
    /// The origin of the functions in the file `path` of a C or C++ program.
    pub(super) fn of_file(path: &str) -> Self {
        let name = Path::new(path).file_name();
        let name = name.map(|name| name.to_string_lossy()).unwrap_or_default();
        let starts_with_one_of =
            |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
        if name.starts_with("libworkspan") {
            Self::Engine
        } else if starts_with_one_of(&RUNTIMES) {
            Self::Runtime
        } else if starts_with_one_of(&SYSTEM) {
            Self::System
        } else {
            Self::C
        }
    }

    /// The origin of `function` in a file of this origin. Rust's functions have crates.
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
    fn names_of_files_give_their_origin() {
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
        let rust = Function::from_rust("app::run".to_owned());
        assert_eq!(Origin::C.of_function(Some(&rust)), Origin::ByCrate);
        assert_eq!(Origin::Engine.of_function(Some(&rust)), Origin::Engine);
    }
}
