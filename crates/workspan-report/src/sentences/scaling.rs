//! The results of a sweep as sentences.

use workspan_model::{
    Bandwidth, BandwidthVerdict, Condition, Curvature, Exit, Factored, FactoredPoint, FailedRuns,
    Imbalance, LostTo, MissingProcessors, Nanos, Pinning, ScalingPoint, SlowdownCause, Sweep,
};

use super::template::{filled, said, words};
use crate::notation::figures::{counted, duration, percent, range, ratio};

/// A number of threads.
pub(crate) fn threads(threads: u32) -> String {
    counted(threads.into(), "thread", "threads")
}

/// That a point is below the lower bound, and what remains as the cause.
pub(crate) fn below_lower(point: &ScalingPoint, causes: &[SlowdownCause]) -> String {
    let start = said!(
        "below",
        "start",
        threads = threads(point.threads),
        speedup = ratio(point.speedup.map_or(0.0, |speedup| speedup.value)),
        lower = ratio(point.bounds.map_or(0.0, |bounds| bounds.lower)),
    );
    let name = match causes {
        [SlowdownCause::SharedCores] => "shared_cores",
        [SlowdownCause::TakenProcessors] => "taken_processors",
        [_] => "one",
        causes if causes.contains(&SlowdownCause::Waiting) => "slept",
        _ => "several",
    };
    let causes = causes.iter().map(|cause| words("cause", cause.name()));
    let causes: Vec<&str> = causes.collect();
    let (last, others) = causes.split_last().unwrap_or((&"", &[]));
    said!(
        "below",
        name,
        start = start,
        taken = ratio(point.lacked.map_or(0.0, |lacked| lacked.processors.value)),
        others = others.join(", "),
        last = last,
    )
}

/// On which numbers of threads time counts as work though no processor ran it; `None` if on none.
pub(crate) fn blocked(factored: &Factored) -> Option<String> {
    let shares: Vec<String> = factored
        .points
        .iter()
        .filter_map(|point| {
            let share = percent(point.blocked?);
            Some(format!("{share} on {}", threads(point.threads)))
        })
        .collect();
    (!shares.is_empty()).then(|| said!("sweep", "blocked", shares = shares.join(", ")))
}

/// The processors that runs lacked, if that is significant; `subject` is what ran.
pub(crate) fn lacked(
    subject: &str,
    lacked: impl Iterator<Item = (String, Option<MissingProcessors>)>,
) -> Option<String> {
    let counts: Vec<String> = lacked
        .filter_map(|(what, lacked)| {
            let lacked = lacked.filter(MissingProcessors::is_significant)?;
            Some(format!("{} {what}", ratio(lacked.processors.value)))
        })
        .collect();
    (!counts.is_empty()).then(|| {
        said!(
            "sweep",
            "lacked",
            subject = subject,
            counts = counts.join(", ")
        )
    })
}

/// That runs are too short to mean anything; `shortest` is the time of the shortest.
pub(crate) fn too_short(shortest: Nanos) -> String {
    said!("sweep", "too_short", shortest = duration(shortest))
}

/// That a program does not use more than one processor.
pub(crate) fn serial(sweep: &Sweep) -> String {
    let source = threads_source("threads_from", sweep);
    said!(
        "sweep",
        "serial",
        source = source,
        placeholder = "{threads}"
    )
}

/// Where a program gets its number of threads from, in words of this kind.
fn threads_source(kind: &str, sweep: &Sweep) -> String {
    let mut arguments = sweep.command.iter().skip(1);
    let source = match &sweep.threads_variable {
        Some(_) => "variable",
        None if arguments.any(|word| word.contains("{threads}")) => "arguments",
        None => "processors",
    };
    filled(words(kind, source), &|_| sweep.threads_variable.clone())
}

/// What would say more about the cause; `None` if nothing is missing.
pub(crate) fn to_try(has_factored: bool, has_bandwidth: bool) -> Option<&'static str> {
    match (has_factored, has_bandwidth) {
        (_, false) => Some("--bandwidth tells whether memory is the limit."),
        (false, true) => Some("--factored tells idle time from work that took longer."),
        (true, true) => None,
    }
}

/// That runs failed.
pub(crate) fn failed(failed: &FailedRuns) -> String {
    let (Exit::Code(number) | Exit::Signal(number)) = failed.exit;
    let end = match failed.exit {
        _ if failed.timed_out => "timed_out",
        Exit::Code(_) => "code",
        Exit::Signal(_) => "signal",
    };
    said!(
        "sweep",
        if failed.runs == 1 {
            "failed_run"
        } else {
            "failed_runs"
        },
        runs = failed.runs,
        what = said!("ran", failed.kind.name(), threads = threads(failed.threads)),
        end = said!("end", end, number = number),
    )
}

/// That runs printed something else.
pub(crate) fn other_outputs(runs: u32) -> String {
    let runs = counted(runs.into(), "run", "runs");
    said!("sweep", "other_outputs", runs = runs)
}

/// What makes measurements less certain, in a sentence.
pub fn condition_sentence(condition: &Condition) -> String {
    let (name, value) = match condition {
        Condition::Busy { processors } => ("busy", ratio(*processors)),
        Condition::Stolen { processors } => ("stolen", ratio(*processors)),
        Condition::ClockVaries { governor } => ("clock_varies", governor.clone()),
        Condition::Boost => ("boost", String::new()),
        Condition::HyperThreads => ("hyper_threads", String::new()),
        Condition::Virtual => ("virtual", String::new()),
        Condition::Battery => ("battery", String::new()),
    };
    filled(words("condition", name), &|_| Some(value.clone()))
}

/// Where threads were put.
pub(crate) fn pinning(pinning: Pinning) -> &'static str {
    words("pinning", pinning.name())
}

/// How the number of threads of runs was set.
pub(crate) fn threads_setting(sweep: &Sweep) -> String {
    threads_source("threads_set", sweep)
}

/// What a gap is, and its letter in the paper.
pub(crate) fn gap(lost_to: LostTo) -> &'static str {
    words("gap", lost_to.name())
}

/// The most costly gap that runs are sure of, and its likely cause. What looks like work inflation
/// may come from missing processors, and idle time from too fine tasks.
pub(crate) fn largest_gap(factored: &Factored) -> Option<String> {
    let gap = factored.gaps.iter().find(|gap| gap.is_significant)?;
    let mut points = factored.points.iter();
    let point = points.find(|point| point.threads == gap.threads);
    let fine_tasks = point.and_then(|point| point.fine_tasks);
    let name = match gap.lost_to {
        LostTo::WorkInflation if point.is_some_and(FactoredPoint::lacked_explains_inflation) => {
            "taken_processors"
        }
        lost_to => lost_to.name(),
    };
    let value = |name: &str| match name {
        "share" => Some(percent(gap.share)),
        _ => fine_tasks.map(percent),
    };
    let words = filled(words("lost_to", name), &value);
    Some(said!(
        "sweep",
        "lost",
        threads = threads(gap.threads),
        to = words
    ))
}

/// What the shape of a curve means.
pub(crate) fn curvature(curvature: Curvature) -> &'static str {
    words("curvature", curvature.name())
}

/// What is off, and why, in runs on one number of threads whose times do not add up.
pub(crate) fn imbalance(imbalances: &[Imbalance]) -> String {
    let [first, ..] = imbalances else {
        return String::new();
    };
    let farthest = imbalances
        .iter()
        .map(|imbalance| imbalance.share)
        .max_by(|one, other| one.abs().total_cmp(&other.abs()))
        .unwrap_or_default();
    let mut all = imbalances.iter();
    let name = match imbalances {
        _ if all.all(|run| run.workers > run.threads as usize) => "workers",
        [_] => "run",
        _ => "runs",
    };
    said!(
        "imbalance",
        name,
        threads = threads(first.threads),
        workers = first.workers,
        placeholder = "{threads}",
        run = first.order,
        runs = imbalances.len(),
        share = percent(farthest.abs()),
        side = if farthest < 0.0 { "below" } else { "above" },
    )
}

/// Whether memory is the limit.
pub(crate) fn bandwidth(bandwidth: &Bandwidth) -> String {
    let mut points = bandwidth.points.iter().rev();
    let point = points.find(|point| !point.shares_cores);
    let slowdown = point.map_or_else(String::new, |point| {
        said!(
            "bandwidth",
            "slowdown",
            copies = point.copies,
            times = ratio(point.slowdown.value),
            range = range(&ratio(point.slowdown.low), &ratio(point.slowdown.high)),
        )
    });
    let (name, copies) = match bandwidth.verdict {
        BandwidthVerdict::MemoryFrom { copies } => ("memory", copies),
        BandwidthVerdict::Unsure { copies } => ("unsure", copies),
        BandwidthVerdict::WaitsFrom {
            copies,
            lacks_processors,
        } => (if lacks_processors { "taken" } else { "waits" }, copies),
        BandwidthVerdict::NoLimit { copies } => ("no_limit", copies),
        BandwidthVerdict::Unknown => ("unknown", 0),
    };
    said!("bandwidth", name, copies = copies, slowdown = slowdown)
}

/// How sure the median of `figure` is with so few runs.
pub(crate) fn few_runs(figure: &str, runs: u32, confidence: f64) -> String {
    said!(
        "sweep",
        if runs == 1 { "one_run" } else { "few_runs" },
        figure = figure,
        runs = runs,
        confidence = percent(confidence),
    )
}

/// What measuring idle time cost.
pub(crate) fn measuring(low: f64, high: f64, value: f64) -> String {
    let change = |ratio: f64| format!("{:+.1}%", (ratio - 1.0) * 100.0);
    said!(
        "sweep",
        "measuring",
        change = change(value),
        low = change(low),
        high = change(high)
    )
}

/// A time that may be negative.
pub(crate) fn signed(time: Nanos) -> String {
    if time.as_nanos() < 0 {
        format!("−{}", duration(-time))
    } else {
        duration(time)
    }
}

#[cfg(test)]
mod tests {
    use workspan_model::{BandwidthPoint, Estimate, TimeEstimate};

    use super::*;

    #[test]
    fn copies_that_may_be_slower_have_their_interval() {
        let sentence = bandwidth(&Bandwidth {
            verdict: BandwidthVerdict::Unsure { copies: 2 },
            points: vec![BandwidthPoint {
                copies: 2,
                time: TimeEstimate::from_times(&[Nanos::from_nanos(5)]).unwrap(),
                slowdown: Estimate {
                    value: 1.08,
                    low: 0.99,
                    high: 1.2,
                },
                throughput: Estimate::exactly(1.85),
                processor_growth: None,
                lacked: None,
                shares_cores: false,
            }],
        });
        assert!(
            sentence.contains(
                "cannot be told: 2 at once take 1.08 times as long as one alone (0.99 … 1.20)"
            ),
            "{sentence}"
        );
    }

    fn run(order: u32, share: f64, workers: usize) -> Imbalance {
        Imbalance {
            threads: 2,
            order,
            share,
            workers,
        }
    }

    #[test]
    fn one_run_out_of_balance_is_named_and_several_are_counted() {
        assert_eq!(
            imbalance(&[run(7, -0.02, 2)]),
            "In run 7, on 2 threads, work, scheduling and idle time are 2.00% below P · T_P: its idle time is not to be \
             trusted."
        );
        assert_eq!(
            imbalance(&[run(7, 0.02, 2), run(8, -0.03, 2)]),
            "In 2 runs on 2 threads, work, scheduling and idle time are up to 3.00% below P · T_P: their idle time is not to \
             be trusted."
        );
    }

    #[test]
    fn more_workers_than_threads_are_the_cause() {
        let sentence = imbalance(&[run(7, 1.0, 4), run(9, 1.0, 4)]);
        assert!(
            sentence.starts_with("What was to run on 2 threads had 4 workers"),
            "{sentence}"
        );
    }
}
