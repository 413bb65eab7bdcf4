//! Problems are reported with advice, and the program's own outcome is kept.

use std::fs;
use std::process::Command;

use crate::project::{Project, workspan};
use crate::{factored, inflate, metric};

/// A single test, so that the program is built once.
#[test]
fn a_project_without_rayon_is_one_strand() {
    let project = Project::without_rayon("fault_serial");
    project
        .main(
            "println!(\"serial\");\n\
             std::process::exit(std::env::args().len() as i32 - 1);",
        )
        .lock();
    project
        .run("run --json out.json -- 1 2 3 4 5 6 7")
        .exits(7)
        .prints("serial\n")
        .says("`fault_serial` does not use rayon: all of it is one strand");
    let totals = &project.json("out.json")["totals"];
    assert_eq!(totals["work_ns"], totals["span_ns"]);
    assert_eq!(totals["work_ns"], totals["elapsed_ns"]);
    assert_eq!(totals["spawns"], 0);
    factored::a_program_without_rayon_is_measured_plain(&project);
    inflate::a_program_without_tasks_is_refused(&project);
    metric::a_program_without_rayon_counts_nothing(&project);
}

#[test]
fn build_errors_are_cargos() {
    let project = Project::with_main("fault_build", "nonsense");
    project
        .run("run")
        .exits(101)
        .says("cannot find value `nonsense`");
    project.write("Cargo.toml", "nonsense");
    project.run("run").exits(101).says("Cargo.toml");
    fs::remove_file(project.folder.join("Cargo.toml")).unwrap();
    project
        .run("run")
        .exits(101)
        .says("could not find `Cargo.toml`");
}

#[test]
fn the_end_of_a_program_is_kept_and_a_missing_profile_explained() {
    let project = Project::with_main(
        "fault_ends",
        "fault_ends::fib(10);\n\
         match std::env::args().nth(1).as_deref() {\n\
             Some(\"panic\") => panic!(\"on purpose\"),\n\
             Some(\"inside\") => { rayon::join(|| std::process::exit(5), || ()); }\n\
             Some(\"exit\") => std::process::exit(3),\n\
             Some(\"abort\") => std::process::abort(),\n\
             Some(\"exec\") => { use std::os::unix::process::CommandExt;\n\
                 panic!(\"{}\", std::process::Command::new(\"true\").exec()) }\n\
             _ => { let me = std::process::id().to_string();\n\
                 std::process::Command::new(\"kill\").args([\"-KILL\", &me]).status().unwrap(); }\n\
         }\nloop { std::thread::park(); }",
    );
    for (end, code) in [("exit", 3), ("panic", 101), ("inside", 5)] {
        project
            .run(&format!("run --json out.json -- {end}"))
            .exits(code)
            .says("\nTry: ");
        assert_eq!(project.json("out.json")["program"]["exit_code"], code);
    }
    let unwritten = "no profile could be written: the program was";
    project
        .run("run -- kill")
        .exits(137)
        .says(&format!("{unwritten} killed by SIGKILL"));
    project
        .run("run -- abort")
        .exits(134)
        .says(&format!("{unwritten} ended by SIGABRT"));
    project
        .run("run -- exec")
        .succeeds()
        .says("no profile was written")
        .says("`exec`");
}

#[test]
fn programs_without_the_engine_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let run = |program: &str| workspan(folder.path(), &format!("run {program}"));
    run("-- true")
        .exits(4)
        .says("`true` uses no parallel runtime that workspan knows")
        .says("rayon programs, which `cargo workspan run` builds");
    write("plain.rs", "fn main() { println!(\"plain\"); }");
    let built = Command::new("rustc")
        .current_dir(folder.path())
        .args(["-o", "built", "plain.rs"])
        .status();
    assert!(built.unwrap().success());
    run("./built")
        .exits(4)
        .prints("plain\n")
        .says("was not built by workspan")
        .says("`cargo workspan run` builds and profiles it");
    run("./no-such-program")
        .exits(127)
        .says("there is no such program");
    write("plain", "text");
    run("./plain").exits(126).says("cannot run `./plain`");
}

pub(crate) fn a_program_built_before_is_profiled_again(project: &Project) {
    project
        .run("run --no-report")
        .succeeds()
        .does_not_say("Parallelism");
    let program = project.target.join("workspan/release/options");
    let program = program.display();
    workspan(&project.folder, &format!("run --report - -- {program}")).succeeds();
    fs::remove_file(project.kept("options")).unwrap();
    workspan(
        &project.folder,
        &format!("run --csv - --no-report {program}"),
    )
    .succeeds()
    .shows("join,");
    assert!(project.kept("options").is_file());
}

#[test]
fn an_unwritable_target_directory_is_named() {
    let mut project = Project::with_main("fault_target", "");
    project.target = project.folder.join("Cargo.toml/target");
    project
        .run("run")
        .exits(3)
        .says("Cargo.toml/target/workspan")
        .says("`--target-dir` chooses another place");
}

pub(crate) fn results_that_cannot_be_written_are_reported_and_others_written(project: &Project) {
    let line = "run --json /dev/full -o /no/such/folder/x.wsp --csv out.csv";
    project
        .run(line)
        .exits(4)
        .says("cannot write the JSON: /dev/full: No space left on device")
        .says("cannot write the profile: /no/such/folder/x.wsp")
        .says("\nTry: ");
    assert!(project.folder.join("out.csv").is_file());
    project
        .run(&format!("{line} -- a b"))
        .exits(2)
        .says("No space left on device");
}
