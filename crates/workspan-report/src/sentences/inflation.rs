//! Work inflation as sentences.

use serde_json::json;
use workspan_model::{
    Evidence, Finding, InflatedPath, Inflation, Judgement, Metric, MetricInflation,
    ProgramInflation, RuntimeKind,
};

use super::advice::advice;
use super::finding::{FindingText, gain, sentences};
use super::template::words;
use crate::figures::{counted, estimated, grouped, percent, ratio, short_count};

/// A finding of `inflation`, in words.
pub(crate) fn finding(
    finding: &Finding,
    inflation: &Inflation,
    runtime: Option<RuntimeKind>,
) -> FindingText {
    let site = &inflation.sites[finding.row];
    let &Evidence::Inflated {
        inflation: ratio_of_site,
        on_path,
        more,
        work_share,
        span_share,
        threads,
        counters,
        counter,
    } = &finding.evidence
    else {
        panic!("{:?} is not of inflation", finding.evidence);
    };
    let figures = json!({
        "inflation": ratio_of_site.ratio.value,
        "inflation_low": ratio_of_site.ratio.low,
        "inflation_high": ratio_of_site.ratio.high,
        "path_inflation": on_path.map(|path| path.ratio.value),
        "more_ns": more.shown(),
        "work_share": work_share,
        "span_share": span_share,
        "threads": threads,
        "counter_inflation": counter.map(|counter| counter.inflation.ratio.value),
    });
    let value = |name: &str| {
        Some(match (name, counter) {
            ("threads", _) => threads.to_string(),
            ("inflation", _) => estimated(ratio_of_site.ratio, ratio),
            (_, None) if counters == 0 => String::new(),
            (_, None) => "; none of the counters that were measured explains it".to_owned(),
            (_, Some(counter)) => format!(
                "; {} times as many {}, {} more",
                estimated(counter.inflation.ratio, ratio),
                inflation.metrics[counter.metric].metric,
                short_count(counter.more.round().max(0.0) as u64),
            ),
        })
    };
    let metric = time_of(inflation);
    let keys = [finding.diagnosis().name(), "inflated evidence"];
    let [text, evidence] = sentences(keys, finding, site, &metric, &figures, &value);
    FindingText {
        text: format!("{text}."),
        evidence: format!("{evidence}."),
        figures,
        advice: advice(&finding.evidence, site, runtime).map(|advice| format!("{advice}.")),
        gain: gain(finding, &metric),
    }
}

/// The metric of the findings: the first one that is a time.
fn time_of(inflation: &Inflation) -> Metric {
    let mut metrics = inflation.metrics.iter();
    let time = metrics.find(|metric| metric.is_time());
    match time.map(|metric| metric.metric.as_str()) {
        None | Some("time") => Metric::time(),
        Some(name) => Metric {
            name: name.to_owned(),
            unit: name.to_owned(),
        },
    }
}

/// The judgement of a row in a word or two.
pub(crate) fn judgement(judgement: Judgement) -> &'static str {
    words("judgement", judgement.name())
}

/// How the inflation of the critical path was found, strand by strand.
pub(crate) fn by_strand(path: &InflatedPath) -> String {
    let choice = match path.by_choice {
        Some(choice) => format!(
            "; of one-worker runs among each other {}, which is what choosing the longest path makes of noise",
            estimated(choice.ratio, ratio)
        ),
        None => String::new(),
    };
    format!(
        "{} strand by strand, found for {} of it at least{choice}",
        estimated(path.ratio.ratio, ratio),
        percent(path.found_share),
    )
}

/// If threads are kept off the processor for more than this share of their work, too little runs at
/// once to hinder the others.
const OFTEN_OFF: f64 = 0.05;

/// What keeps the executions from being comparable, a sentence each.
pub(crate) fn warnings(metric: &MetricInflation) -> Vec<String> {
    let ProgramInflation {
        oracle_tasks: alone,
        parallel_tasks: together,
        oracle_threads,
        parallel_off_processor,
        rounds,
        ..
    } = metric.program;
    let mut warnings = Vec::new();
    if oracle_threads > 1 {
        warnings.push(format!(
            "The runs by one worker had {oracle_threads} threads: the program sets their number itself, so these are no runs without \
             interference.",
        ));
    }
    if alone.abs_diff(together) > alone.max(together) / 100 {
        warnings.push(format!(
            "One worker made {} tasks, and {} were made in parallel. Parallel iterators are divided once more where a part is stolen, \
             and OpenMP's loops for each thread, which changes none of their items; where other sites differ, their work is not compared.",
            grouped(alone),
            grouped(together),
        ));
    }
    if parallel_off_processor > OFTEN_OFF {
        warnings.push(format!(
            "Threads of the parallel runs were kept off the processor for {} of their work by other programs. That is not counted, but \
             while they were, nothing hindered the others: inflation may be more on a quiet machine.",
            percent(parallel_off_processor),
        ));
    }
    if metric.estimates > 0 {
        warnings.push(format!(
            "In {} the processor had no room for all counters at once, and the event was counted part of the time: the rest is estimated, \
             so that what grows may be the estimate.",
            counted(metric.estimates as u64, "run", "runs"),
        ));
    }
    if rounds < metric.rounds_needed {
        warnings.push(format!(
            "{} cannot be sure of {}: that takes --runs {} at least.",
            counted(u64::from(rounds), "round", "rounds"),
            counted(metric.comparisons as u64, "row", "rows at once"),
            metric.rounds_needed,
        ));
    }
    warnings
}
