//! Where advice ends.

use workspan_model::{AdviceEnd, Code, Goal, Nanos, Work, advise, example};

use crate::random_dag::Statement::Folded;
use crate::random_dag::dag_of;

/// 21 strands of 100 ticks on average are divided by 2 and no further, however long their path is.
#[test]
fn strands_of_folded_code_stay_long_enough_for_tasks() {
    let dag = dag_of(&[Folded(2100, 1000, 10)]);
    let code = Code::new(&example::quicksort(), &dag);
    let goal = Goal {
        target: 1000.0,
        factor: 2.0,
        least_strand: Nanos::from_nanos(40),
        locked: Work::ZERO,
    };
    let advice = advise(&dag, &code, goal);
    let end = AdviceEnd::TooShort {
        longest: Nanos::from_nanos(50),
    };
    assert_eq!((advice.steps.len(), advice.end), (1, end));
    assert_eq!(advice.advised[0].factor, 2.0);
}
