//! The costs of rayon's constructs alone, on a pool of one worker, where nothing is stolen.

use std::hint::black_box;
use std::time::Instant;

use workspan_model::Cost;

const ROUNDS: usize = 400;
const OPERATIONS: u32 = 200;

/// The cost of a join, for each round.
pub(super) fn joins() -> Vec<Cost> {
    per_operation(|| {
        for _ in 0..OPERATIONS {
            rayon::join(|| black_box(()), || black_box(()));
        }
    })
}

/// The cost of an empty scope, for each round.
pub(super) fn scopes() -> Vec<Cost> {
    per_operation(|| {
        for _ in 0..OPERATIONS {
            rayon::scope(|scope| _ = black_box(scope));
        }
    })
}

/// The cost of a spawned task, for each round. It includes a two-hundredth of the scope around
/// them.
pub(super) fn spawns() -> Vec<Cost> {
    per_operation(|| {
        rayon::scope(|scope| {
            for _ in 0..OPERATIONS {
                scope.spawn(|_| black_box(()));
            }
        });
    })
}

fn per_operation(round: impl Fn()) -> Vec<Cost> {
    let timed = || {
        let start = Instant::now();
        round();
        Cost::from_nanos(start.elapsed().as_nanos() as f64 / f64::from(OPERATIONS))
    };
    (0..ROUNDS).map(|_| timed()).collect()
}
