//! Options for how the engine measures, and the report of its own cost.

use crate::project::{Project, read_json, workspan};
use crate::stand_in::StandIn;

#[test]
fn the_engine_measures_exactly_only_if_asked_to() {
    let program = StandIn::new("echo \"timing ${WORKSPAN_TIMING-not told}\"");
    program.run("--exact").succeeds().prints("timing exact\n");
    program.run("").succeeds().prints("timing not told\n");
}

#[test]
fn an_uncertain_span_is_reported_with_its_interval() {
    let program = StandIn::new(
        "header='timing shared\nspan_open_ticks 100000\nburdened_span_open_ticks 100\nshared_ticks 250000'",
    );
    program
        .run("--full -o open.wsp")
        .succeeds()
        .says("at most 512 µs  longest chain")
        .says("at least 1.95  work / span")
        .says("25.0% of the work")
        .says("--exact narrows");
    workspan(program.folder(), "report open.wsp --json -")
        .succeeds()
        .shows("\"upper_ns\": 512000");
}

#[test]
fn the_engines_cost_is_reported_if_asked_for() {
    let program = StandIn::new(
        "header='engine boundaries 30\nengine clock_reads 15\nengine something_new 3'",
    );
    program
        .run("-o kept.wsp --json out.json")
        .succeeds()
        .does_not_say("What the engine cost");
    let report = program.run("--self");
    report
        .says("What the engine cost")
        .says("5.00% of the work");
    let again = workspan(program.folder(), "report kept.wsp --self");
    for text in [
        "Boundaries per task             3.00",
        "Clock readings per boundary     0.50",
        "something_new                      3",
    ] {
        again.shows(text);
        report.says(text);
    }
    let json = read_json(&program.folder().join("out.json"));
    assert_eq!(json["engine"]["counts"]["boundaries"], 30);
}

pub(crate) fn both_options_reach_a_program_that_cargo_builds(project: &Project) {
    project
        .run("run --exact --self")
        .succeeds()
        .says("read at every boundary")
        .says("What the engine cost");
}
