//! The goals, and whether they are met.

use workspan_overhead::geometric_mean;

use crate::comparison::{Comparison, OneWorker};

/// The ratio of `fib` with default timing.
const FIB: f64 = 2.0;

/// The ratio of `fib` with exact timing: three readings of a clock of 18 ns beside a join of 15 ns
/// leave a floor of 4.6.
const FIB_EXACT: f64 = 5.5;

/// The ratio of any other program.
const WORST: f64 = 1.3;

/// The geometric mean of all ratios.
const MEAN: f64 = 1.05;

/// Milliseconds that profiling adds to a start and an exit.
const START_UP: f64 = 5.0;

/// How many times a plain run's memory a profiled run may use, and how many MiB on top.
const MEMORY: (f64, f64) = (1.05, 16.0);

/// Percents that the work of a run on one worker may be off the plain run's time.
const WORK: f64 = 3.0;

/// The same for `fib`.
const FIB_WORK: f64 = 15.0;

/// The geometric mean that `docs/overhead.md` reads.
const KNOWN_MEAN: f64 = 1.18;

/// How many times what is accepted a figure may be before `--check` fails. Accepted is the goal, or what is known to
/// miss it. `--short` leaves room, since its runs are short and few.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    ratio: f64,
    start_up: f64,
    memory: f64,
    work: f64,
}

impl Room {
    pub(crate) const NONE: Room = Room {
        ratio: 1.0,
        start_up: 1.0,
        memory: 1.0,
        work: 1.0,
    };

    /// Work is read from three pairs of short runs, whose speed may differ by a third.
    pub(crate) const SHORT: Room = Room {
        ratio: 1.5,
        start_up: 4.0,
        memory: 1.5,
        work: 13.0,
    };
}

/// One goal with the figure that was measured.
#[derive(Debug)]
pub(crate) struct Goal {
    pub(crate) what: String,
    /// What others published.
    pub(crate) published: &'static str,
    /// What the figure may be at most.
    pub(crate) goal: f64,
    pub(crate) figure: f64,
    /// Behind both.
    pub(crate) unit: &'static str,
    /// How many times what is accepted of it the figure is, of the program for which that is most.
    beyond: f64,
    room: f64,
}

impl Goal {
    pub(crate) fn is_met(&self) -> bool {
        self.figure <= self.goal
    }

    pub(crate) fn is_met_with_room(&self) -> bool {
        self.is_met() || (self.room > 1.0 && self.beyond <= self.room)
    }
}

/// The goal for the ratio of a program.
pub(crate) fn ratio_goal(comparison: &Comparison) -> f64 {
    use workspan_overhead::Timing;
    match (comparison.program.is_fib(), comparison.program.timing) {
        (true, Timing::Default) => FIB,
        (true, Timing::Exact) => FIB_EXACT,
        (false, _) => WORST,
    }
}

/// Whether a program's ratio is more than is accepted of it, room included.
pub(crate) fn is_beyond(comparison: &Comparison, room: Room) -> bool {
    comparison.ratio() > accepted_ratio(comparison) * room.ratio
}

/// The ratio that is accepted of a program.
fn accepted_ratio(comparison: &Comparison) -> f64 {
    comparison
        .program
        .known
        .ratio
        .unwrap_or(ratio_goal(comparison))
}

/// The greatest of `values`; 0 without any.
fn greatest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

/// The goal for a program's work, in percents that it may be off.
pub(crate) fn work_goal(one_worker: &OneWorker) -> f64 {
    if one_worker.program.is_fib() {
        FIB_WORK
    } else {
        WORK
    }
}

/// The goals for the suite's runs on all threads.
pub(crate) fn ratio_goals(suite: &[Comparison], room: Room) -> Vec<Goal> {
    use workspan_overhead::Timing;
    let goal = |what: String, published, goal, figure, beyond| Goal {
        what,
        published,
        goal,
        figure,
        unit: "",
        beyond,
        room: room.ratio,
    };
    let beyond = |comparison: &Comparison| comparison.ratio() / accepted_ratio(comparison);
    let mut goals = Vec::new();
    let by_default = suite
        .iter()
        .filter(|comparison| comparison.program.timing == Timing::Default);
    let mean = geometric_mean(by_default.map(Comparison::ratio));
    goals.push(goal(
        "geometric mean".to_owned(),
        "Cilkprof 1.9, TaskProf 2.7, Cilkscale 1.5",
        MEAN,
        mean,
        mean / KNOWN_MEAN,
    ));
    let others = suite
        .iter()
        .filter(|comparison| !comparison.program.is_fib());
    let most = greatest(others.clone().map(beyond));
    if let Some(worst) = others.max_by(|a, b| a.ratio().total_cmp(&b.ratio())) {
        let what = format!("worst but fib: {}", worst.program.name);
        let published = "Cilkprof 6.25 (hevc)";
        goals.push(goal(what, published, WORST, worst.ratio(), most));
    }
    for fib in suite
        .iter()
        .filter(|comparison| comparison.program.is_fib())
    {
        let published = "Cilkprof 7.4, Cilkscale 6.3";
        let what = match fib.program.timing {
            Timing::Default => "fib, default timing",
            Timing::Exact => "fib, exact timing",
        };
        goals.push(goal(
            what.to_owned(),
            published,
            ratio_goal(fib),
            fib.ratio(),
            beyond(fib),
        ));
    }
    goals.extend(memory_goal(suite, room));
    goals
}

/// The program that has the most memory beyond the allowed factor.
fn memory_goal(suite: &[Comparison], room: Room) -> Option<Goal> {
    let (factor, mebibytes) = MEMORY;
    let beyond = |comparison: &Comparison| {
        let (plain, profiled) = comparison.peak_mebibytes();
        profiled - factor * plain
    };
    let worst = suite
        .iter()
        .max_by(|a, b| beyond(a).total_cmp(&beyond(b)))?;
    Some(Goal {
        what: format!("memory beyond 1.05 x plain: {}", worst.program.name),
        published: "TaskProf 1.22 x",
        goal: mebibytes,
        figure: beyond(worst),
        unit: "MiB",
        beyond: greatest(suite.iter().map(|comparison| {
            beyond(comparison) / comparison.program.known.memory.unwrap_or(mebibytes)
        })),
        room: room.memory,
    })
}

/// The goal for what profiling adds to a program that does nothing.
pub(crate) fn start_up_goal(one_join: &Comparison, room: Room) -> Goal {
    let (median, least) = one_join.added();
    Goal {
        what: format!("start and exit, median (least {:.1} ms)", least * 1e3),
        published: "",
        goal: START_UP,
        figure: median * 1e3,
        unit: "ms",
        beyond: median * 1e3 / START_UP,
        room: room.start_up,
    }
}

/// The goals for work on one worker: `fib`, and the other program that is farthest off.
pub(crate) fn work_goals(suite: &[OneWorker], room: Room) -> Vec<Goal> {
    let off = |one: &OneWorker| one.percent_off().abs();
    let beyond = |one: &OneWorker| off(one) / one.program.known.work.unwrap_or(work_goal(one));
    let goal = |one_worker: &OneWorker, beyond| Goal {
        what: format!("work on one worker, off: {}", one_worker.program.name),
        published: "",
        goal: work_goal(one_worker),
        figure: off(one_worker),
        unit: "%",
        beyond,
        room: room.work,
    };
    let others = suite.iter().filter(|one| !one.program.is_fib());
    let most = greatest(others.clone().map(beyond));
    let worst = others.max_by(|a, b| off(a).total_cmp(&off(b)));
    let fib = suite.iter().find(|one| one.program.is_fib());
    let worst = worst.map(|worst| goal(worst, most));
    let fib = fib.map(|fib| goal(fib, beyond(fib)));
    worst.into_iter().chain(fib).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use workspan_overhead::Usage;

    use super::*;
    use crate::programs::SUITE;

    fn comparison(index: usize, plain: u64, profiled: u64) -> Comparison {
        let usage = |milliseconds| Usage {
            elapsed: Duration::from_millis(milliseconds),
            processor: Duration::from_millis(milliseconds),
            peak_bytes: milliseconds << 20,
        };
        let mut comparison = Comparison::new(&SUITE[index], 1);
        comparison.add(usage(plain), usage(profiled));
        comparison
    }

    #[test]
    fn exact_timing_stays_out_of_the_mean_and_fib_out_of_the_worst() {
        // fib, fib exactly, quicksort, cilksort.
        let suite = [
            comparison(0, 100, 800),
            comparison(1, 100, 500),
            comparison(2, 100, 100),
            comparison(3, 100, 800),
        ];
        let goals = ratio_goals(&suite, Room::SHORT);
        let figures: Vec<(f64, bool, bool)> = goals
            .iter()
            .map(|goal| (goal.figure, goal.is_met(), goal.is_met_with_room()))
            .collect();
        assert!((figures[0].0 - 4.0).abs() < 1e-9);
        assert_eq!(goals[1].what, "worst but fib: cilksort");
        assert_eq!(figures[1], (8.0, false, false));
        assert_eq!(figures[2], (8.0, false, false));
        assert_eq!(figures[3], (5.0, true, true));
        // 800 MiB are 695 beyond 105.
        assert!((figures[4].0 - 695.0).abs() < 1e-9);
    }

    #[test]
    fn room_lets_a_missed_goal_pass_the_check() {
        let goals = ratio_goals(&[comparison(0, 100, 250)], Room::SHORT);
        let fib = &goals[1];
        assert_eq!(fib.what, "fib, default timing");
        assert!(!fib.is_met() && fib.is_met_with_room());
    }

    #[test]
    fn a_known_miss_hides_no_other_program() {
        let known = SUITE.iter().position(|program| program.name == "cholesky");
        let cholesky = || comparison(known.expect("in the suite"), 100, 220);
        let quicksort = |profiled| comparison(2, 100, profiled);
        let passes = |suite: &[Comparison]| ratio_goals(suite, Room::SHORT)[1].is_met_with_room();
        assert!(passes(&[cholesky(), quicksort(190)]));
        assert!(!passes(&[cholesky(), quicksort(210)]));
    }

    #[test]
    fn work_may_be_off_both_ways() {
        let off = |index: usize, work| OneWorker {
            program: &SUITE[index],
            pairs: vec![(1.0, work)],
        };
        let goals = work_goals(&[off(0, 1.1), off(2, 0.9), off(3, 1.05)], Room::NONE);
        assert_eq!(goals[0].what, "work on one worker, off: quicksort");
        assert!((goals[0].figure - 10.0).abs() < 1e-9 && !goals[0].is_met());
        assert!(goals[1].is_met());
    }
}
