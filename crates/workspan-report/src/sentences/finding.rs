//! Findings as sentences.

use workspan_model::{Analysis, Estimate, Evidence, Finding, Metric, Serialisation, SkewedBy};

use super::advice::advice;
use super::inflation;
use crate::figures::{amount_in_words, duration, grouped, interval, percent, ratio};
use crate::place::{code_of, function, phrase};

/// A finding in words.
pub(crate) struct FindingText {
    /// What is wrong, and where.
    pub(crate) text: String,
    /// The figures that show it.
    pub(crate) evidence: String,
    /// What to try.
    pub(crate) advice: String,
    /// What that can bring.
    pub(crate) gain: String,
}

/// A finding of `analysis`, in words.
pub(crate) fn finding(finding: &Finding, analysis: &Analysis) -> FindingText {
    let site = &analysis.sites[finding.row];
    let evidence = match named_function(finding, analysis) {
        Some(named) => format!("{}; {named}.", evidence(finding, analysis)),
        None => format!("{}.", evidence(finding, analysis)),
    };
    FindingText {
        text: format!("{}.", text(finding, analysis)),
        evidence,
        advice: format!("{}.", advice(&finding.evidence, site, analysis.runtime)),
        gain: gain(finding, &analysis.metric),
    }
}

fn text(finding: &Finding, analysis: &Analysis) -> String {
    let site = &analysis.sites[finding.row];
    let cores = finding.gain.cores;
    match finding.evidence {
        Evidence::InsufficientParallelism { .. } => {
            format!(
                "Too little parallelism for {cores} cores: {}",
                code_of(site)
            )
        }
        Evidence::FineTasks { .. } => format!("Tasks too fine: those of {}", phrase(site)),
        Evidence::SerialCode { .. } => {
            let code = finding
                .within
                .map_or(site, |within| &analysis.sites[within]);
            format!("Serial code makes up the span: {}", code_of(code))
        }
        Evidence::SkewedChildren(SkewedBy::Depth { .. }) => {
            format!("Work divided unevenly, over and over: by {}", phrase(site))
        }
        Evidence::SkewedChildren(SkewedBy::Pieces { .. }) => {
            format!("One piece much longer than the others: of {}", phrase(site))
        }
        Evidence::ManySteals { .. } => {
            format!(
                "Many steals for little work: of the tasks of {}",
                phrase(site)
            )
        }
        Evidence::Serialised(Serialisation::Bridge { .. }) => {
            format!("A serial iterator feeds all threads: {}", phrase(site))
        }
        Evidence::Serialised(Serialisation::Waits { .. }) => {
            format!(
                "Tasks wait for a lock, for input or for time: {}",
                code_of(site)
            )
        }
        Evidence::FewTasks { .. } => {
            format!("Too few tasks for {cores} cores: those of {}", phrase(site))
        }
        Evidence::OverSplitting { inside: None, .. } => {
            format!("Split much finer than {cores} cores need: {}", phrase(site))
        }
        Evidence::OverSplitting {
            inside: Some(outer),
            ..
        } => format!(
            "A parallel loop inside another that is enough for {cores} cores: {}, inside {}",
            phrase(site),
            phrase(&analysis.sites[outer]),
        ),
        Evidence::SerialisingLock { .. } => {
            format!("One thread after the other: {}", phrase(site))
        }
        Evidence::Inflated { counter, .. } => inflation::text(site, counter.as_ref()),
    }
}

fn evidence(finding: &Finding, analysis: &Analysis) -> String {
    let metric = &analysis.metric;
    match finding.evidence {
        Evidence::InsufficientParallelism {
            parallelism,
            of_site,
            span_share,
        } => {
            let of_site = of_site.map_or_else(String::new, |of_site| {
                format!(", {} of the site's instances", ratio(of_site))
            });
            format!(
                "a parallelism of {} in all{of_site}; {} of the span is this code",
                ratio(parallelism),
                percent(span_share),
            )
        }
        Evidence::FineTasks {
            tasks,
            task,
            overhead,
            parallelism,
            burdened_parallelism,
        } => format!(
            "{} tasks of {} each; making and scheduling them costs {} of the work, and moving tasks brings the \
             parallelism from {} down to {}",
            grouped(tasks),
            amount_in_words(task, metric),
            percent(overhead),
            ratio(parallelism),
            ratio(burdened_parallelism),
        ),
        Evidence::SerialCode {
            time,
            span_share,
            work_share,
        } => format!(
            "it runs alone for {}: {} of the span, {} of the work",
            amount_in_words(time, metric),
            percent(span_share),
            percent(work_share),
        ),
        Evidence::SkewedChildren(SkewedBy::Depth {
            depth,
            balanced,
            tasks,
        }) => format!(
            "{} of its instances lie one inside the other on the critical path; {} would, if each of its {} tasks \
             were halved",
            count(depth),
            count(balanced),
            count(tasks),
        ),
        Evidence::SkewedChildren(SkewedBy::Pieces { longest, even }) => format!(
            "the piece that the others wait for takes {}; {} if all took the same",
            amount_in_words(longest, metric),
            amount_in_words(even, metric),
        ),
        Evidence::ManySteals {
            stolen,
            tasks,
            task,
            cost,
        } => format!(
            "{} of {} tasks of {} each were stolen on {}; at the run's burden that costs {} of the work",
            grouped(stolen),
            grouped(tasks),
            amount_in_words(task, metric),
            "the threads of this run",
            percent(cost),
        ),
        Evidence::Serialised(Serialisation::Bridge { span_share }) => format!(
            "{} of the span; it runs one loop on each thread, behind one lock",
            percent(span_share),
        ),
        Evidence::Serialised(Serialisation::Waits { blocked, share }) => format!(
            "waited for {} on the threads of this run, {} of the time of this code",
            duration(blocked),
            percent(share),
        ),
        Evidence::FewTasks { tasks, span_share } => format!(
            "{} at a time, on average; {} of the span is their code",
            count(tasks),
            percent(span_share),
        ),
        Evidence::OverSplitting {
            tasks,
            enough,
            task,
            inside,
            overhead,
        } => {
            let enough = match inside {
                None => format!("; {} would do", count(enough)),
                Some(outer) => format!(
                    ", in each of the items of {}",
                    phrase(&analysis.sites[outer])
                ),
            };
            format!(
                "{} tasks a loop, of {} each{enough}; making and scheduling them costs {} of the work",
                count(tasks),
                amount_in_words(task, metric),
                percent(overhead),
            )
        }
        Evidence::SerialisingLock {
            held,
            work_share,
            here,
            places,
            acquisitions,
            waits,
            waited,
            most_speedup,
            parallelism,
        } => {
            let all = match places {
                1 => String::new(),
                2 => format!(
                    ", {} of that here, the rest in one other place",
                    amount_in_words(here, metric)
                ),
                places => format!(
                    ", {} of that here, the rest in {} other places",
                    amount_in_words(here, metric),
                    grouped(places as u64 - 1)
                ),
            };
            format!(
                "the lock was held for {}{all}, {} of the work, in {} acquisitions; so the program is no more than {} \
                 times as fast whatever the cores, though its parallelism is {}; {} of them waited for more than a microsecond in this run, \
                 all together for {}",
                amount_in_words(held, metric),
                percent(work_share),
                grouped(acquisitions),
                ratio(most_speedup),
                ratio(parallelism),
                grouped(waits),
                duration(waited),
            )
        }
        Evidence::Inflated { .. } => inflation::evidence(&finding.evidence, &[]),
    }
}

/// The function that the span is made of, where samples tell.
fn named_function(finding: &Finding, analysis: &Analysis) -> Option<String> {
    let row = &analysis.functions.as_ref()?.rows[finding.function?];
    let itself = if row.parallel { "code of " } else { "" };
    Some(format!(
        "by samples, {} of the span is in {itself}{}",
        interval(row.serial.on_span),
        function(row),
    ))
}

pub(super) fn gain(finding: &Finding, metric: &Metric) -> String {
    let gain = &finding.gain;
    let (most, by) = match gain.estimate {
        Estimate::Bounds => ("up to ", "bounds"),
        Estimate::WhatIf => ("", "what-if on the task dag"),
    };
    format!(
        "{most}{} times as fast on {} cores, by {by}: {} now, {} then.",
        ratio(gain.factor()),
        gain.cores,
        amount_in_words(gain.now, metric),
        amount_in_words(gain.after, metric),
    )
}

/// A mean number of things.
fn count(mean: f64) -> String {
    if mean < 99.5 {
        ratio(mean)
    } else {
        grouped(mean.round() as u64)
    }
}
