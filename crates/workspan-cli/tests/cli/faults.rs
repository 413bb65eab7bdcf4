//! What can go wrong is said, with what to do, and the program's own outcome is kept.

use std::fs;
use std::process::Command;

use crate::project::{Project, read_json, workspan};

#[test]
fn a_project_without_rayon_is_one_strand() {
    let project = Project::without_rayon("fault_serial");
    project
        .main("println!(\"serial\"); std::process::exit(7);")
        .lock();
    let json = project.folder.join("out.json");
    project
        .run(&["run", "--json", json.to_str().unwrap()])
        .exits(7)
        .prints("serial\n")
        .says("`fault_serial` does not use rayon: all of it is one strand");
    let totals = &read_json(&json)["totals"];
    assert_eq!(totals["work_ns"], totals["span_ns"]);
    assert_eq!(totals["work_ns"], totals["elapsed_ns"]);
    assert_eq!(totals["spawns"], 0);
}

#[test]
fn build_errors_are_cargos() {
    let project = Project::new("fault_build");
    project.main("nonsense").lock();
    project
        .run(&["run"])
        .exits(101)
        .says("cannot find value `nonsense`");
    let project = Project::without_rayon("fault_manifest");
    project.write("Cargo.toml", "nonsense");
    project.run(&["run"]).exits(101).says("Cargo.toml");
    let nowhere = Project::without_rayon("fault_nowhere");
    fs::remove_file(nowhere.folder.join("Cargo.toml")).unwrap();
    nowhere
        .run(&["run"])
        .exits(101)
        .says("could not find `Cargo.toml`");
}

#[test]
fn the_exit_code_of_a_failing_program_is_kept_and_its_profile_reported() {
    let project = Project::new("fault_exit");
    project
        .main(
            "fault_exit::fib(10);\n\
             match std::env::args().nth(1).as_deref() {\n\
                 Some(\"panic\") => panic!(\"on purpose\"),\n\
                 Some(\"inside\") => { rayon::join(|| std::process::exit(5), || ()); }\n\
                 _ => std::process::exit(3),\n\
             }",
        )
        .lock();
    let json = project.folder.join("out.json");
    for (argument, code) in [("exit", 3), ("panic", 101), ("inside", 5)] {
        project
            .run(&["run", "--json", json.to_str().unwrap(), "--", argument])
            .exits(code)
            .says("Parallelism profile");
        assert_eq!(read_json(&json)["program"]["exit_code"], code);
    }
}

#[test]
fn programs_that_cannot_write_a_profile_are_explained() {
    let project = Project::new("fault_ends");
    project
        .main(
            "fault_ends::fib(10);\n\
             match std::env::args().nth(1).as_deref() {\n\
                 Some(\"abort\") => std::process::abort(),\n\
                 Some(\"exec\") => { use std::os::unix::process::CommandExt;\n\
                     panic!(\"{}\", std::process::Command::new(\"true\").exec()) }\n\
                 _ => { let me = std::process::id().to_string();\n\
                     std::process::Command::new(\"kill\").args([\"-KILL\", &me]).status().unwrap(); }\n\
             }\nloop { std::thread::park(); }",
        )
        .lock();
    let run = |argument| project.run(&["run", "--", argument]);
    run("kill")
        .exits(137)
        .says("no profile could be written: the program was killed by SIGKILL");
    run("abort")
        .exits(134)
        .says("no profile could be written: the program was ended by SIGABRT");
    run("exec")
        .succeeds()
        .says("no profile was written")
        .says("`exec`");
}

#[test]
fn programs_without_the_engine_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    workspan(folder.path(), &["run", "--", "true"])
        .exits(4)
        .says("`true` uses no parallel runtime that workspan knows")
        .says("rayon programs, which `cargo workspan run` builds");
    fs::write(
        folder.path().join("plain.rs"),
        "fn main() { println!(\"plain\"); }",
    )
    .unwrap();
    let built = Command::new("rustc")
        .current_dir(folder.path())
        .args(["-o", "built", "plain.rs"])
        .status();
    assert!(built.unwrap().success());
    workspan(folder.path(), &["run", "./built"])
        .exits(4)
        .prints("plain\n")
        .says("was not built by workspan")
        .says("`cargo workspan run` builds and profiles it");
    workspan(folder.path(), &["run", "./no-such-program"])
        .exits(127)
        .says("there is no such program");
    fs::write(folder.path().join("plain"), "text").unwrap();
    workspan(folder.path(), &["run", "./plain"])
        .exits(126)
        .says("cannot run `./plain`");
}

#[test]
fn a_program_built_before_is_profiled_again() {
    let project = Project::new("fault_again");
    project
        .main("println!(\"{}\", fault_again::fib(10));")
        .lock();
    project
        .run(&["run", "--no-report"])
        .succeeds()
        .does_not_say("Parallelism");
    let program = project.target.join("workspan/release/fault_again");
    workspan(
        &project.folder,
        &["run", "--report", "-", "--", program.to_str().unwrap()],
    )
    .succeeds();
    fs::remove_file(project.kept("fault_again")).unwrap();
    let ran = workspan(
        &project.folder,
        &[
            "run",
            "--csv",
            "-",
            "--no-report",
            program.to_str().unwrap(),
        ],
    );
    assert!(ran.succeeds().stdout.contains("join,"), "{}", ran.stdout);
    assert!(project.kept("fault_again").is_file());
}

#[test]
fn an_unwritable_target_directory_is_named() {
    let mut project = Project::new("fault_target");
    project.main("").lock();
    project.target = project.folder.join("Cargo.toml/target");
    project
        .run(&["run"])
        .exits(3)
        .says("Cargo.toml/target/workspan")
        .says("`--target-dir` chooses another place");
}

#[test]
fn results_that_cannot_be_written_are_named_and_the_others_written() {
    let project = Project::new("fault_outputs");
    project
        .main("fault_outputs::fib(10); std::process::exit(std::env::args().count() as i32 - 1);")
        .lock();
    let csv = project.folder.join("out.csv");
    let options = [
        "run",
        "--json",
        "/dev/full",
        "-o",
        "/no/such/folder/x.wsp",
        "--csv",
    ];
    let mut arguments = options.to_vec();
    arguments.push(csv.to_str().unwrap());
    project
        .run(&arguments)
        .exits(4)
        .says("cannot write the JSON: /dev/full: No space left on device")
        .says("cannot write the profile: /no/such/folder/x.wsp")
        .says("Parallelism profile");
    assert!(csv.is_file());
    arguments.extend(["--", "a", "b"]);
    project
        .run(&arguments)
        .exits(2)
        .says("No space left on device");
}
