//! Checks the whole chain from the engine to the model against the oracle, on random programs.
//!
//! Boundaries have a cost under the virtual clock ([`programs::cost`]), and the engine must subtract exactly
//! that. With exact timing every figure is exact. If tiny tasks are timed as a whole, counts are
//! exact, and other figures are within bounds that follow from the program ([`estimates`]); the
//! span is in the interval that the profile reports, which is no wider than necessary.
//!
//! `WORKSPAN_ORACLE_PROGRAMS=N` tries N programs instead of 3,000, and `WORKSPAN_ORACLE_SEED=S`
//! starts at seed S instead of 0. With optimisation ten times as many take the same time.

mod estimates;
#[allow(dead_code, reason = "it serves other tests, too")]
#[path = "../programs/mod.rs"]
mod programs;
mod record;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use estimates::{Estimates, Timed};
use programs::cost;
use programs::interpreter::{Pools, is_sampled, run_program, sample};
use programs::profile::{self, Profiled};
use workspan_rt::Recording;
use workspan_rt::clock::Clock;
use workspan_rt::session::{self, Burden, Config, VirtualCost};
use workspan_testkit::{
    Block, Construct, Dag, Frequencies, MOST_TICKS, NodeKey, Random, Setting, Shape, Site,
    Statement, figures, generate, shrink, work_and_span_of, write_block,
};

/// Threads of the global pool.
const GLOBAL: usize = 4;
/// Threads of the pools that programs are installed in. Most have more threads than the machine has
/// cores, so that schedules vary.
const INSTALLED: [usize; 4] = [1, 2, 4, 8];
/// Threads of the other pools that programs name.
const OTHERS: [usize; 2] = [1, 3];

/// How a program is measured.
#[derive(Clone, Copy, Debug)]
struct Timing {
    burden: u64,
    /// Branches expected to be shorter are timed as a whole; 0 for none.
    grain: i64,
    /// Subtrees of less work are folded in the record of the dag; `None` without a record.
    recorded: Option<i64>,
    /// A sample is taken after one in this many pieces of work; 0 for none.
    sampled: u64,
    /// What the engine costs.
    cost: VirtualCost,
}

/// A pool setting, and whether the program is installed in its pool 1.
struct Place {
    setting: Setting,
    pools: &'static Pools,
    installed: bool,
}

fn places() -> Vec<Place> {
    workspan_rayon::ThreadPoolBuilder::new()
        .num_threads(GLOBAL)
        .stack_size(16 << 20)
        .build_global()
        .expect("this test has the process to itself");
    let mut places: Vec<Place> = INSTALLED
        .iter()
        .map(|&threads| {
            let mut pools = vec![GLOBAL, threads];
            pools.extend(OTHERS);
            let setting = Setting { pools };
            Place {
                pools: Pools::build(&setting, true),
                setting,
                installed: true,
            }
        })
        .collect();
    places.push(Place {
        setting: places[1].setting.clone(),
        pools: places[1].pools,
        installed: false,
    });
    places
}

impl Place {
    /// The program as it is run here: its end waits for detached tasks. After that each thread must
    /// run one more task, so that none is still in the engine's code at the end of a detached one.
    fn placed(&self, program: &Block) -> Block {
        let body = vec![Statement::Catch {
            body: program.clone(),
        }];
        let mut placed = if self.installed {
            vec![Statement::Install { pool: 1, body }]
        } else {
            body
        };
        if has_detached(program) {
            placed.push(Statement::AwaitDetached);
            let pools = self.setting.pools.len();
            placed.extend(
                std::iter::once(None)
                    .chain((1..pools).map(Some))
                    .map(|pool| Statement::Broadcast {
                        site: Site {
                            construct: Construct::Broadcast,
                            index: 0,
                        },
                        pool,
                        ticks: 1,
                        panics: false,
                    }),
            );
        }
        placed
    }

    /// Runs the program. Returns its profile, or how that departs from the oracle's figures.
    fn compare(&self, program: &Block, timing: Timing) -> Result<Profiled, Vec<String>> {
        let placed = self.placed(program);
        let dag = Dag::of(&placed, &self.setting);
        let mut found = self.profile(&placed, timing).map_err(|error| vec![error])?;
        let mut differences = wrong_samples(&found, &dag, timing);
        // At the end of a session the clock is read twice, and nothing is subtracted: an excess of
        // the last strand that does not grow with the program.
        let mut measured = placed;
        measured.push(Statement::Work(2 * timing.cost.reading as u64));
        let dag = Dag::of(&measured, &self.setting);
        let expected = figures(&dag, timing.burden);
        let timed = Timed {
            grain: timing.grain,
            cost: timing.cost,
        };
        let estimates = (timing.grain > 0).then(|| Estimates::new(&dag, timed));
        if let Some(estimates) =
            estimates.filter(|estimates| estimates.are_any() || estimates.any_interrupted())
        {
            let width = estimates.width();
            if found.open > width {
                differences.push(format!("the span is open by {}, not {width}", found.open));
            }
            estimates.settle(&mut found.figures, &expected, found.open);
        } else if found.open != 0 {
            differences.push(format!("the span is open by {}, not at all", found.open));
        }
        differences.extend(found.figures.differences(&expected));
        if differences.is_empty() {
            Ok(found)
        } else {
            Err(differences)
        }
    }

    fn profile(&self, placed: &Block, timing: Timing) -> Result<Profiled, String> {
        session::start(Config {
            clock: Clock::Virtual,
            burden: Burden::Cycles(timing.burden as i64),
            grain: timing.grain,
            // Programs are small.
            measured_forks: 8,
            sample_rate: u32::from(timing.sampled > 0),
            recording: timing.recorded.map(|grain| Recording {
                path: record::path(),
                grain,
                most_bytes: Recording::MOST_BYTES,
            }),
            virtual_cost: timing.cost,
            ..Config::default()
        });
        sample(timing.sampled);
        cost::set(timing.cost, false);
        run_program(placed, self.pools);
        let text = session::finish().ok_or("the session gave no profile")?;
        let profiled = profile::profiled(&text)?;
        if let Some(grain) = timing.recorded {
            record::compare(&text, grain, timing.grain > 0)?;
        }
        Ok(profiled)
    }
}

/// The nodes whose samples are wrong. Each sample weighs as much as the work before it.
fn wrong_samples(found: &Profiled, dag: &Dag, timing: Timing) -> Vec<String> {
    let expected = work_and_span_of(dag, |ticks| is_sampled(ticks, timing.sampled));
    let nodes: BTreeSet<&NodeKey> = expected.keys().chain(found.samples.keys()).collect();
    let mut wrong = Vec::new();
    for node in nodes {
        let (on_work, on_span) = found.samples.get(node).copied().unwrap_or_default();
        let (work, span) = expected.get(node).copied().unwrap_or_default();
        // On the span they are estimated if strands are not timed one by one.
        if on_work != work as f64 || (timing.grain == 0 && on_span != span as f64) {
            wrong.push(format!(
                "samples at {node:?}\n    found    {on_work} on the work, {on_span} on the span\n    \
                 expected {work} and {span}"
            ));
        }
    }
    wrong
}

fn has_detached(block: &Block) -> bool {
    block.iter().any(|statement| {
        matches!(statement, Statement::Detached { .. }) || statement.bodies().any(has_detached)
    })
}

/// The value of an environment variable, or a default.
fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{variable} must be a number, not {text:?}"))
    })
}

#[test]
fn profiles_are_exact() {
    let programs = number("WORKSPAN_ORACLE_PROGRAMS", 3_000);
    let first_seed = number("WORKSPAN_ORACLE_SEED", 0);
    // A deep program needs more stack than a thread of the test harness has.
    let tried = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(move || try_programs(first_seed..first_seed + programs))
        .expect("a thread can be started")
        .join();
    if let Err(payload) = tried {
        std::panic::resume_unwind(payload);
    }
}

fn try_programs(seeds: std::ops::Range<u64>) {
    let places = places();
    let begin = Instant::now();
    let mut runs = 0;
    let mut strands = 0;
    let mut stolen = 0;
    let mut stretches = 0;
    for seed in seeds.clone() {
        let mut random = Random::new(seed);
        let mut shape = Shape::random(&mut random, 2 + OTHERS.len());
        if seed % 5 == 1 {
            // Only recursions of tiny tasks.
            shape.frequencies = Frequencies {
                work: 1,
                tree: 1,
                ..Frequencies::default()
            };
        }
        let program = generate(&mut random, &shape);
        let burden = random.bits() >> (24 + random.below(30));
        let grain = 1 << random.below(MOST_TICKS.ilog2() as usize + 4);
        let record_grain = 1 << random.below(MOST_TICKS.ilog2() as usize + 6);
        let cost = cost_for(&mut random, seed);
        let timings = [
            (0, None),
            (grain, Some(record_grain).filter(|_| seed % 2 == 0)),
            (0, Some(0)),
            (0, Some(record_grain)),
        ];
        // On one thread, then on several or from outside the pools.
        let several = 1 + (seed % (places.len() as u64 - 1)) as usize;
        for place in [&places[0], &places[several]] {
            for (grain, recorded) in timings {
                let timing = Timing {
                    burden,
                    grain,
                    recorded,
                    sampled: seed % 4,
                    cost,
                };
                match place.compare(&program, timing) {
                    Ok(profiled) => {
                        stolen += profiled.stolen;
                        stretches += profiled.stretches;
                    }
                    Err(differences) => {
                        panic!("{}", failure(place, seed, &program, timing, &differences))
                    }
                }
                runs += 1;
            }
        }
        strands += Dag::of(&program, &places[0].setting)
            .vertices
            .iter()
            .filter(|vertex| vertex.weight > 0)
            .count();
    }
    let count = seeds.end - seeds.start;
    let _ = std::fs::remove_file(record::path());
    println!(
        "{count} programs of {} strands on average, {runs} runs, {stolen} tasks stolen, {stretches} \
         stretches, all exact or within their bounds, in {:.1} s",
        strands as u64 / count,
        begin.elapsed().as_secs_f64()
    );
}

/// The engine's cost: nothing, or up to twice the longest of the short strands.
fn cost_for(random: &mut Random, seed: u64) -> VirtualCost {
    if seed.is_multiple_of(3) {
        return VirtualCost::default();
    }
    let mut up_to = |most: u64| 1 + (random.bits() % most) as i64;
    let boundary = up_to(MOST_TICKS >> 15);
    VirtualCost {
        reading: up_to(MOST_TICKS >> 17),
        boundary,
        spawn: up_to(MOST_TICKS >> 15),
        is_measured: false,
    }
}

fn failure(
    place: &Place,
    seed: u64,
    program: &Block,
    timing: Timing,
    differences: &[String],
) -> String {
    // A program that fails only under some schedules may need several attempts to fail again.
    let deadline = Instant::now() + Duration::from_secs(20);
    let fails = |program: &Block| {
        (0..20).any(|_| Instant::now() < deadline && place.compare(program, timing).is_err())
    };
    let smallest = shrink(program, 2_000, fails);
    let smallest_differences = (0..100)
        .find_map(|_| place.compare(&smallest, timing).err())
        .unwrap_or_default();
    let mut text = format!(
        "seed {seed}, {timing:?}, {:?}, installed: {}\n",
        place.setting, place.installed
    );
    let mut section = |title: &str, program: &Block, differences: &[String]| {
        text.push_str(title);
        text.push('\n');
        write_block(&mut text, program, 1).expect("a string takes any text");
        for difference in differences {
            text.push_str(difference);
            text.push('\n');
        }
    };
    section("the program", program, differences);
    section(
        "shrunk, as far as it fails again",
        &smallest,
        &smallest_differences,
    );
    text
}
