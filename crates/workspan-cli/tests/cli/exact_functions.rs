//! `--functions exact`.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

use crate::project::{Project, Ran, line_of, plain};
use crate::skip::skip;

const PROGRAM: &str = include_str!("programs/functions.rs");

/// How often each function was called, as counted by the program.
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

/// A profile with functions, and the result of the run.
fn measured(project: &Project, options: &str) -> (Value, Ran) {
    let ran = project.run(&format!(
        "run --functions exact --json profile.json {options}"
    ));
    let file = project.folder.join("profile.json");
    assert!(file.exists(), "{ran:#?}");
    (project.json("profile.json"), ran)
}

fn count(sites: &[&Value]) -> u64 {
    let counts = sites.iter().map(|site| site["on_work"]["count"].as_u64());
    counts.map(Option::unwrap).sum()
}

#[test]
fn every_call_is_counted_and_nothing_else_changes() {
    let project = Project::new("functions_exact");
    project.write("src/main.rs", PROGRAM).lock();
    let plain = project.run("run");
    plain.exits(7);
    let (profile, ran) = measured(&project, "--function-bytes 0");
    ran.exits(7).prints(&plain.stdout).does_not_say("Compiling");
    let counted = counted(&ran);
    assert_eq!(counted.len(), 14, "{counted:?}");
    for (name, calls) in counted {
        let sites = sites(&profile, &format!("functions_exact::{name}"));
        assert_eq!(count(&sites), calls, "{name}: {sites:?}");
        for site in sites {
            let head = format!("fn {name}(");
            let line = PROGRAM.lines().position(|line| line.contains(&head));
            assert_eq!(site["callee"], format!("src/main.rs:{}", line.unwrap() + 1));
        }
    }
    // The program ended inside these functions.
    assert_eq!(profile["program"]["unfinished_tasks"], 0);
    for name in ["main", "leave"] {
        let sites = sites(&profile, &format!("functions_exact::{name}"));
        let longest = sites.iter().map(|site| &site["on_work"]["span_ns"]);
        assert!(longest.map(|ns| ns.as_u64().unwrap()).max() > Some(0));
    }
    // A tail call returns to the first caller.
    for name in ["ping", "pong"] {
        for site in sites(&profile, &format!("functions_exact::{name}")) {
            assert_eq!(site["line"], line_of(PROGRAM, "turns"));
            assert_eq!(site["function"], "functions_exact::main");
        }
    }
}

/// As when rayon's loop over items calls a closure. The compiler may or may not inline that call.
#[test]
fn tiny_functions_are_left_out_and_a_closure_called_through_a_reference_is_part_of_the_caller() {
    let project = Project::with_main(
        "functions_tiny",
        r#"let mix = |n: u64| (0..n).fold(n, |sum, i| sum.rotate_left(7) ^ i.wrapping_mul(sum | 1));
           let mut referenced = &mix;
           let called: &mut dyn FnMut(u64) -> u64 = std::hint::black_box(&mut referenced);
           let sum = (0..1_000).map(called).fold(0, |sum, one| sum ^ one);
           println!("{} {}", functions_tiny::fib(12), sum % 2 < 2);"#,
    );
    let (profile, ran) = measured(&project, "");
    ran.succeeds().prints("144 true\n");
    assert_eq!(count(&sites(&profile, "functions_tiny::fib")), 465);
    let (profile, ran) = measured(&project, "--release --function-bytes 0");
    ran.succeeds().prints("144 true\n");
    assert_eq!(count(&sites(&profile, "functions_tiny::main")), 1);
    let closure = sites(&profile, "functions_tiny::main::{closure}");
    assert!(closure.is_empty(), "{closure:?}");
    project
        .run("run --functions exact --function-bytes 1000000")
        .exits(3)
        .says("smaller than 1000000 bytes")
        .says("--function-bytes")
        .prints("");
}

/// Build scripts of crates test what the compiler can do, and have to find the user's stable one.
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
    let plain = Ran::new(
        plain(Command::new("cargo"))
            .current_dir(&project.folder)
            .env("CARGO_TARGET_DIR", &project.target)
            .args(["run", "--quiet", "--release"]),
    );
    plain.succeeds();
    let (_, ran) = measured(&project, "");
    ran.succeeds().prints(&plain.stdout);
    // A crate that needs unstable features fails as it does without workspan.
    project.write("src/main.rs", "#![feature(never_type)]\nfn main() {}\n");
    if plain.stdout.starts_with("stable") {
        project
            .run("run")
            .exits(101)
            .says("the feature `never_type` is not in the list of allowed features");
    }
}

/// A clang, which can make sleds, if this machine has one.
fn clang() -> Option<&'static str> {
    let names = [
        "clang", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14",
    ];
    names.into_iter().find(|name| {
        let version = Command::new(name).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    })
}

#[test]
fn functions_of_c_and_of_shared_libraries_are_measured_too() {
    let Some(clang) = clang() else {
        skip("clang", "not installed (`ci/setup` installs it)");
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
    let run = |options: &str| {
        let mut command = project.command(&format!("run --json profile.json {options}"));
        Ran::new(command.env("CLANG", clang))
    };
    let plain = run("");
    plain.succeeds();
    run("--functions exact --function-bytes 0")
        .succeeds()
        .prints(&plain.stdout)
        .does_not_say("are not measured");
    let profile = project.json("profile.json");
    for (name, file, calls) in [
        ("twice", "linked.c", 20),
        ("mix", "linked.c", 40),
        ("series", "shared.cpp", 20),
        ("shared::Sum::add", "shared.cpp", 200),
    ] {
        let sites = sites(&profile, name);
        // `mix` may be inlined, and is part of its caller then.
        if name != "mix" || !sites.is_empty() {
            assert_eq!(count(&sites), calls, "{name}");
            let defined = sites[0]["callee"].as_str().unwrap();
            assert!(defined.starts_with(file), "{defined}");
        }
    }
}
