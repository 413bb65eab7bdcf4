//! Findings in the JSON report.

use serde::Serialize;
use serde_json::{Map, Value, json};
use workspan_model::{Analysis, Evidence, Gain, Nanos, Serialisation, SkewedBy};

use crate::sentences;

#[derive(Serialize)]
pub(super) struct FindingPart {
    number: &'static str,
    name: &'static str,
    text: String,
    advice: String,
    site: usize,
    within: Option<usize>,
    function: Option<usize>,
    evidence: Map<String, Value>,
    gain: GainPart,
}

#[derive(Serialize)]
pub(super) struct GainPart {
    cores: u32,
    now_ns: u64,
    after_ns: u64,
    factor: f64,
    estimate: &'static str,
}

impl FindingPart {
    pub(super) fn all(analysis: &Analysis) -> Vec<Self> {
        let findings = analysis.findings.iter();
        let part = |finding| {
            let &workspan_model::Finding {
                evidence,
                row,
                within,
                function,
                gain,
                ..
            } = finding;
            let words = sentences::finding(finding, analysis);
            Self {
                number: finding.diagnosis().number(),
                name: finding.diagnosis().name(),
                text: format!("{} {}", words.text, words.evidence),
                advice: words.advice,
                site: row,
                within,
                function,
                evidence: figures(&evidence),
                gain: GainPart::of(&gain),
            }
        };
        findings.map(part).collect()
    }
}

impl GainPart {
    pub(super) fn of(gain: &Gain) -> Self {
        Self {
            cores: gain.cores,
            now_ns: gain.now.shown(),
            after_ns: gain.after.shown(),
            factor: gain.factor(),
            estimate: gain.estimate.name(),
        }
    }
}

/// The figures of the evidence, by their keys in the schema.
pub(super) fn figures(evidence: &Evidence) -> Map<String, Value> {
    let nanos = |time: Nanos| json!(time.shown());
    let pairs: Vec<(&str, Value)> = match *evidence {
        Evidence::InsufficientParallelism {
            parallelism,
            of_site,
            span_share,
        } => vec![
            ("parallelism", json!(parallelism)),
            ("site_parallelism", json!(of_site)),
            ("span_share", json!(span_share)),
        ],
        Evidence::FineTasks {
            tasks,
            task,
            overhead,
            parallelism,
            burdened_parallelism,
        } => vec![
            ("tasks", json!(tasks)),
            ("task_ns", nanos(task)),
            ("tasking_overhead", json!(overhead)),
            ("parallelism", json!(parallelism)),
            ("burdened_parallelism", json!(burdened_parallelism)),
        ],
        Evidence::SerialCode {
            time,
            span_share,
            work_share,
        } => vec![
            ("time_ns", nanos(time)),
            ("span_share", json!(span_share)),
            ("work_share", json!(work_share)),
        ],
        Evidence::SkewedChildren(SkewedBy::Depth {
            depth,
            balanced,
            tasks,
        }) => vec![
            ("depth", json!(depth)),
            ("balanced_depth", json!(balanced)),
            ("tasks", json!(tasks)),
        ],
        Evidence::SkewedChildren(SkewedBy::Pieces { longest, even }) => vec![
            ("longest_task_ns", nanos(longest)),
            ("even_task_ns", nanos(even)),
        ],
        Evidence::ManySteals {
            stolen,
            tasks,
            task,
            cost,
        } => vec![
            ("stolen", json!(stolen)),
            ("tasks", json!(tasks)),
            ("task_ns", nanos(task)),
            ("steal_cost", json!(cost)),
        ],
        Evidence::Serialised(Serialisation::Bridge { span_share }) => {
            vec![("span_share", json!(span_share))]
        }
        Evidence::Serialised(Serialisation::Waits { blocked, share }) => {
            vec![
                ("blocked_ns", nanos(blocked)),
                ("blocked_share", json!(share)),
            ]
        }
        Evidence::FewTasks { tasks, span_share } => {
            vec![("tasks", json!(tasks)), ("span_share", json!(span_share))]
        }
        Evidence::OverSplitting {
            tasks,
            enough,
            task,
            inside,
            overhead,
        } => vec![
            ("tasks", json!(tasks)),
            ("enough_tasks", json!(enough)),
            ("task_ns", nanos(task)),
            ("inside_site", json!(inside)),
            ("tasking_overhead", json!(overhead)),
        ],
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
        } => vec![
            ("held_ns", nanos(held)),
            ("work_share", json!(work_share)),
            ("held_here_ns", nanos(here)),
            ("places", json!(places)),
            ("acquisitions", json!(acquisitions)),
            ("waits", json!(waits)),
            ("waited_ns", nanos(waited)),
            ("most_speedup", json!(most_speedup)),
            ("parallelism", json!(parallelism)),
        ],
        Evidence::Inflated {
            inflation,
            on_path,
            more,
            work_share,
            span_share,
            threads,
            counters: _,
            counter,
        } => vec![
            ("inflation", json!(inflation.value)),
            ("inflation_low", json!(inflation.low)),
            ("inflation_high", json!(inflation.high)),
            ("path_inflation", json!(on_path.map(|path| path.value))),
            ("more_ns", nanos(more)),
            ("work_share", json!(work_share)),
            ("span_share", json!(span_share)),
            ("threads", json!(threads)),
            (
                "counter_inflation",
                json!(counter.map(|counter| counter.inflation.value)),
            ),
        ],
    };
    let pairs = pairs.into_iter();
    pairs.map(|(key, value)| (key.to_owned(), value)).collect()
}
