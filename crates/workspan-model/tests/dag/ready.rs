//! What the page says of a change is what what-if says of it.

use workspan_model::{
    Code, Execution, Goal, Nanos, ReadySource, SchedulingCosts, advise, analyse_with_dag, example,
    ready_changes, what_if,
};

#[test]
fn suggested_changes_have_the_effect_that_what_if_finds() {
    let (profile, dag) = (example::quicksort(), example::quicksort_dag());
    let code = Code::new(&profile, &dag);
    let (costs, _) = SchedulingCosts::from_run(&profile.run);
    let execution = Execution::new(&profile, &dag, &costs, &[2, 64]);
    let findings = analyse_with_dag(&profile, Some(&dag)).findings;
    let goal = Goal {
        target: 1_000.0,
        factor: 4.0,
        least_strand: Nanos::from_nanos(1_000),
        locked: execution.locked,
    };
    let ready = ready_changes(&dag, &code, &findings, goal, execution).unwrap();
    assert_eq!(ready.last().unwrap().source, ReadySource::Advice);
    assert!(ready.len() > 1);
    for change in ready {
        let changes = match change.source {
            ReadySource::Finding(index) => vec![findings[index].change.clone().unwrap()],
            ReadySource::Advice => advise(&dag, &code, goal).changes(&code),
        };
        assert_eq!(change.what_if, what_if(&dag, &code, &changes, execution));
    }
}
