//! `workspan calibrate` and `--burden measured`.
//!
//! This is a test binary of its own, since measurements need two cores that no build keeps busy.

mod processors;
#[path = "../cli/project.rs"]
#[allow(dead_code, reason = "shared with the tests of the other commands")]
mod project;
#[path = "../../../../tests/skip.rs"]
mod skip;
#[path = "../cli/stand_in.rs"]
#[allow(dead_code, reason = "shared with the tests of the other commands")]
mod stand_in;

use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::processors::Processors;
use crate::project::{Ran, command, read_json};
use crate::stand_in::StandIn;

/// A program that writes the burden that it is given to its profile.
fn burden_recorder() -> StandIn {
    StandIn::new("burden=${WORKSPAN_BURDEN%ns}")
}

const RUN: &str = "run --full --burden measured --json out.json -o out.wsp -- sh program";

/// Runs `workspan LINE` in the folder of the program, with its own cache folder.
fn run_in_folder(program: &StandIn, line: &str) -> Ran {
    let cache = program.folder().join("cache");
    Ran::new(command(program.folder(), line).env("XDG_CACHE_HOME", cache))
}

/// Runs a line that measures. `None` if other programs kept the processors busy every time. Asserts
/// that the command refuses to measure only then.
fn run_measuring(program: &StandIn, line: &str) -> Option<Ran> {
    for _ in 0..3 {
        let before = Processors::now();
        let ran = run_in_folder(program, line);
        if !ran.stderr.contains("the machine is too busy to measure") {
            return Some(ran);
        }
        let others = before.others_since();
        assert!(
            others > 0.2,
            "others had {others} of the processors: {ran:#?}"
        );
    }
    skip::skip(
        "quiet-processors",
        "others kept the processors busy in each of three measurements",
    );
    None
}

/// Makes measurements run one at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn costs_are_measured_shown_and_kept() {
    let _alone = alone();
    let program = burden_recorder();
    let kept = program.folder().join("cache/workspan/machine-costs.json");
    let Some(ran) = run_measuring(&program, "calibrate --json") else {
        return;
    };
    ran.succeeds()
        .says("measuring steals")
        .says(&format!("costs kept in {}", kept.display()));
    let printed = ran.json();
    assert_eq!(printed, read_json(&kept));
    let median = |name: &str| printed["costs"][name]["median"].as_f64().unwrap();
    // A join that is not stolen is far cheaper than a steal, and a wake-up is even more expensive.
    assert!(
        median("join") > 0.5 && median("join") < median("steal"),
        "{printed}"
    );
    assert!(median("steal") < median("wake_up"), "{printed}");
    assert!(median("wake_up") < 5e6, "{printed}");
    for (_, cost) in printed["costs"].as_object().unwrap() {
        assert!(cost["lower"].as_f64() <= cost["median"].as_f64(), "{cost}");
        assert!(cost["median"].as_f64() <= cost["upper"].as_f64(), "{cost}");
        assert!(cost["samples"].as_u64() >= Some(20), "{cost}");
    }

    // Known costs are used without measuring again.
    let mut known = printed;
    known["costs"]["steal"]["median"] = 3_000.0.into();
    known["costs"]["hand_back"]["median"] = 500.0.into();
    fs::write(&kept, known.to_string()).unwrap();
    run_in_folder(&program, RUN)
        .succeeds()
        .does_not_say("measuring")
        .says("3.50 µs to move a task to another core: measured on this")
        .says("a steal 3.00 µs, the way back 500 ns");
    let json = read_json(&program.folder().join("out.json"));
    assert_eq!(json["program"]["burden_ns"], 3_500);
    assert_eq!(json["program"]["burden_source"], "measured");
    assert_eq!(json["machine"]["costs"]["steal_ns"]["median"], 3_000.0);
    run_in_folder(&program, "report out.wsp --full").shows("a steal 3.00 µs");

    // Costs of another machine are not used.
    known["machine"]["cores"] = 4_711.into();
    fs::write(&kept, known.to_string()).unwrap();
    let Some(ran) = run_measuring(&program, RUN) else {
        return;
    };
    ran.succeeds()
        .says("--burden measured: what is kept is of another machine")
        .says("measuring steals");
    assert_ne!(read_json(&kept)["machine"]["cores"], 4_711);
}

#[test]
#[ignore = "judges time: ci/full timed"]
fn measuring_is_announced_and_costs_are_shown_as_a_table() {
    let _alone = alone();
    let program = burden_recorder();
    let Some(ran) = run_measuring(&program, RUN) else {
        return;
    };
    ran.succeeds()
        .says("nothing was measured on this machine yet; measuring");
    run_in_folder(&program, RUN)
        .succeeds()
        .does_not_say("measuring");
    let Some(ran) = run_measuring(&program, "calibrate") else {
        return;
    };
    for name in [
        "Steal",
        "Hand-back",
        "Wake-up",
        "Join",
        "Spawn",
        "Scope",
        "quartiles",
    ] {
        ran.succeeds().shows(name);
    }
}

#[test]
fn other_burdens_say_where_they_come_from() {
    let program = burden_recorder();
    let run = |burden: &str| program.run(&format!("--full --burden {burden}"));
    run("6250ns")
        .succeeds()
        .says("6.25 µs to move a task to another core: given by --burden");
    StandIn::new("")
        .run("--full")
        .succeeds()
        .says("Cilkview's figure, 15,000");
    run("measure").exits(2).says("or `measured`");
}
