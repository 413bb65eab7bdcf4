//! Versions of rayon-core that workspan was not made for.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::project::{Project, plain};

/// A project whose rayon-core is the package at `core/`.
fn project(name: &str, version: &str, library: &str) -> Project {
    let mut project = Project::without_rayon(name);
    project.target = project.folder.join("target");
    project
        .append(
            "Cargo.toml",
            "[dependencies]\nrayon-core = { path = 'core' }\n",
        )
        .main("println!(\"{}\", rayon_core::join(|| 1, || 2).1);")
        .write(
            "core/Cargo.toml",
            &format!("[package]\nname = 'rayon-core'\nversion = '{version}'\nedition = '2021'\n"),
        )
        .write("core/src/lib.rs", library);
    project
}

const ONLY_JOIN: &str = "#[inline(never)] pub fn join<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) { std::hint::black_box((a(), b())) }";

#[test]
fn an_older_one_is_built_unchanged_with_a_warning() {
    let project = project("version_older", "1.9.3", ONLY_JOIN);
    project
        .lock()
        .run("run")
        .exits(4)
        .prints("2\n")
        .says("could not be instrumented")
        .says("rayon-core 1.9.3 is older than 1.11");
}

#[test]
fn one_that_the_substitute_does_not_fit_fails_with_advice() {
    let project = project("version_unfit", "1.13.0", ONLY_JOIN);
    project
        .lock()
        .run("run")
        .exits(101)
        .says("the instrumentation does not compile with rayon-core 1.13.0")
        .says("cargo update -p rayon-core --precise");
}

#[test]
fn a_newer_one_is_instrumented_with_a_warning() {
    let project = project("version_newer", "0.0.0", "");
    let original = rayon_core_source();
    fs::remove_dir_all(project.folder.join("core")).unwrap();
    copy(&original, &project.folder.join("core"));
    let manifest = project.read("core/Cargo.toml");
    let version = manifest
        .lines()
        .find(|line| line.starts_with("version = "))
        .unwrap();
    project.write(
        "core/Cargo.toml",
        &manifest.replacen(version, "version = \"1.99.0\"", 1),
    );
    project
        .lock()
        .run("run")
        .succeeds()
        .prints("2\n")
        .says("rayon-core 1.99.0 is newer than")
        .says("\nTry: ");
}

/// The folder of the rayon-core that this workspace uses.
fn rayon_core_source() -> PathBuf {
    let output = plain(Command::new("cargo"))
        .args(["metadata", "--format-version=1", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages
        .iter()
        .find(|package| package["name"] == "rayon-core")
        .expect("the workspace's examples use rayon");
    Path::new(package["manifest_path"].as_str().unwrap())
        .parent()
        .unwrap()
        .to_owned()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
