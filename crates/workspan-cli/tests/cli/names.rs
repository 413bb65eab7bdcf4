//! Sites are named after the user's code.

use serde_json::Value;

use crate::project::{LIBRARY, Project, Ran, assert_at, line_of, site};

const MAIN: &str = r#"
use rayon::prelude::*;

struct Grid {
    cells: Vec<u64>,
}

impl Grid {
    fn relax(&mut self) {
        self.cells
            .par_iter_mut()
            .enumerate()
            .for_each(|(index, cell)| *cell ^= index as u64); // mark: method
    }
}

fn main() {
    let mut grid = Grid { cells: (0..10_000).rev().collect() };
    grid.relax();
    grid.cells.par_sort_unstable(); // mark: sort
    let odd = grid.cells.iter().par_bridge().filter(|cell| *cell % 2 == 1).count(); // mark: bridge
    rayon::scope(|scope| { // mark: scope
        scope.spawn(|_| drop(std::hint::black_box(1))); // mark: spawn
    });
    rayon::broadcast(|context| context.index()); // mark: broadcast
    println!("{odd}");
}
"#;

#[test]
fn every_site_is_found_in_every_build() {
    let project = Project::new("names");
    project.write("src/main.rs", MAIN).lock();
    for options in [
        "",
        "--dev",
        "--config=profile.release.lto=\"'fat'\" --config=profile.release.panic=\"'abort'\" \
         --config=profile.release.strip=true",
    ] {
        eprintln!("with the options `{options}`:");
        let profile = project.profile(options);
        for (kind, mark) in [
            ("par_iter", "method"),
            ("par_sort", "sort"),
            ("par_bridge", "bridge"),
            ("scope", "scope"),
            ("spawn", "spawn"),
            ("broadcast", "broadcast"),
        ] {
            assert_at(site(&profile, kind), "src/main.rs", line_of(MAIN, mark));
        }
        for (kind, key, expected) in [
            ("par_iter", "function", "names::Grid::relax"),
            ("par_iter", "detail", "ParallelIterator::for_each"),
            ("par_sort", "detail", "ParallelSliceMut::par_sort_unstable"),
            ("spawn", "function", "names::main::{closure}"),
        ] {
            assert_eq!(site(&profile, kind)[key], expected);
        }
    }
}

/// Asserts that the sites of the [`LIBRARY`], which is this file, have been found.
#[track_caller]
fn assert_sites_of_library(profile: &Value, file: &str) {
    for kind in ["join", "par_iter"] {
        assert_at(site(profile, kind), file, line_of(LIBRARY, kind));
    }
}

#[test]
fn in_a_dependency_that_uses_rayon() {
    let project = Project::without_rayon("names_deep");
    project
        .append(
            "Cargo.toml",
            "[dependencies]\nnames-inner = { path = 'inner' }\n",
        )
        .main("println!(\"{}\", names_inner::fib(12) + names_inner::sum(&[1, 2, 3]));")
        .write(
            "inner/Cargo.toml",
            "[package]\nname = 'names-inner'\nversion = '0.1.0'\nedition = '2024'\n\
             [dependencies]\nrayon = '1'\n",
        )
        .write("inner/src/lib.rs", LIBRARY)
        .lock();
    let profile = project.profile("");
    assert_sites_of_library(&profile, "inner/src/lib.rs");
    assert_eq!(site(&profile, "join")["function"], "names_inner::fib");
}

#[test]
fn in_the_package_of_a_workspace_that_the_user_is_in() {
    let project = Project::without_rayon("names_outer");
    project
        .write(
            "Cargo.toml",
            "[workspace]\nmembers = ['member']\nresolver = '3'\n",
        )
        .write(
            "member/Cargo.toml",
            "[package]\nname = 'names_member'\nversion = '0.1.0'\nedition = '2024'\n\
             [dependencies]\nrayon = '1'\n",
        )
        .write("member/src/lib.rs", LIBRARY)
        .write(
            "member/src/main.rs",
            "fn main() { println!(\"{}\", names_member::fib(12) + names_member::sum(&[1, 2, 3])); }",
        )
        .lock();
    let mut command = project.command("run -p names_member --json ../member.json");
    Ran::new(command.current_dir(project.folder.join("member"))).succeeds();
    assert_sites_of_library(&project.json("member.json"), "src/lib.rs");
}
