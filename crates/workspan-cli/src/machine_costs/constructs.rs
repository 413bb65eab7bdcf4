//! What rayon's constructs cost by themselves: on a pool of one, where nobody steals.

use std::hint::black_box;
use std::time::Instant;

use workspan_model::Cost;

const ROUNDS: usize = 400;
const OPERATIONS: u32 = 200;

/// Of one join, in each round.
pub(super) fn joins() -> Vec<Cost> {
    per_operation(|| {
        for _ in 0..OPERATIONS {
            rayon::join(|| black_box(()), || black_box(()));
        }
    })
}

/// Of one empty scope, in each round.
pub(super) fn scopes() -> Vec<Cost> {
    per_operation(|| {
        for _ in 0..OPERATIONS {
            rayon::scope(|scope| _ = black_box(scope));
        }
    })
}

/// Of one spawned task, in each round. Its share of the scope around all of them is a two-hundredth.
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
