//! Handles programs that left no profile.

use anyhow::anyhow;
use signal_hook::low_level::signal_name;
use workspan_format::raw;
use workspan_model::{
    Calibration, Exit, Machine, Metric, Nanos, Node, NodeId, OnSpan, OnWork, PathPart, Profile,
    Run, Site, SiteId, Span, Timing, Waits, Work,
};

use super::child::Ended;
use crate::machine;

/// The profile of a program without parallel constructs: its elapsed time is its work and its span,
/// unless it had several threads, of which nothing is known.
pub(super) fn one_strand(
    facts: raw::Launch,
    ended: &Ended,
    threads_unmeasured: Option<String>,
) -> Profile {
    let elapsed = Nanos::from_nanos(i64::try_from(ended.elapsed.as_nanos()).unwrap_or(i64::MAX));
    Profile {
        run: Run {
            command: facts.command,
            exit: facts.exit,
            started_at: facts.started_at,
            elapsed,
            processors: None,
            runtimes: Vec::new(),
            threads: unseen_threads(ended),
            threads_unmeasured,
            assumed_cores: 0,
            metric: Metric::time(),
            clock: "monotonic".to_owned(),
            real_cut: None,
            plain: Vec::new(),
            clock_note: None,
            burden: Nanos::default(),
            burden_source: None,
            unfinished_tasks: 0,
            interrupted: matches!(ended.exit, Exit::Signal(_)),
            still_running: Some(false),
            truncated_tree: false,
            off_processor: Nanos::default(),
            own_cost: Nanos::default(),
            workspan_version: facts.workspan_version,
        },
        machine: Machine {
            cores: machine::cores(),
            processor: facts.processor,
            os: facts.os,
            architecture: facts.architecture,
            ticks_per_second: 1e9,
        },
        calibration: Calibration::default(),
        sites: vec![Site::root()],
        tree: vec![Node {
            parent: None,
            site: SiteId::ROOT,
            recursive: false,
            on_work: OnWork {
                local_work: Work::from(elapsed),
                count: 1,
                top_count: 1,
                top_span: Span::from(elapsed),
                local_span: Span::from(elapsed),
                ..OnWork::default()
            },
            on_span: OnSpan {
                local_span: Span::from(elapsed),
                count: 1,
                top_count: 1,
                top_work: Work::from(elapsed),
                local_work: Work::from(elapsed),
            },
            path: vec![PathPart {
                node: NodeId::ROOT,
                local_span: Span::from(elapsed),
                count: 1,
            }],
        }],
        span: Span::from(elapsed),
        burdened_span: Span::from(elapsed),
        timing: Timing::default(),
        engine: Vec::new(),
        repetition: None,
        samples: None,
        timeline: None,
        waits: Waits::default(),
        shares: Vec::new(),
        instances: Vec::new(),
        locks: Vec::new(),
        other_locks: Vec::new(),
    }
}

/// More processors than this take more than one thread: time and processor time are measured in
/// different ways.
const MORE_THAN_ONE: f64 = 1.1;

/// How many threads of the program ran at once, as far as that was seen; 0 if it was one.
pub(super) fn unseen_threads(ended: &Ended) -> u32 {
    let used = match ended.seen.processors {
        processors if processors > MORE_THAN_ONE => processors.ceil() as u32,
        _ => 1,
    };
    match ended.seen.threads.max(used) {
        0 | 1 => 0,
        threads => threads.min(workspan_model::MOST_CORES),
    }
}

/// Why a program that contains the engine left no profile, and what to do.
pub(super) fn reason(ended: &Ended) -> anyhow::Error {
    const SIGKILL: i32 = 9;
    match ended.exit {
        Exit::Signal(SIGKILL) => anyhow!(
            "no profile could be written: the program was killed by SIGKILL (the kernel does that \
             too when memory runs out). SIGINT or SIGTERM end a program with its profile written."
        ),
        Exit::Signal(signal) => anyhow!(
            "no profile could be written: the program was ended by {}",
            signal_name(signal).map_or_else(|| format!("signal {signal}"), str::to_owned)
        ),
        Exit::Code(code) => anyhow!(
            "no profile was written, though the program ended by itself (exit code {code}): it left by `_exit` or `exec`, \
             which skip what runs at a program's end, went on in the background, or could not write the file (see the messages \
             above: another user, another root folder, a full disk)"
        ),
    }
}
