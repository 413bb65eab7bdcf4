//! The workflow that `docs/ci.md` shows.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::emulated::has_emulator;
use crate::project::{Project, Ran, plain};

/// The summary that the workflow's pages show.
const SUMMARY: &str = "target/summary.md";

/// The commands of the workflow, except installations.
fn steps() -> Vec<String> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/workflow.yml");
    let workflow = std::fs::read_to_string(file).unwrap();
    let runs = workflow
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- run: "));
    let steps: Vec<String> = runs
        .filter(|step| !step.starts_with("cargo install") && !step.starts_with("sudo apt-get"))
        .map(str::to_owned)
        .collect();
    assert_eq!(steps.len(), 6);
    steps
}

/// Runs a step that finds the commands of this build in `PATH`.
fn step(project: &Project, step: &str) -> Ran {
    let built = Path::new(env!("CARGO_BIN_EXE_workspan")).parent().unwrap();
    let paths = env::split_paths(&env::var_os("PATH").unwrap()).collect::<Vec<PathBuf>>();
    let paths = [vec![built.to_owned()], paths].concat();
    let mut command = plain(Command::new("sh"));
    command
        .args(["-ec", step])
        .current_dir(&project.folder)
        .env("PATH", env::join_paths(paths).unwrap())
        .env("CARGO_TARGET_DIR", &project.target)
        .env("GITHUB_STEP_SUMMARY", project.folder.join(SUMMARY))
        .env("BASE", "HEAD");
    Ran::new(&mut command)
}

/// A program of eight parts, of which `parallel` run in parallel.
fn program(parallel: u32) -> String {
    format!(
        "use rayon::prelude::*;
         fn spin(part: u32) -> u64 {{
             (0..1_000_000).fold(part.into(), |value: u64, _| std::hint::black_box(value.wrapping_mul(3)))
         }}
         fn main() {{
             let serial: u64 = ({parallel}..8).map(spin).fold(0, u64::wrapping_add);
             let sum: u64 = (0..{parallel}_u32).into_par_iter().map(spin).reduce(|| serial, u64::wrapping_add);
             assert_ne!(sum, 1);
         }}"
    )
}

/// With one parallel part, the span is eight parts long, with eight it is one.
#[test]
fn the_workflow_passes_until_a_parallel_part_becomes_serial() {
    if !has_emulator() {
        return;
    }
    let project = Project::new("workflow");
    project
        .write("src/main.rs", &program(8))
        .write(
            "workspan.toml",
            "[thresholds]\nmax-span = \"+1%\"\nmin-parallelism = 3\n",
        )
        .write(".gitignore", "target\n")
        .lock();
    let git = "git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm first";
    step(&project, git).succeeds();
    let steps = steps();
    // For results, since the build is in a folder that tests share.
    std::fs::create_dir_all(project.folder.join("target")).unwrap();
    for command in &steps {
        step(&project, command).succeeds();
    }
    project.write("src/main.rs", &program(1));
    for command in &steps[2..5] {
        step(&project, command).succeeds();
    }
    step(&project, &steps[5])
        .exits(3)
        .shows("2 of 2 thresholds exceeded")
        .shows("\n::error title=workspan%3A span::Span is ");
    let findings = project.json("target/findings.sarif");
    assert_eq!(findings["version"], "2.1.0");
    let summary = std::fs::read_to_string(project.folder.join(SUMMARY)).unwrap();
    let headings: Vec<&str> = summary.lines().filter(|it| it.starts_with('#')).collect();
    let verdicts = [
        "Passed: 2 of 2 thresholds hold.",
        "Regression: 2 of 2 thresholds exceeded.",
    ];
    assert_eq!(headings, verdicts.map(|verdict| format!("### {verdict}")));
}
