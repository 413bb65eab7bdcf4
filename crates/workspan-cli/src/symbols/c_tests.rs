//! Names constructs of real C++ programs, built with the compilers of this machine.

use std::path::Path;
use std::process::Command;

use workspan_model::{Site, SiteRow};

use super::raw_records::{line_of, places, profile};

const SOURCE: &str = include_str!("parts_of_c.cpp");
const KINDS: [(&str, &str); 4] = [
    ("region", "parallel"),
    ("task", "task"),
    ("lambda", "loop"),
    ("plain", "taskgroup"),
];

/// The sites of [`SOURCE`] built by `compiler` with `options`.
fn sites(compiler: &str, options: &[&str]) -> Option<Vec<Site>> {
    sites_of("parts_of_c.cpp", &KINDS, compiler, options)
}

/// The root and the sites of these kinds of a program built by `compiler` with `options`; `None` if
/// there is no such compiler, or it has no OpenMP.
fn sites_of(
    source: &str,
    kinds: &[(&str, &str)],
    compiler: &str,
    options: &[&str],
) -> Option<Vec<Site>> {
    let (name, _) = source.split_once(['_', '.']).unwrap();
    let file = format!("{name}-{compiler}{}", options.concat());
    let program = Path::new(env!("OUT_DIR")).join(file);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/symbols");
    let source = folder.join(source);
    let built = Command::new(compiler)
        .args(["-O2", "-fopenmp", "-o"])
        .args([&program, &source])
        .args(options)
        .output();
    if !built.is_ok_and(|built| built.status.success()) {
        crate::skip::skip(compiler, "not here, or without OpenMP");
        return None;
    }
    let output = Command::new(&program).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let mut records = String::from("site 0 root 0 0 0 -\n");
    for (id, (site, kind)) in (1..).zip(kinds) {
        let prefix = format!("address {site} ");
        let address = printed.lines().find_map(|line| line.strip_prefix(&prefix));
        let address = address.unwrap_or_else(|| panic!("{site}: {printed}"));
        records += &format!("site {id} {kind} 0 0 0 -\nsiteaddr {id} {address}\n");
    }
    records += "node 0 - 0 0\n";
    let profile = profile("runtime openmp -\n", &printed, &records);
    Some(super::name(&profile, &places()).sites)
}

#[test]
fn constructs_are_named_by_the_functions_that_they_were_written_in() {
    for compiler in ["g++", "clang++"] {
        let Some(sites) = sites(compiler, &["-g"]) else {
            continue;
        };
        let functions = ["serial", "tasks", "main::{lambda}", "main"];
        for ((site, (mark, _)), function) in sites[1..].iter().zip(KINDS).zip(functions) {
            let place = site.location.as_ref();
            let place = place.unwrap_or_else(|| panic!("{compiler} {mark}: {site:?}"));
            assert_eq!(place.file, "src/symbols/parts_of_c.cpp", "{compiler}");
            assert_eq!(place.line, line_of(SOURCE, mark), "{compiler} {mark}");
            assert_eq!(
                site.function.as_deref(),
                Some(function),
                "{compiler} {mark}"
            );
            assert_eq!(site.name, None);
        }
    }
}

#[test]
fn without_debug_information_they_are_named_by_function_and_offset() {
    for compiler in ["g++", "clang++"] {
        let Some(sites) = sites(compiler, &[]) else {
            continue;
        };
        for site in &sites[1..] {
            assert_eq!(site.location, None, "{compiler}");
            let (name, function) = (site.name.as_ref().unwrap(), site.function.as_ref().unwrap());
            let offset = name.strip_prefix(&format!("{function}+0x"));
            assert!(offset.is_some_and(|offset| !offset.is_empty()), "{site:?}");
        }
        assert_eq!(sites[4].function.as_deref(), Some("main"), "{compiler}");
        // Without symbols, the name of the file takes the place of the function's.
        let stripped = self::sites(compiler, &["-s"]).unwrap();
        let name = stripped[1].name.as_ref().unwrap();
        assert!(
            name.starts_with(&format!("parts-{compiler}-s+0x")),
            "{name}"
        );
    }
}

#[test]
fn regions_whose_code_may_divide_their_work_are_recognised() {
    let regions = [
        "static", "chunks", "collapse", "by_hand", "all", "number", "called",
    ];
    let regions = regions.map(|region| (region, "parallel"));
    for options in [
        &["-O0"][..],
        &["-O1"],
        &["-O2"],
        &["-O3"],
        &["-O2", "-g", "-fcf-protection"],
        &["-O2", "-fno-plt"],
        &["-O2", "-no-pie"],
    ] {
        let Some(sites) = sites_of("divided.c", &regions, "gcc", options) else {
            return;
        };
        let divide: Vec<&str> = sites[1..]
            .iter()
            .zip(regions)
            .filter(|(site, _)| site.detail.as_deref() == Some(SiteRow::DIVIDES_BY_CODE))
            .map(|(_, (region, _))| region)
            .collect();
        assert_eq!(
            divide,
            ["static", "chunks", "collapse", "by_hand"],
            "{options:?}"
        );
    }
}
