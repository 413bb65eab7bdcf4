//! How the engine is told to measure, and what is told of it.

use crate::project::{Project, workspan};
use crate::stand_in::StandIn;

#[test]
fn exact_is_told_to_the_engine_and_only_if_asked_for() {
    let program = StandIn::new("echo \"timing ${WORKSPAN_TIMING-not told}\"");
    program
        .run(&["--exact"])
        .succeeds()
        .prints("timing exact\n");
    program.run(&[]).succeeds().prints("timing not told\n");
}

#[test]
fn a_span_that_is_left_open_is_told_with_its_interval() {
    let program = StandIn::new(
        "header='timing shared\nspan_open_ticks 100000\nburdened_span_open_ticks 100\nshared_ticks 250000'",
    );
    program
        .run(&["-o", "open.wsp"])
        .succeeds()
        .says("300 … 500 µs, longest dependent chain")
        .says("2.00 … 3.33, work / span")
        .says("25.0% of the work")
        .says("--exact narrows");
    let again = workspan(program.folder(), &["report", "open.wsp", "--json", "-"]);
    assert!(
        again.succeeds().stdout.contains("\"upper_ns\": 500000"),
        "{}",
        again.stdout
    );
}

#[test]
fn what_the_engine_cost_is_told_if_asked_for() {
    let program = StandIn::new(
        "header='engine boundaries 30\nengine clock_reads 15\nengine something_new 3'",
    );
    program
        .run(&["-o", "kept.wsp"])
        .succeeds()
        .does_not_say("What the engine cost");
    let told = program.run(&["--self"]);
    told.says("What the engine cost").says("5.00% of the work");
    let again = workspan(program.folder(), &["report", "kept.wsp", "--self"]);
    for text in [
        "Boundaries per task             3.00",
        "Clock readings per boundary     0.50",
        "something_new                      3",
    ] {
        assert!(again.stdout.contains(text), "{text} in {}", again.stdout);
        told.says(text);
    }
    assert_eq!(program.profile(&[])["engine"]["counts"]["boundaries"], 30);
}

#[test]
fn both_reach_a_program_that_cargo_builds() {
    let project = Project::new("measuring_built");
    project.main("measuring_built::fib(10);").lock();
    project
        .run(&["run", "--exact", "--self"])
        .succeeds()
        .says("read at every boundary")
        .says("What the engine cost");
}
