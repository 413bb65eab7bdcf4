//! The flags of an ordinary crate in a profiled build. The program behaves as before, but its
//! stacks can be walked, its addresses resolved, and its functions measured.

use std::ffi::OsString;

use super::invocation::Invocation;
use super::sleds::{self, Support, Unlock};

/// Name of the crate and of the package of named regions.
const REGIONS: &str = "workspan";

/// The arguments for rustc, with the flags that profiling a crate of `package` needs, and whether
/// they need the compiler to be unlocked. `support` finds out whether it can make sleds.
pub(super) fn flags(
    invocation: &Invocation,
    package: Option<&str>,
    support: impl FnOnce() -> Support,
) -> (Vec<OsString>, Unlock) {
    let mut invocation = invocation.clone();
    if !invocation.is_build_tool() {
        add_frames_and_lines(&mut invocation);
        if invocation.crate_name() == Some(REGIONS) && package == Some(REGIONS) {
            invocation.push("--cfg", "workspan");
        }
    }
    let unlock = if sleds::are_wanted(&invocation) {
        support().add_to(&mut invocation)
    } else {
        Unlock::No
    };
    (invocation.to_arguments(), unlock)
}

/// Adds frame pointers and line tables with names, and keeps the latter in the linked file.
pub(super) fn add_frames_and_lines(invocation: &mut Invocation) {
    invocation.push_codegen("force-frame-pointers=yes");
    if !has_names(invocation.codegen("debuginfo")) {
        invocation.push_codegen("debuginfo=1");
    }
    invocation.remove_codegen("strip");
    if invocation.codegen("split-debuginfo").is_some() {
        invocation.push_codegen("split-debuginfo=off");
    }
}

/// Whether debug information of this level names inlined functions with their paths. Line tables
/// alone do not.
fn has_names(level: Option<&str>) -> bool {
    !matches!(
        level,
        None | Some("0" | "none" | "line-directives-only" | "line-tables-only")
    )
}

#[cfg(test)]
mod tests {
    use super::super::invocation::{parse, texts};
    use super::*;

    fn instrumented(text: &str) -> Vec<String> {
        instrumented_in(None, text)
    }

    fn instrumented_in(package: Option<&str>, text: &str) -> Vec<String> {
        let invocation = parse(text).unwrap();
        texts(flags(&invocation, package, || Support::Missing).0)
    }

    #[test]
    fn debug_information_is_added_where_missing() {
        for without in [
            "",
            "-C debuginfo=0",
            "-C debuginfo=2 -C debuginfo=line-tables-only",
        ] {
            let flags = instrumented(&format!("--crate-name a src/lib.rs {without}"));
            assert_eq!(flags.last().unwrap(), "debuginfo=1", "{without}");
        }
        for with in ["-g", "-C debuginfo=limited", "-Cdebuginfo=full"] {
            let flags = instrumented(&format!("--crate-name a src/lib.rs {with}"));
            assert!(!flags.contains(&"debuginfo=1".to_owned()), "{with}");
        }
    }

    #[test]
    fn stripping_and_splitting_are_undone() {
        let flags = instrumented(
            "--crate-name a src/lib.rs -C strip=symbols -Cstrip=debuginfo -C split-debuginfo=packed",
        );
        assert!(!flags.iter().any(|flag| flag.starts_with("strip")));
        assert_eq!(flags.last().unwrap(), "split-debuginfo=off");
    }

    #[test]
    fn only_the_crate_of_regions_gets_real_regions() {
        for (package, name, expected) in [
            (Some("workspan"), "workspan", true),
            (Some("other"), "workspan", false),
            (Some("workspan"), "other", false),
            (None, "workspan", false),
        ] {
            let flags = instrumented_in(package, &format!("--crate-name {name} src/lib.rs"));
            let given = flags.ends_with(&["--cfg".to_owned(), "workspan".to_owned()]);
            assert_eq!(given, expected, "{package:?} {name}");
        }
    }

    #[test]
    fn build_tools_are_left_as_they_are() {
        for call in [
            "--crate-name a src/lib.rs --crate-type proc-macro",
            "--crate-name build_script_build build.rs -C strip=debuginfo",
        ] {
            let expected: Vec<_> = call.split_whitespace().collect();
            assert_eq!(instrumented(call), expected);
        }
    }
}
