//! Findings as sentences.

use serde_json::{Value, json};
use workspan_model::{Analysis, Evidence, Finding, Serialisation, SkewedBy};

use super::advice::advice;
use super::finding_text::{FindingText, gain};
use super::{by_samples, inflation};
use crate::figures::{amount_in_words, duration, grouped, percent, ratio};
use crate::place::{code_of, phrase};

/// A finding of `analysis`, in words.
pub(crate) fn finding(finding: &Finding, analysis: &Analysis) -> FindingText {
    let site = &analysis.sites[finding.row];
    let (text, evidence, figures) = explained(finding, analysis);
    let by_samples = by_samples(analysis, finding.function).unwrap_or_default();
    FindingText {
        text: format!("{text}."),
        evidence: format!("{evidence}{by_samples}."),
        figures,
        advice: advice(&finding.evidence, site, analysis.runtime)
            .map(|advice| format!("{advice}.")),
        gain: match finding.evidence {
            Evidence::Serialised(Serialisation::Bridge { .. }) => {
                "not known: the run shows one loop on each of its own threads.".to_owned()
            }
            _ => gain(finding, &analysis.metric),
        },
    }
}

/// What is wrong, and where; the evidence in words; and its figures, by their keys in the JSON
/// report.
fn explained(finding: &Finding, analysis: &Analysis) -> (String, String, Value) {
    let site = &analysis.sites[finding.row];
    let cores = finding.gain.cores;
    let amount = |time| amount_in_words(time, &analysis.metric);
    match finding.evidence {
        Evidence::InsufficientParallelism {
            parallelism,
            of_site,
            span_share,
        } => (
            format!(
                "Too little parallelism for {cores} cores: {}",
                code_of(site)
            ),
            format!(
                "a parallelism of {} in all{}; {} of the span is this code",
                ratio(parallelism),
                of_site.map_or_else(String::new, |of_site| {
                    format!(", {} of the site's instances", ratio(of_site))
                }),
                percent(span_share),
            ),
            json!({
                "parallelism": parallelism,
                "site_parallelism": of_site,
                "span_share": span_share,
            }),
        ),
        Evidence::FineTasks {
            tasks,
            task,
            overhead,
            parallelism,
            burdened_parallelism,
        } => (
            format!("Tasks too fine: those of {}", phrase(site)),
            format!(
                "{} tasks of {} each; {}, and moving tasks brings the parallelism from {} down to {}",
                grouped(tasks),
                amount(task),
                match overhead {
                    Some(overhead) => format!(
                        "making and scheduling them costs {} of the work",
                        percent(overhead)
                    ),
                    None =>
                        "what making and scheduling one costs this runtime is not known".to_owned(),
                },
                ratio(parallelism),
                ratio(burdened_parallelism),
            ),
            json!({
                "tasks": tasks,
                "task_ns": task.shown(),
                "tasking_overhead": overhead,
                "parallelism": parallelism,
                "burdened_parallelism": burdened_parallelism,
            }),
        ),
        Evidence::SerialCode {
            time,
            span_share,
            work_share,
        } => (
            format!(
                "Serial code makes up the span: {}",
                code_of(finding.within.map_or(site, |row| &analysis.sites[row]))
            ),
            format!(
                "it runs alone for {}: {} of the span, {} of the work",
                amount(time),
                percent(span_share),
                percent(work_share),
            ),
            json!({
                "time_ns": time.shown(),
                "span_share": span_share,
                "work_share": work_share,
            }),
        ),
        Evidence::SkewedChildren(SkewedBy::Depth {
            depth,
            balanced,
            tasks,
        }) => (
            format!("Work divided unevenly, over and over: by {}", phrase(site)),
            format!(
                "{} of its instances lie one inside the other on the critical path; {} would, if each of its {} tasks \
                 were halved",
                count(depth),
                count(balanced),
                count(tasks),
            ),
            json!({ "depth": depth, "balanced_depth": balanced, "tasks": tasks }),
        ),
        Evidence::SkewedChildren(SkewedBy::Pieces { longest, even }) => (
            format!("One piece much longer than the others: of {}", phrase(site)),
            format!(
                "the piece that the others wait for takes {}; {} if all took the same",
                amount(longest),
                amount(even),
            ),
            json!({ "longest_task_ns": longest.shown(), "even_task_ns": even.shown() }),
        ),
        Evidence::ManySteals {
            stolen,
            tasks,
            task,
            cost,
        } => (
            format!(
                "Many steals for little work: of the tasks of {}",
                phrase(site)
            ),
            format!(
                "{} of {} tasks of {} each were stolen on the threads of this run; at the run's burden that costs {} of \
                 the work",
                grouped(stolen),
                grouped(tasks),
                amount(task),
                percent(cost),
            ),
            json!({
                "stolen": stolen,
                "tasks": tasks,
                "task_ns": task.shown(),
                "steal_cost": cost,
            }),
        ),
        Evidence::Serialised(Serialisation::Bridge { span_share }) => (
            format!("A serial iterator feeds all threads: {}", phrase(site)),
            format!(
                "{} of the span; it runs one loop on each thread, behind one lock",
                percent(span_share),
            ),
            json!({ "span_share": span_share }),
        ),
        Evidence::Serialised(Serialisation::Waits { blocked, share }) => (
            format!(
                "Tasks wait for a lock, for input or for time: {}",
                code_of(site)
            ),
            format!(
                "waited for {} on the threads of this run, {} of the time of this code",
                duration(blocked),
                percent(share),
            ),
            json!({ "blocked_ns": blocked.shown(), "blocked_share": share }),
        ),
        Evidence::FewTasks { tasks, span_share } => (
            format!("Too few tasks for {cores} cores: those of {}", phrase(site)),
            format!(
                "{} at a time, on average; {} of the span is their code",
                count(tasks),
                percent(span_share),
            ),
            json!({ "tasks": tasks, "span_share": span_share }),
        ),
        Evidence::OverSplitting {
            tasks,
            enough,
            task,
            inside,
            overhead,
        } => {
            let outer = inside.map(|outer| phrase(&analysis.sites[outer]));
            let (text, enough_words) = match outer {
                None => (
                    format!("Split much finer than {cores} cores need: {}", phrase(site)),
                    format!("; {} would do", count(enough)),
                ),
                Some(outer) => (
                    format!(
                        "A parallel loop inside another that is enough for {cores} cores: {}, inside {outer}",
                        phrase(site),
                    ),
                    format!(", in each of the items of {outer}"),
                ),
            };
            let evidence = format!(
                "{} tasks a loop, of {} each{enough_words}; making and scheduling them costs {} of the work",
                count(tasks),
                amount(task),
                percent(overhead),
            );
            let figures = json!({
                "tasks": tasks,
                "enough_tasks": enough,
                "task_ns": task.shown(),
                "inside_site": inside,
                "tasking_overhead": overhead,
            });
            (text, evidence, figures)
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
        } => (
            format!("One thread after the other: {}", phrase(site)),
            format!(
                "the lock was held for {}{}, {} of the work, in {} acquisitions; so the program is no more than {} \
                 times as fast whatever the cores, though its parallelism is {}; {} of them waited for more than a microsecond in this run, \
                 all together for {}",
                amount(held),
                match places {
                    1 => String::new(),
                    2 => format!(
                        ", {} of that here, the rest in one other place",
                        amount(here)
                    ),
                    places => format!(
                        ", {} of that here, the rest in {} other places",
                        amount(here),
                        grouped(places as u64 - 1)
                    ),
                },
                percent(work_share),
                grouped(acquisitions),
                ratio(most_speedup),
                ratio(parallelism),
                grouped(waits),
                duration(waited),
            ),
            json!({
                "held_ns": held.shown(),
                "work_share": work_share,
                "held_here_ns": here.shown(),
                "places": places,
                "acquisitions": acquisitions,
                "waits": waits,
                "waited_ns": waited.shown(),
                "most_speedup": most_speedup,
                "parallelism": parallelism,
            }),
        ),
        Evidence::Inflated { .. } => inflation::explained(&finding.evidence, site, &[]),
    }
}

/// A mean number of things.
fn count(mean: f64) -> String {
    if mean < 99.5 {
        ratio(mean)
    } else {
        grouped(mean.round() as u64)
    }
}
