//! Work inflation as sentences.

use serde_json::json;
use workspan_model::{
    Evidence, Finding, InflatedPath, Inflation, Judgement, Metric, MetricInflation,
    ProgramInflation, RuntimeKind,
};

use super::advice::advice;
use super::finding::{FindingText, gain, sentences};
use super::template::{said, words};
use crate::notation::figures::{counted, estimated, grouped, percent, ratio, short_count};

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
            (_, None) => words("inflation", "unexplained").to_owned(),
            (_, Some(counter)) => said!(
                "inflation",
                "counter",
                times = estimated(counter.inflation.ratio, ratio),
                event = inflation.metrics[counter.metric].metric,
                more = short_count(counter.more.round().max(0.0) as u64),
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
        gain: gain(finding, &metric, false),
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
    let choice = path.by_choice.map(|choice| {
        let times = estimated(choice.ratio, ratio);
        said!("inflation", "by_choice", times = times)
    });
    let choice = choice.unwrap_or_default();
    said!(
        "inflation",
        "by_strand",
        times = estimated(path.ratio.ratio, ratio),
        share = percent(path.found_share),
        choice = choice,
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
    let more_than_iterators_make = alone.max(together) / 100;
    let warnings = [
        ("threads", oracle_threads > 1),
        ("tasks", alone.abs_diff(together) > more_than_iterators_make),
        ("off_processor", parallel_off_processor > OFTEN_OFF),
        ("estimates", metric.estimates > 0),
        ("rounds", rounds < metric.rounds_needed),
    ];
    let warnings = warnings.into_iter().filter(|&(_, holds)| holds);
    let warnings = warnings.map(|(name, _)| {
        said!(
            "inflation",
            name,
            threads = oracle_threads,
            alone = grouped(alone),
            together = grouped(together),
            share = percent(parallel_off_processor),
            runs = counted(metric.estimates as u64, "run", "runs"),
            rounds = counted(rounds.into(), "round", "rounds"),
            rows = counted(metric.comparisons as u64, "row", "rows at once"),
            needed = metric.rounds_needed,
        )
    });
    warnings.collect()
}
