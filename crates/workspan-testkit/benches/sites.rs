//! What an instance costs the engine as call sites and depth grow: Cilkprof's Theorem 6 promises
//! amortised constant time.
//!
//! Serial instances under a virtual clock, so that only the engine's own time is measured. In
//! `broad`, N sites are entered one after another from one place; in `deep`, each inside the
//! previous one. Both are repeated until a million instances have ended. Prints how many times as much
//! an instance costs with many sites, in each turn, for `xtask growth`.

use std::time::Instant;

use workspan_rt::clock::{self, Clock};
use workspan_rt::region;
use workspan_rt::session::{self, Config};

const INSTANCES: usize = 1_000_000;
const TURNS: usize = 5;
const SITES: [usize; 2] = [10, 100_000];

fn nanos_per_instance(sites: usize, deep: bool) -> f64 {
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

fn main() {
    for (name, deep) in [("broad", false), ("deep", true)] {
        let turns = [(); TURNS].map(|()| SITES.map(|sites| nanos_per_instance(sites, deep)));
        // Large tables no longer fit the caches, which costs some factor, but not one of N or N².
        let growth = turns.map(|[few, many]| format!("{:.3}", many / few));
        println!("{name} {}", growth.join(" "));
    }
}
