//! Skips of tests, in the form of `ci/skip`. Included by path: the crates share no package for
//! tests alone.

use std::io::Write;

/// Reports that a test, or a part of one, needs what this machine lacks. libtest captures nothing
/// that is written this way, so the line shows although the test passes. `ci/test` fails on a name
/// that `ci/skips` does not allow on its machine.
pub(crate) fn skip(name: &str, why: &str) {
    let line = format!("skipped: {name}: {}\n", why.replace('\n', " "));
    // A closed standard error is no reason to fail.
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(file) = std::env::var_os("WORKSPAN_SKIPS") {
        let mut options = std::fs::OpenOptions::new();
        let file = options.create(true).append(true).open(file);
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .expect("the file that WORKSPAN_SKIPS names can be written");
    }
}
