//! `--functions exact`.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::project::{Project, Ran, line_of, plain, read_json};

const PROGRAM: &str = include_str!("programs/functions.rs");

/// How often each function was called: what the program counted.
fn counted(ran: &Ran) -> BTreeMap<String, u64> {
    let counts = ran.stdout.lines().filter_map(|line| {
        let (name, count) = line.strip_prefix("count ")?.split_once(' ')?;
        Some((name.to_owned(), count.parse().unwrap()))
    });
    counts.collect()
}

/// The call sites of a function.
fn sites<'a>(profile: &'a Value, name: &str) -> Vec<&'a Value> {
    let sites = profile["sites"].as_array().unwrap().iter();
    sites
        .filter(|site| site["kind"] == "function" && site["name"] == name)
        .collect()
}

/// A profile with functions, and what the program did meanwhile.
fn measured(project: &Project, arguments: &[&str]) -> (Value, Ran) {
    let json = project.folder.join("profile.json");
    let mut all = vec![
        "run",
        "--functions",
        "exact",
        "--json",
        json.to_str().unwrap(),
    ];
    all.extend(arguments);
    let ran = project.run(&all);
    assert!(json.exists(), "{ran:#?}");
    (read_json(&json), ran)
}

fn count(sites: &[&Value]) -> u64 {
    let counts = sites.iter().map(|site| site["on_work"]["count"].as_u64());
    counts.map(Option::unwrap).sum()
}

#[test]
fn every_call_is_counted_and_nothing_else_changes() {
    let project = Project::new("functions_exact");
    project.write("src/main.rs", PROGRAM).lock();
    let plain = project.run(&["run"]);
    plain.exits(7);
    let (profile, ran) = measured(&project, &["--function-bytes", "0"]);
    ran.exits(7).prints(&plain.stdout).does_not_say("Compiling");
    let counted = counted(&ran);
    assert_eq!(counted.len(), 14, "{counted:?}");
    for (name, calls) in counted {
        let sites = sites(&profile, &format!("functions_exact::{name}"));
        assert_eq!(count(&sites), calls, "{name}: {sites:?}");
        for site in sites {
            let line = PROGRAM
                .lines()
                .position(|line| line.contains(&format!("fn {name}(")));
            assert_eq!(site["callee"], format!("src/main.rs:{}", line.unwrap() + 1));
        }
    }
    // The program ended inside these.
    assert_eq!(profile["program"]["unfinished_tasks"], 0);
    for name in ["main", "leave"] {
        let sites = sites(&profile, &format!("functions_exact::{name}"));
        let longest = sites.iter().map(|site| &site["on_work"]["span_ns"]);
        assert!(longest.map(|ns| ns.as_u64().unwrap()).max() > Some(0));
    }
    // A tail call returns to whoever called first.
    for name in ["ping", "pong"] {
        for site in sites(&profile, &format!("functions_exact::{name}")) {
            assert_eq!(site["line"], line_of(PROGRAM, "turns"));
            assert_eq!(site["function"], "functions_exact::main");
        }
    }
}

#[test]
fn tiny_functions_are_left_out() {
    let project = Project::new("functions_tiny");
    project
        .main("println!(\"{}\", functions_tiny::fib(12));")
        .lock();
    let (profile, ran) = measured(&project, &[]);
    ran.succeeds().prints("144\n");
    assert_eq!(count(&sites(&profile, "functions_tiny::fib")), 465);
    let nothing = project.run(&["run", "--functions", "exact", "--function-bytes", "1000000"]);
    nothing
        .exits(3)
        .says("smaller than 1000000 bytes")
        .says("--function-bytes")
        .prints("");
}

/// As where rayon's loop over the items calls a closure: whether the compiler inlines the call there is up to it.
#[test]
fn a_closure_inside_its_call_through_a_reference_is_part_of_the_caller() {
    let project = Project::new("functions_referenced");
    project
        .main(
            r#"let mix = |n: u64| (0..n).fold(n, |sum, i| sum.rotate_left(7) ^ i.wrapping_mul(sum | 1));
               let mut referenced = &mix;
               let called: &mut dyn FnMut(u64) -> u64 = std::hint::black_box(&mut referenced);
               let sum = (0..1_000).map(called).fold(0, |sum, one| sum ^ one);
               println!("{} {}", functions_referenced::fib(12), sum % 2 < 2);"#,
        )
        .lock();
    let (profile, ran) = measured(&project, &["--release", "--function-bytes", "0"]);
    ran.succeeds().prints("144 true\n");
    assert_eq!(count(&sites(&profile, "functions_referenced::main")), 1);
    let closure = sites(&profile, "functions_referenced::main::{closure}");
    assert!(closure.is_empty(), "{closure:?}");
}

#[test]
fn without_sleds_it_says_why_and_what_works_instead() {
    let project = Project::new("functions_without_sleds");
    let compiler = project.folder.join("rustc");
    project
        .main("println!(\"{}\", functions_without_sleds::fib(5));")
        .write(
            "rustc",
            "#!/bin/sh\ncase \"$*\" in *instrument-xray*) exit 1 ;; esac\nexec rustc \"$@\"\n",
        )
        .lock();
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).unwrap();
    let run = |arguments: &[&str]| {
        let target = project.folder.join("target");
        let mut command = project.workspan(arguments);
        Ran::of(
            command
                .env("RUSTC", &compiler)
                .env("CARGO_TARGET_DIR", target),
        )
    };
    run(&["run"]).succeeds().prints("5\n");
    run(&["run", "--functions", "exact"])
        .exits(3)
        .says("has no XRay sleds")
        .says("#[workspan::function]")
        .prints("");
}

/// Crates find out in their build scripts what the compiler can do, and must find the user's stable one.
#[test]
fn build_scripts_find_the_users_compiler() {
    let project = Project::new("functions_probed");
    project
        .write("build.rs", include_str!("programs/probing_build_script.rs"))
        .main(
            "#[cfg(unstable)] print!(\"unstable \");
             #[cfg(not(unstable))] print!(\"stable \");
             println!(\"{:?}\", functions_probed::fib(3));",
        )
        .lock();
    let plain = Ran::of(
        plain(std::process::Command::new("cargo"))
            .current_dir(&project.folder)
            .env("CARGO_TARGET_DIR", &project.target)
            .args(["run", "--quiet", "--release"]),
    );
    plain.succeeds();
    let (_, ran) = measured(&project, &[]);
    ran.succeeds().prints(&plain.stdout);
    // A crate that wants what the compiler does not give fails as it does without workspan.
    project.write("src/main.rs", "#![feature(never_type)]\nfn main() {}\n");
    if plain.stdout.starts_with("stable") {
        project
            .run(&["run"])
            .exits(101)
            .says("the feature `never_type` is not in the list of allowed features");
    }
}

/// A clang that makes sleds, if this machine has one.
fn clang() -> Option<&'static str> {
    let names = [
        "clang", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14",
    ];
    names.into_iter().find(|name| {
        let asked = std::process::Command::new(name).arg("--version").output();
        asked.is_ok_and(|output| output.status.success())
    })
}

#[test]
fn functions_of_c_and_of_shared_libraries_are_measured_too() {
    let Some(clang) = clang() else {
        eprintln!("skipped: there is no clang");
        return;
    };
    let project = Project::new("functions_c");
    project
        .write("build.rs", include_str!("programs/building_c.rs"))
        .write(
            "linked.c",
            "unsigned mix(unsigned n) { for (unsigned i = 0; i < 9; i++) n = n * 31 + i; return n; }\n\
             __attribute__((noinline)) unsigned twice(unsigned n) { return mix(n) ^ mix(n + 1); }\n",
        )
        .write(
            "shared.cpp",
            "namespace shared {\n\
             struct Sum { double sum = 0; __attribute__((noinline)) void add(double term); };\n\
             void Sum::add(double term) { for (int i = 0; i < 9; i++) sum += term / (i + 1); }\n\
             }\n\
             extern \"C\" double series(double n) {\n\
             shared::Sum sum; for (int i = 0; i < 10; i++) sum.add(n + i); return sum.sum; }\n",
        )
        .main(
            r#"unsafe extern "C" { fn twice(n: u32) -> u32; fn series(n: f64) -> f64; }
               let both = |n: u32| unsafe { f64::from(twice(n) % 8) + series(n.into()) };
               let sums: Vec<f64> = (0..20).map(both).collect();
               println!("{sums:?} {}", functions_c::fib(10));"#,
        )
        .lock();
    let run = |arguments: &[&str]| {
        let mut all = vec!["run", "--json", "profile.json"];
        all.extend(arguments);
        Ran::of(project.workspan(&all).env("CLANG", clang))
    };
    let plain = run(&[]);
    plain.succeeds();
    run(&["--functions", "exact", "--function-bytes", "0"])
        .succeeds()
        .prints(&plain.stdout)
        .does_not_say("functions are not measured");
    let profile = read_json(&project.folder.join("profile.json"));
    for (name, file, calls) in [
        ("twice", "linked.c", 20),
        ("mix", "linked.c", 40),
        ("series", "shared.cpp", 20),
        ("shared::Sum::add", "shared.cpp", 200),
    ] {
        let sites = sites(&profile, name);
        // What is inlined is part of its caller.
        if name != "mix" || !sites.is_empty() {
            assert_eq!(count(&sites), calls, "{name}");
            let defined = sites[0]["callee"].as_str().unwrap();
            assert!(defined.starts_with(file), "{defined}");
        }
    }
}
