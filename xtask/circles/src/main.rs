//! Fails if files of a crate use one another in a circle.
//!
//! ```console
//! $ cargo run -p workspan-circles
//! $ cargo run -p workspan-circles -- --modules [CRATE]...
//! ```
//!
//! With `--modules`: if modules at the top of one of these crates do, or of any, each with all that
//! is in its folder.
//!
//! It reads the paths in the files as text, so it does not see what a method or a macro of another
//! file leads to. A re-export is a *door*: what comes through it is a use of the file that defines
//! it, and the door's own file uses it only if its code names it. Tests do not count.
#![forbid(unsafe_code)]

mod crates;
mod module;
mod uses;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, ensure};
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

use crates::{Crate, Uses};

fn main() -> anyhow::Result<ExitCode> {
    let mut arguments = std::env::args().skip(1);
    let of_modules = arguments.next().is_some_and(|first| first == "--modules");
    let wanted: Vec<String> = arguments.collect();
    let mut found = 0;
    for root in roots(&wanted)? {
        let mut uses = Crate::read(&root)?.uses();
        if of_modules {
            uses = modules(uses, root.parent().context("a file stands in a folder")?);
        }
        let circles = circles(&uses);
        found += circles.len();
        circles.iter().for_each(|circle| print(circle, &uses));
    }
    println!("circles: {found}");
    Ok(ExitCode::from(u8::from(found > 0)))
}

/// The root files of this workspace's crates, of all if none is `wanted`.
fn roots(wanted: &[String]) -> anyhow::Result<Vec<PathBuf>> {
    let output = Command::new("cargo")
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .output()
        .context("cargo cannot be started")?;
    ensure!(output.status.success(), "cargo metadata failed");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let all = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let packages = all(&metadata["packages"]);
    let is_wanted = |name: &String| packages.iter().any(|package| package["name"] == **name);
    ensure!(
        wanted.iter().all(is_wanted),
        "a crate is not of this workspace"
    );
    let targets = packages
        .iter()
        .filter(|package| wanted.is_empty() || wanted.iter().any(|name| package["name"] == **name))
        .flat_map(|package| all(&package["targets"]));
    let is_code = |target: &serde_json::Value| {
        let kinds = all(&target["kind"]);
        let is = |kind: &str| kinds.iter().any(|own| own == kind);
        !["test", "bench", "example", "custom-build"]
            .into_iter()
            .any(is)
    };
    let mut roots: Vec<PathBuf> = targets
        .filter(is_code)
        .filter_map(|target| Path::new(target["src_path"].as_str()?).canonicalize().ok())
        .collect();
    roots.sort();
    Ok(roots)
}

/// The uses between modules at the top of the crate in `folder`, each by the path of its file less
/// the ending. Those of a root file, which names its modules, do not count.
fn modules(uses: Uses, folder: &Path) -> Uses {
    let module = |file: &Path| {
        let mut parts = file.strip_prefix(folder).ok()?.components();
        let first = folder.join(parts.next()?).with_extension("");
        let is_root = parts.next().is_none() && (first.ends_with("lib") || first.ends_with("main"));
        (!is_root).then_some(first)
    };
    let mut between = Uses::new();
    for ((from, to), names) in uses {
        if let (Some(from), Some(to)) = (module(&from), module(&to))
            && from != to
        {
            between.entry((from, to)).or_default().extend(names);
        }
    }
    between
}

/// The circles, the smallest first.
fn circles(uses: &Uses) -> Vec<Vec<&Path>> {
    let arrows = uses.keys().map(|(from, to)| (from.as_path(), to.as_path()));
    let graph: DiGraphMap<&Path, ()> = DiGraphMap::from_edges(arrows);
    let mut circles = tarjan_scc(&graph);
    circles.retain(|circle| circle.len() > 1);
    circles.iter_mut().for_each(|circle| circle.sort());
    circles.sort_by_key(Vec::len);
    circles
}

fn print(circle: &[&Path], uses: &Uses) {
    eprintln!("a circle of {}:", circle.len());
    for ((from, to), names) in uses {
        if circle.contains(&from.as_path()) && circle.contains(&to.as_path()) {
            eprintln!(
                "    {} uses {} of {}",
                from.display(),
                names.join(", "),
                to.display()
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The names of the files in the circles of a crate with these files.
    fn circles_of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let uses = Crate::read(&folder.path().join("lib.rs")).unwrap().uses();
        let shown = |path: &&Path| {
            let relative = path.strip_prefix(folder.path()).unwrap();
            relative.display().to_string()
        };
        let circles = circles(&uses);
        circles
            .iter()
            .map(|circle| circle.iter().map(shown).collect())
            .collect()
    }

    #[test]
    fn files_that_use_one_another_are_a_circle() {
        let circles = circles_of(&[
            ("lib.rs", "mod a; mod b; mod c; fn f() { a::f() }"),
            (
                "a.rs",
                "use crate::b; pub fn f() { println!(\"{}\", b::g()) }",
            ),
            (
                "b.rs",
                "pub use c::h; use super::c; pub fn g() -> u8 { c::h() }",
            ),
            ("c/mod.rs", "pub fn h() -> u8 { super::a::f(); 1 }"),
        ]);
        assert_eq!(circles, [["a.rs", "b.rs", "c/mod.rs"]]);
    }

    #[test]
    fn uses_in_functions_by_globs_and_of_re_exports_count() {
        for (low, high) in [
            (
                "pub fn f() { use crate::high::g; g() }",
                "use crate::low::*; pub fn g() { f() }",
            ),
            (
                "use crate::high::A as _; use crate::high::g as _; pub fn f() {}",
                "use crate::low::f; pub trait A {} pub fn g() { f() }",
            ),
            (
                "pub use crate::high::G; pub fn f() -> G { G }",
                "use crate::low::f; pub struct G; fn g() { f(); }",
            ),
        ] {
            let circles = circles_of(&[
                ("lib.rs", "mod high; mod low;"),
                ("high.rs", high),
                ("low.rs", low),
            ]);
            assert_eq!(circles, [["high.rs", "low.rs"]], "{low} {high}");
        }
    }

    #[test]
    fn an_item_with_the_name_of_a_module_is_an_item() {
        let circles = circles_of(&[
            ("lib.rs", "mod low; mod total; pub use total::total;"),
            ("low.rs", "pub fn low() { crate::total(); }"),
            ("total.rs", "pub fn total() { crate::low::low(); }"),
        ]);
        assert_eq!(circles, [["low.rs", "total.rs"]]);
    }

    #[test]
    fn modules_are_in_a_circle_if_any_of_their_files_are() {
        let [a, b, c] = ["/c/a/one.rs", "/c/a.rs", "/c/b.rs"].map(PathBuf::from);
        let uses: Uses = [
            ((a.clone(), c.clone()), vec!["x".into()]),
            ((c, b.clone()), vec!["y".into()]),
            (("/c/lib.rs".into(), a), vec!["z".into()]),
        ]
        .into();
        assert!(super::circles(&uses).is_empty());
        let between = modules(uses, Path::new("/c"));
        assert_eq!(super::circles(&between), [["/c/a", "/c/b"].map(Path::new)]);
    }

    #[test]
    fn what_comes_through_a_door_is_used_where_it_is_defined() {
        let circles = circles_of(&[
            (
                "lib.rs",
                "mod low; mod high; pub use high::Top; pub use low::Ground;",
            ),
            ("high.rs", "use crate::Ground; pub struct Top(Ground);"),
            (
                "low.rs",
                "pub struct Ground; #[cfg(test)] mod tests { use crate::Top; }",
            ),
        ]);
        assert!(circles.is_empty(), "{circles:?}");
    }
}
