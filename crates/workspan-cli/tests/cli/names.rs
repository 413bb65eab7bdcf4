//! Sites are named by the user's code.

use crate::project::{LIBRARY, Project, assert_at, line_of, site};

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

fn every_site_is_found(name: &str, options: &[&str]) {
    let project = Project::new(name);
    project.write("src/main.rs", MAIN).lock();
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
    assert_eq!(
        site(&profile, "par_iter")["function"],
        format!("{name}::Grid::relax")
    );
    assert_eq!(
        site(&profile, "par_iter")["detail"],
        "ParallelIterator::for_each"
    );
    assert_eq!(
        site(&profile, "par_sort")["detail"],
        "ParallelSliceMut::par_sort_unstable"
    );
    assert_eq!(
        site(&profile, "spawn")["function"],
        format!("{name}::main::{{closure}}")
    );
}

#[test]
fn in_a_release_build() {
    every_site_is_found("names_release", &[]);
}

#[test]
fn in_a_dev_build() {
    every_site_is_found("names_dev", &["--dev"]);
}

#[test]
fn with_link_time_optimisation_panic_abort_and_stripping() {
    every_site_is_found(
        "names_lto",
        &[
            "--config=profile.release.lto='fat'",
            "--config=profile.release.panic='abort'",
            "--config=profile.release.strip=true",
        ],
    );
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
    let profile = project.profile(&[]);
    assert_at(
        site(&profile, "join"),
        "inner/src/lib.rs",
        line_of(LIBRARY, "join"),
    );
    assert_at(
        site(&profile, "par_iter"),
        "inner/src/lib.rs",
        line_of(LIBRARY, "par_iter"),
    );
    assert_eq!(site(&profile, "join")["function"], "names_inner::fib");
}

#[test]
fn in_the_package_of_a_workspace_that_the_user_is_in() {
    let project = Project::new("names_member");
    project
        .main("println!(\"{}\", names_member::fib(12) + names_member::sum(&[1, 2, 3]));")
        .append("Cargo.toml", "")
        .lock();
    // The package becomes a member of a workspace around it.
    let outer = Project::without_rayon("names_outer");
    outer.write(
        "Cargo.toml",
        "[workspace]\nmembers = ['member']\nresolver = '3'\n",
    );
    let member = outer.folder.join("member");
    std::fs::create_dir_all(member.join("src")).unwrap();
    for file in ["src/lib.rs", "src/main.rs"] {
        std::fs::copy(project.folder.join(file), member.join(file)).unwrap();
    }
    let manifest = project.read("Cargo.toml").replace("[workspace]\n", "");
    outer.write("member/Cargo.toml", &manifest).lock();
    let json = outer.folder.join("member.json");
    let mut command = outer.workspan(&[
        "run",
        "-p",
        "names_member",
        "--json",
        json.to_str().unwrap(),
    ]);
    crate::project::Ran::of(command.current_dir(&member)).succeeds();
    let profile = crate::project::read_json(&json);
    assert_at(
        site(&profile, "join"),
        "src/lib.rs",
        line_of(LIBRARY, "join"),
    );
    assert_at(
        site(&profile, "par_iter"),
        "src/lib.rs",
        line_of(LIBRARY, "par_iter"),
    );
}
