//! What an instance costs the engine as call sites and depth grow: Cilkprof's Theorem 6 promises amortised constant time.
//!
//! Serial instances under a virtual clock, so that only the engine's own time is seen. With `broad`, N sites are entered
//! one after another from one place; with `deep`, each inside the one before. Both are repeated until a million
//! instances have ended. Prints nanoseconds an instance.

use std::process::ExitCode;
use std::time::Instant;

use workspan_rt::clock::{self, Clock};
use workspan_rt::region;
use workspan_rt::session::{self, Config};

const INSTANCES: usize = 1_000_000;

fn nanos_an_instance(sites: usize, deep: bool) -> f64 {
    session::start(Config {
        clock: Clock::Virtual,
        instances: 0,
        ..Config::default()
    });
    let names: Vec<String> = (0..sites).map(|site| format!("site {site}")).collect();
    let mut open = Vec::with_capacity(sites);
    let rounds = (INSTANCES / sites).max(1);
    let begin = Instant::now();
    for _ in 0..rounds {
        for name in &names {
            open.push(region::begin(name, ("sites", 1, 1)));
            clock::advance(10);
            if !deep {
                region::end(open.pop().unwrap_or(0));
            }
        }
        while let Some(token) = open.pop() {
            region::end(token);
        }
    }
    let nanos = begin.elapsed().as_nanos() as f64;
    session::finish();
    nanos / (rounds * sites) as f64
}

fn main() -> ExitCode {
    let numbers = [10, 1_000, 100_000];
    let mut failed = false;
    for (name, deep) in [("broad", false), ("deep", true)] {
        let costs = numbers.map(|sites| {
            let mut costs = [(); 3].map(|()| nanos_an_instance(sites, deep));
            costs.sort_by(f64::total_cmp);
            // What else runs only adds.
            costs[0]
        });
        // The tables no longer fit the caches: that is worth some factor, but neither N nor its square.
        let growth = costs[2] / costs[0];
        let ok = growth <= 10.0;
        failed |= !ok;
        println!(
            "{name:<6} {:>8.0} ns at 10 sites {:>8.0} at 1,000 {:>8.0} at 100,000   goal: <= 10 x, 10,000 times the sites   {growth:>5.1} x   {}",
            costs[0],
            costs[1],
            costs[2],
            if ok { "ok" } else { "MISSED" }
        );
    }
    if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
