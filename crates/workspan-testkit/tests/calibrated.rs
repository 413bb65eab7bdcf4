//! The engine measures its own cost, under a virtual clock whose readings have a known cost.

use workspan_format::raw;
use workspan_rt::clock::{self, Clock};
use workspan_rt::session::{self, Config, VirtualCost};

const READING: i64 = 1000;
const STRAND: i64 = 7;
const LEVELS: u32 = 6;
const TASKS: i64 = 20;

fn joins(levels: u32) {
    clock::advance(STRAND);
    if levels > 0 {
        workspan_rayon::join(|| joins(levels - 1), || joins(levels - 1));
        clock::advance(STRAND);
    }
}

fn spawns() {
    workspan_rayon::scope(|scope| {
        for _ in 0..TASKS {
            clock::advance(STRAND);
            scope.spawn(|_| clock::advance(STRAND));
        }
    });
}

#[test]
fn a_boundary_costs_one_reading() {
    session::start(Config {
        clock: Clock::Virtual,
        // No branch is that short, so no stretch opens by itself; but the cost of a fork that leads
        // to another node within one is measured, and the engine checks that such forks were in one.
        grain: 1,
        virtual_cost: VirtualCost {
            reading: READING,
            is_measured: true,
            ..VirtualCost::default()
        },
        ..Config::default()
    });
    joins(LEVELS);
    spawns();
    let text = session::finish().expect("a session is under way");
    let profile = raw::parse(&text).expect("the engine writes what is read");
    let measured = profile.calibration;
    let boundaries = [measured.join_boundary, measured.spawn_boundary];
    assert_eq!(boundaries, [READING as f64; 2]);
    // Each measurement includes a reading of its own, which hundreds of constructs share.
    let share = READING as f64 / 200.0;
    for (found, cost) in [
        (measured.clock_read, READING as f64),
        (measured.join, 0.0),
        (measured.spawn, 0.0),
    ] {
        assert!((found - cost).abs() <= share, "{found} is not {cost}");
    }
    let work: i64 = profile.nodes.iter().map(|node| node.work.local_ticks).sum();
    let strands = (1 << (LEVELS + 1)) - 1 + (1 << LEVELS) - 1 + 2 * TASKS;
    // During calibration and at the end of the session, the engine reads the clock twice and
    // subtracts nothing.
    assert_eq!(work, strands * STRAND + 4 * READING);
}
