//! The results of a sweep as sentences.

use workspan_model::{
    Bandwidth, BandwidthVerdict, Condition, Curvature, Exit, Factored, FactoredPoint, FailedRuns,
    Imbalance, LostTo, MissingProcessors, Nanos, Pinning, RunKind, ScalingPoint, SlowdownCause,
    Sweep,
};

use super::template::{filled, words};
use crate::figures::{duration, percent, range, ratio};

/// A number of threads.
pub(crate) fn threads(threads: u32) -> String {
    match threads {
        1 => "1 thread".to_owned(),
        threads => format!("{threads} threads"),
    }
}

/// That a point is below the lower bound, and what remains as the cause.
pub(crate) fn below_lower(point: &ScalingPoint, causes: &[SlowdownCause]) -> String {
    let (speedup, lower) = (
        point.speedup.map_or(0.0, |speedup| speedup.value),
        point.bounds.map_or(0.0, |bounds| bounds.lower),
    );
    let start = format!(
        "On {} the speedup, {}, is below the lower bound of {}",
        threads(point.threads),
        ratio(speedup),
        ratio(lower),
    );
    match causes {
        [SlowdownCause::SharedCores] => {
            format!("{start}: there are more threads than cores.")
        }
        [SlowdownCause::TakenProcessors] => format!(
            "{start}, but other programs or virtual machines had {} of its processors meanwhile.",
            ratio(point.lacked.map_or(0.0, |lacked| lacked.processors.value)),
        ),
        [cause] => format!("{start}; what remains as its cause: {}.", remaining(*cause)),
        causes => {
            let slept = causes.contains(&SlowdownCause::Waiting);
            let causes: Vec<&str> = causes.iter().copied().map(remaining).collect();
            let (last, others) = causes.split_last().unwrap_or((&"", &[]));
            let excluded = if slept {
                "the runs took hardly more processor time than on one thread, so the same work did not take longer"
            } else {
                "neither too little parallelism nor too fine tasks explain that"
            };
            format!(
                "{start}: {excluded}. What remains as its cause: {} or {last}.",
                others.join(", "),
            )
        }
    }
}

fn remaining(cause: SlowdownCause) -> &'static str {
    words("cause", cause.name())
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
    (!shares.is_empty()).then(|| {
        format!(
            "Of the cores' time at least so much counts as work though no processor ran it: {}. Threads that block in tasks, on \
             I/O, on locks or on one another, are not seen to wait: there is more idle time by that.",
            shares.join(", ")
        )
    })
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
        format!(
            "Other programs or virtual machines had processors that {subject} needed: {}. These times are too long; measure \
             again while the machine is quiet.",
            counts.join(", ")
        )
    })
}

/// That runs are too short to mean anything; `shortest` is the time of the shortest.
pub(crate) fn too_short(shortest: Nanos) -> String {
    format!(
        "Runs took {}, and the start of a process is some of that: they are too short to mean anything. Give the program more \
         to do.",
        duration(shortest)
    )
}

/// That a program does not use more than one processor.
pub(crate) fn serial(sweep: &Sweep) -> String {
    format!(
        "No run used more than one processor. Does the program have threads, and does it take their number from {}? \
         (--set-threads names another variable, {{threads}} in the arguments stands for the number.)",
        match source_of_threads(sweep) {
            SourceOfThreads::Variable(variable) => variable,
            SourceOfThreads::Arguments => "its arguments",
            SourceOfThreads::Processors => "the processors that it may use",
        }
    )
}

/// Where a program gets its number of threads from.
enum SourceOfThreads<'a> {
    Variable(&'a str),
    Arguments,
    Processors,
}

fn source_of_threads(sweep: &Sweep) -> SourceOfThreads<'_> {
    let mut arguments = sweep.command.iter().skip(1);
    match &sweep.threads_variable {
        Some(variable) => SourceOfThreads::Variable(variable),
        None if arguments.any(|word| word.contains("{threads}")) => SourceOfThreads::Arguments,
        None => SourceOfThreads::Processors,
    }
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
    let (runs, count) = match failed.runs {
        1 => ("1 run".to_owned(), "it counts"),
        runs => (format!("{runs} runs"), "they count"),
    };
    let end = match failed.exit {
        _ if failed.timed_out => "took longer than was allowed".to_owned(),
        Exit::Code(code) => format!("ended with code {code}"),
        Exit::Signal(signal) => format!("ended by signal {signal}"),
    };
    format!(
        "{runs} of {} {end}; {count} for nothing.",
        kind(failed.kind, failed.threads)
    )
}

fn kind(kind: RunKind, count: u32) -> String {
    match kind {
        RunKind::Plain => format!("the program on {}", threads(count)),
        RunKind::Idle => format!("the program on {}, its idle time measured,", threads(count)),
        RunKind::OneWorker => format!("the program on one worker, cut for {}", threads(count)),
        RunKind::Baseline => "the baseline".to_owned(),
        RunKind::Elision => "the program with its tasks run in place".to_owned(),
        RunKind::Copy => "the copies".to_owned(),
    }
}

/// That runs printed something else.
pub(crate) fn other_outputs(runs: u32) -> String {
    let runs = match runs {
        1 => "1 run".to_owned(),
        runs => format!("{runs} runs"),
    };
    format!(
        "{runs} printed something else than the first: the program may not have done the same work."
    )
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
    match source_of_threads(sweep) {
        SourceOfThreads::Variable(variable) => format!("set by {variable}"),
        SourceOfThreads::Arguments => "set by the arguments".to_owned(),
        SourceOfThreads::Processors => "as many as a run has processors".to_owned(),
    }
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
    Some(format!(
        "On {} most is lost to {words}.",
        threads(gap.threads)
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
    let on = threads(first.threads);
    if imbalances
        .iter()
        .all(|imbalance| imbalance.workers > imbalance.threads as usize)
    {
        return format!(
            "What was to run on {on} had {} workers: the program does not take its number of threads from where it is told. \
             Its times on {on} are not what they are called; --set-threads or {{threads}} in its arguments say how it takes it.",
            first.workers,
        );
    }
    let farthest = imbalances
        .iter()
        .map(|imbalance| imbalance.share)
        .max_by(|one, other| one.abs().total_cmp(&other.abs()))
        .unwrap_or_default();
    let off = format!(
        "{} {} P · T_P",
        percent(farthest.abs()),
        if farthest < 0.0 { "below" } else { "above" },
    );
    match imbalances {
        [one] => format!(
            "In run {}, on {on}, work, scheduling and idle time are {off}: its idle time is not to be trusted.",
            one.order
        ),
        several => format!(
            "In {} runs on {on}, work, scheduling and idle time are up to {off}: their idle time is not to be trusted.",
            several.len()
        ),
    }
}

/// Whether memory is the limit.
pub(crate) fn bandwidth(bandwidth: &Bandwidth) -> String {
    let slowdown = || {
        let mut points = bandwidth.points.iter().rev();
        let point = points.find(|point| !point.shares_cores);
        point.map_or(String::new(), |point| {
            let figures = range(&ratio(point.slowdown.low), &ratio(point.slowdown.high));
            format!(
                "{} at once take {} times as long as one alone ({figures})",
                point.copies,
                ratio(point.slowdown.value)
            )
        })
    };
    match bandwidth.verdict {
        BandwidthVerdict::MemoryFrom { copies } => {
            format!(
                "Memory is the limit from {copies} copies on. {}.",
                slowdown()
            )
        }
        BandwidthVerdict::Unsure { .. } => format!(
            "Whether memory is the limit cannot be told: {}, which may be more than 10% or less. More runs tell.",
            slowdown()
        ),
        BandwidthVerdict::WaitsFrom {
            copies,
            lacks_processors,
        } => {
            let what = if lacks_processors {
                "processors, which other programs or virtual machines had"
            } else {
                "processors or files"
            };
            format!(
                "Whether memory is the limit cannot be told: from {copies} copies on they take longer than one alone, but hardly \
                 more processor time. They waited for {what}."
            )
        }
        BandwidthVerdict::NoLimit { copies } => format!(
            "Memory is no limit up to {copies} cores: as many copies at once are about as fast as one alone."
        ),
        BandwidthVerdict::Unknown => {
            "Whether memory is the limit cannot be told: no two copies had a physical core each."
                .to_owned()
        }
    }
}

/// How sure the median of `figure` is with so few runs.
pub(crate) fn few_runs(figure: &str, runs: u32, confidence: f64) -> String {
    match runs {
        1 => "There is one run only of some figures, which have no interval.".to_owned(),
        runs => format!(
            "Of {figure} the range of all runs is shown where there are fewer than 6: with {runs} it holds the median with a \
             confidence of {}.",
            percent(confidence)
        ),
    }
}

/// What measuring idle time cost.
pub(crate) fn measuring(low: f64, high: f64, value: f64) -> String {
    let change = |ratio: f64| format!("{:+.1}%", (ratio - 1.0) * 100.0);
    format!(
        "Measuring idle time changed the time of runs by {} at most ({} … {}).",
        change(value),
        change(low),
        change(high)
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
