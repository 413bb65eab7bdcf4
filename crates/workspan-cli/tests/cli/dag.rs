//! `workspan dag` with the records of real programs.

use std::fs;
use std::process::Command;

use serde_json::Value;
use workspan_format::wsp;
use workspan_model::example;

use crate::project::{LIBRARY, Project, Ran, line_of, workspan};
use crate::stored::stored;

impl Project {
    fn dag(&self, line: &str) -> Ran {
        workspan(&self.folder, &format!("dag {line}"))
    }

    fn dag_json(&self, line: &str) -> Value {
        self.dag(&format!("{line} --json")).succeeds().json()
    }
}

fn list<'a>(json: &'a Value, key: &str) -> &'a [Value] {
    json[key].as_array().unwrap()
}

const TOTALS: [&str; 3] = ["work_ns", "span_ns", "burdened_span_ns"];

#[test]
fn every_strand_of_a_program_is_shown_and_folded_dags_mean_the_same() {
    let numbers = "let numbers: Vec<u64> = (0..100_000).collect();";
    let body = "dag_shown::fib(14); println!(\"{}\", dag_shown::sum(&numbers));";
    let project = Project::with_main("dag_shown", &format!("{numbers} {body}"));
    project
        .run("run --grain 0 -o out.wsp --json out.json")
        .succeeds();
    every_strand_is_shown(&project);
    project.run("run --grain 1us -o out.wsp").succeeds();
    folded_dags_mean_the_same(&project);
}

fn every_strand_is_shown(project: &Project) {
    let join = format!("src/lib.rs:{}:", line_of(LIBRARY, "join"));
    project
        .dag("out.wsp")
        .succeeds()
        .shows("vertices and ")
        .shows("  Forks ")
        .shows("  Burdened span  ")
        .shows("Critical path")
        .shows(&join);
    let dag = project.dag_json("out.wsp");
    let profile = project.json("out.json");
    assert_eq!(dag["version"], 1);
    assert_eq!(dag["truncated"], false);
    assert_eq!(dag["tasks"], profile["totals"]["spawns"]);
    for key in TOTALS {
        let measured = &profile["totals"][key];
        assert_eq!(&dag["measured"][key], measured, "{key}");
        let (own, measured) = (dag[key].as_i64().unwrap(), measured.as_i64().unwrap());
        // The nodes of the profile are rounded to nanoseconds individually.
        assert!((own - measured).abs() <= 50, "{key}: {own}, {measured}");
    }
    let vertices = list(&dag, "vertices");
    assert!(vertices.iter().all(|vertex| vertex["tasks"] == 0));
    assert_eq!(dag["shape"]["vertices"], vertices.len());
    let edges = vertices
        .iter()
        .map(|vertex| list(vertex, "successors").len());
    assert_eq!(dag["shape"]["edges"], edges.sum::<usize>());
    let is_any = |_: &&Value| true;
    let is_on_path = |vertex: &&Value| vertex["on_critical_path"] == true;
    let sum = |key: &str, is_counted: fn(&&Value) -> bool| {
        let counted = vertices.iter().filter(is_counted);
        let ticks: i64 = counted.map(|vertex| vertex[key].as_i64().unwrap()).sum();
        ticks as f64 * 1e9 / dag["ticks_per_second"].as_f64().unwrap()
    };
    let nanos = |key: &str| dag[key].as_f64().unwrap();
    assert!((sum("work_ticks", is_any) - nanos("work_ns")).abs() <= 1.0);
    assert!((sum("span_ticks", is_on_path) - nanos("span_ns")).abs() <= 1.0);
}

fn folded_dags_mean_the_same(project: &Project) {
    let dag = project.dag_json("out.wsp");
    let folded = project.dag_json("out.wsp --fold 50");
    assert!(list(&dag, "vertices").len() > 50);
    assert!(list(&folded, "vertices").len() <= 50);
    for key in TOTALS.into_iter().chain(["tasks"]) {
        assert_eq!(dag[key], folded[key], "{key}");
    }
    project
        .dag("out.wsp --fold 50 --wsp folded.wsp")
        .succeeds()
        .prints("");
    assert_eq!(project.dag_json("folded.wsp"), folded);
    workspan(&project.folder, "advise folded.wsp").succeeds();
    project
        .dag("out.wsp --fold 1")
        .succeeds()
        .shows("1 vertex and 0 edges");
    project
        .dag("out.wsp --fold 50 --dot -o out.dot")
        .succeeds()
        .prints("");
    let text = project.read("out.dot");
    assert!(text.contains(", color=red") && text.contains("[style=dashed"));
    assert_eq!(
        text.matches("[label=").count(),
        list(&folded, "vertices").len()
    );
    let drawn = Command::new("dot")
        .args(["-Tsvg", "-o", "out.svg", "out.dot"])
        .current_dir(&project.folder)
        .output();
    match drawn {
        Ok(drawn) => {
            assert!(
                drawn.status.success() && drawn.stderr.is_empty(),
                "{drawn:?}"
            );
            let nodes = project.read("out.svg").matches("class=\"node\"").count();
            assert_eq!(nodes, list(&folded, "vertices").len());
        }
        Err(error) => eprintln!("not checked by Graphviz, since there is no `dot`: {error}"),
    }
}

#[test]
fn a_killed_program_leaves_its_record_if_there_is_any() {
    let project = Project::with_main(
        "dag_killed",
        "let n = std::env::args().nth(1).unwrap().parse().unwrap();\n\
         for _ in 0..5 { dag_killed::fib(n); }\n\
         let this = std::process::id().to_string();\n\
         std::process::Command::new(\"kill\").args([\"-9\", &this]).status().unwrap();",
    );
    project
        .run("run -o nothing.wsp -- 2")
        .exits(137)
        .says("had not written down any of its task dag");
    assert!(!project.folder.join("nothing.dag").exists());

    project
        .run("run --grain 0 -o out.wsp -- 18")
        .exits(137)
        .says("killed by SIGKILL")
        .says("strands and folded subtrees, is kept: `workspan dag out.dag` reads it");
    assert!(!project.folder.join("out.wsp").exists());
    let join = format!("src/lib.rs:{}:", line_of(LIBRARY, "join"));
    project
        .dag("out.dag")
        .succeeds()
        .shows("ends before the program did")
        .shows(&join);
    let dag = project.dag_json("out.dag");
    assert_eq!(dag["truncated"], true);
    assert_eq!(dag["measured"], Value::Null);

    project.dag("out.dag --wsp killed.wsp").succeeds();
    let again = project.dag_json("killed.wsp");
    for key in TOTALS.into_iter().chain(["tasks", "shape", "vertices"]) {
        assert_eq!(again[key], dag[key], "{key}");
    }
    let on = |line: &str| workspan(&project.folder, line);
    on("report killed.wsp")
        .succeeds()
        .shows("The run was interrupted");
    on("advise killed.wsp")
        .succeeds()
        .shows("ends before the program did");
    let region = join.trim_end_matches(':');
    on(&format!(
        "whatif killed.wsp --region {region} --parallelise 2"
    ))
    .succeeds();
    on("predict killed.wsp --cores 2,4 --seeds 2")
        .exits(4)
        .says("shows no speedups to predict");

    // A truncated record has less. One with a changed byte is refused, or has less, too.
    let bytes = fs::read(project.folder.join("out.dag")).unwrap();
    for part in 1..=8 {
        let at = bytes.len() * part / 9;
        fs::write(project.folder.join("cut.dag"), &bytes[..at]).unwrap();
        project
            .dag("cut.dag")
            .succeeds()
            .shows("ends before the program did");
        let mut changed = bytes.clone();
        changed[at] ^= 0x55;
        fs::write(project.folder.join("cut.dag"), &changed).unwrap();
        let ran = project.dag("cut.dag --fold 9");
        assert!(matches!(ran.code, Some(0 | 4)), "{at}: {ran:#?}");
    }
    fs::write(project.folder.join("cut.dag"), "workspan-dag 9\n").unwrap();
    project.dag("cut.dag").exits(4).says("has version 9");
}

#[test]
fn files_without_a_dag_say_how_to_get_one() {
    let folder = stored();
    let dag = |line: &str| workspan(folder.path(), &format!("dag {line}"));
    dag("plain.wsp")
        .exits(4)
        .says("plain.wsp holds no task dag")
        .says("--record");
    fs::write(folder.path().join("text.wsp"), "work").unwrap();
    dag("text.wsp").exits(4).says("text.wsp");
    dag("none.wsp").exits(4).says("none.wsp");
    dag("plain.wsp --dot --json").exits(2);
    dag("plain.wsp --fold 0").exits(2);
    dag("plain.wsp --wsp x.wsp --json").exits(2);
    dag("plain.wsp --wsp copy.wsp")
        .succeeds()
        .says("plain.wsp holds no task dag");
    let (copy, none) = wsp::read_with_dag(&folder.path().join("copy.wsp")).unwrap();
    assert!(copy == example::quicksort() && none.is_none());
    dag("plain.wsp --wsp x.wsp --fold 5").exits(4);
    dag("--help")
        .succeeds()
        .shows("workspan dag app.wsp --fold 60 --dot | dot -Tsvg >app.svg");
}
