//! `workspan calibrate` and `--burden measured`, apart from the other tests: what is measured needs two cores that no
//! build keeps busy.

mod processors;
#[path = "../cli/project.rs"]
#[allow(dead_code, reason = "shared with the tests of the other commands")]
mod project;
#[path = "../cli/stand_in.rs"]
#[allow(dead_code, reason = "shared with the tests of the other commands")]
mod stand_in;

use std::fs;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::processors::Processors;
use crate::project::{Ran, plain, read_json};
use crate::stand_in::StandIn;

/// A program that leaves the burden that it was told of in its profile.
fn told_of_the_burden() -> StandIn {
    StandIn::new("burden=${WORKSPAN_BURDEN%ns}")
}

const RUN: [&str; 10] = [
    "run", "--burden", "measured", "--json", "out.json", "-o", "out.wsp", "--", "sh", "program",
];

/// `workspan ARGUMENTS` beside the program, with a cache folder of its own.
fn beside(program: &StandIn, arguments: &[&str]) -> Ran {
    let mut command = plain(Command::new(env!("CARGO_BIN_EXE_workspan")));
    command
        .current_dir(program.folder())
        .env("XDG_CACHE_HOME", program.folder().join("cache"))
        .args(arguments);
    Ran::of(&mut command)
}

/// The same, of what measures: `None` where others leave the processors no rest, each time. Only then may it say so.
fn measuring(program: &StandIn, arguments: &[&str]) -> Option<Ran> {
    for _ in 0..3 {
        let before = Processors::now();
        let ran = beside(program, arguments);
        if !ran.stderr.contains("the machine is too busy to measure") {
            return Some(ran);
        }
        let others = before.others_since();
        assert!(
            others > 0.2,
            "others had {others} of the processors: {ran:#?}"
        );
    }
    eprintln!("skipped: others keep the processors busy");
    None
}

/// Measurements go one after the other.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn costs_are_measured_shown_and_kept() {
    let _alone = alone();
    let program = told_of_the_burden();
    let kept = program.folder().join("cache/workspan/machine-costs.json");
    let Some(ran) = measuring(&program, &["calibrate", "--json"]) else {
        return;
    };
    ran.succeeds()
        .says("measuring steals")
        .says(&format!("costs kept in {}", kept.display()));
    let told: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(told, read_json(&kept));
    let median = |name: &str| told["costs"][name]["median"].as_f64().unwrap();
    // A join that nobody steals is far cheaper than one that moves, and waking is dearer still.
    assert!(
        median("join") > 0.5 && median("join") < median("steal"),
        "{told}"
    );
    assert!(median("steal") < median("wake_up"), "{told}");
    assert!(median("wake_up") < 5e6, "{told}");
    for (_, cost) in told["costs"].as_object().unwrap() {
        assert!(cost["lower"].as_f64() <= cost["median"].as_f64(), "{cost}");
        assert!(cost["median"].as_f64() <= cost["upper"].as_f64(), "{cost}");
        assert!(cost["samples"].as_u64() >= Some(20), "{cost}");
    }

    // Known costs are used as they are.
    let mut known = told;
    known["costs"]["steal"]["median"] = 3_000.0.into();
    known["costs"]["hand_back"]["median"] = 500.0.into();
    fs::write(&kept, known.to_string()).unwrap();
    beside(&program, &RUN)
        .succeeds()
        .does_not_say("measuring")
        .says("3.50 µs to move a task to another core: measured on this")
        .says("a steal 3.00 µs, the way back 500 ns");
    let json = read_json(&program.folder().join("out.json"));
    assert_eq!(json["program"]["burden_ns"], 3_500);
    assert_eq!(json["program"]["burden_source"], "measured");
    assert_eq!(json["machine"]["costs"]["steal_ns"]["median"], 3_000.0);
    let again = beside(&program, &["report", "out.wsp"]);
    assert!(again.stdout.contains("a steal 3.00 µs"), "{}", again.stdout);

    // Those of another machine are not.
    known["machine"]["cores"] = 4_711.into();
    fs::write(&kept, known.to_string()).unwrap();
    let Some(ran) = measuring(&program, &RUN) else {
        return;
    };
    ran.succeeds()
        .says("--burden measured: what is kept is of another machine")
        .says("measuring steals");
    assert_ne!(read_json(&kept)["machine"]["cores"], 4_711);
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn what_is_to_be_measured_first_is_said_and_shown_as_a_table() {
    let _alone = alone();
    let program = told_of_the_burden();
    let Some(ran) = measuring(&program, &RUN) else {
        return;
    };
    ran.succeeds()
        .says("nothing was measured on this machine yet; measuring");
    beside(&program, &RUN).succeeds().does_not_say("measuring");
    let Some(ran) = measuring(&program, &["calibrate"]) else {
        return;
    };
    let table = ran.succeeds().stdout.clone();
    for name in [
        "Steal",
        "Hand-back",
        "Wake-up",
        "Join",
        "Spawn",
        "Scope",
        "quartiles",
    ] {
        assert!(table.contains(name), "{name} in {table}");
    }
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn other_burdens_say_where_they_come_from() {
    let program = told_of_the_burden();
    let run = |burden: &[&str]| program.run(burden);
    run(&["--burden", "6250ns"])
        .succeeds()
        .says("6.25 µs to move a task to another core: given by --burden");
    StandIn::new("")
        .run(&[])
        .succeeds()
        .says("Cilkview's figure, 15,000");
    run(&["--burden", "measure"]).exits(2).says("or `measured`");
}
