//! Reports on inflation, against golden files. `SNAPSHOTS=overwrite` blesses what is printed.

mod common;

use common::{complaints, golden, json_of, schema, written};
use snapbox::assert_data_eq;
use unicode_width::UnicodeWidthStr;
use workspan_model::{
    DIFFERENTIAL_VERSION, Differential, DifferentialRun, ExecutionKind, Profile, RuntimeKind, Span,
    Work, example, inflation, look_up_path,
};
use workspan_report::{Charset, InflationReport, Screen};

/// The quicksort, with a sort that takes `sort` nanoseconds.
fn quicksort(sort: i64) -> Profile {
    let mut profile = example::quicksort();
    let node = &mut profile.tree[1];
    node.on_work.local_work = Work::from_nanos(sort);
    node.on_span.local_span = Span::from_nanos(sort / 13);
    profile.span = Span::from_nanos(sort / 13 + 21_400_000);
    profile
}

/// Rounds in which the sort takes two and a half times as long in parallel. If there is a
/// `counter`, other runs of each round count its events.
fn differential(rounds: u32, counter: Option<&str>) -> Differential {
    let mut differential = Differential {
        differential_version: DIFFERENTIAL_VERSION,
        command: example::quicksort().run.command,
        runtime: Some(RuntimeKind::Rayon),
        threads: 2,
        machine: example::quicksort().machine,
        started_at: 1_767_225_600,
        seed: 0,
        least: 1.1,
        workspan_version: "0.1.0".to_owned(),
        runs: Vec::new(),
    };
    let dag = example::quicksort_dag();
    for metric in std::iter::once("time").chain(counter) {
        let (alone, together) = match metric {
            "time" => (1_038_600_000, 2_596_500_000),
            _ => (20_000, 9_000_000),
        };
        for round in 1..=rounds {
            let noise = i64::from(round) * alone / 100;
            for (execution, sort) in [
                (ExecutionKind::Oracle, alone),
                (ExecutionKind::Parallel, together + noise),
            ] {
                let mut profile = quicksort(sort);
                profile.run.threads = if execution == ExecutionKind::Oracle {
                    1
                } else {
                    2
                };
                let path = look_up_path((&profile, &dag), (&profile, &dag));
                let path = (metric == "time").then_some(path);
                let run = DifferentialRun::new(&profile, metric, round, execution, path);
                differential.runs.push(run);
            }
        }
    }
    differential
}

const HITM: &str = "mem_load_l3_hit_retired.xsnp_hitm";

fn samples() -> [(&'static str, Differential); 3] {
    let mut other = differential(7, None);
    for run in &mut other.runs {
        if run.execution == ExecutionKind::Parallel {
            run.figures.totals.spawns *= 2;
            for row in &mut run.figures.sites {
                row.on_work.count *= 2;
            }
            run.off_processor = run.figures.totals.work.time();
        }
    }
    [
        ("time", differential(2, None)),
        ("hitm", differential(9, Some(HITM))),
        ("other", other),
    ]
}

fn text(differential: &Differential, screen: Screen) -> String {
    let inflation = inflation(differential);
    let report = InflationReport {
        differential,
        inflation: &inflation,
    };
    written(|output| report.text(screen, output))
}

#[test]
fn pages_look_as_blessed() {
    for (name, differential) in samples() {
        for width in [80, 200] {
            let text = text(&differential, Screen::default().with_width(width));
            assert_data_eq!(text, golden(&format!("inflation/{name}.{width}.txt")));
        }
    }
}

/// Whatever else grew, findings are about lost time.
#[test]
fn without_a_time_it_says_so() {
    let mut counted = differential(9, Some(HITM));
    counted.runs.retain(|run| run.metric == HITM);
    let text = text(&counted, Screen::default());
    assert!(
        text.contains("told of time, and no metric here is one"),
        "{text}"
    );
    assert!(!text.contains("costs a tenth"), "{text}");
}

#[test]
fn estimates_have_a_warning() {
    let mut counted = differential(9, Some(HITM));
    let plain = text(&counted, Screen::default());
    assert!(!plain.contains("estimate"), "{plain}");
    let runs = counted.runs.iter_mut();
    for run in runs.filter(|run| run.metric == HITM).take(3) {
        run.is_estimate = true;
    }
    let text = text(&counted, Screen::default());
    assert!(
        text.contains("In 3 runs the processor had no room"),
        "{text}"
    );
}

#[test]
fn lines_fit_the_width() {
    for (name, differential) in samples() {
        for width in (60..=130).chain([200]) {
            for line in text(&differential, Screen::default().with_width(width)).lines() {
                assert!(line.width() <= width, "{name} at {width}: {line}");
            }
        }
    }
}

#[test]
fn ascii_is_ascii() {
    for (_, differential) in samples() {
        let screen = Screen {
            charset: Charset::Ascii,
            ..Screen::default()
        };
        assert!(text(&differential, screen).is_ascii());
    }
}

#[test]
fn json_follows_its_schema() {
    let schema = schema("inflation");
    for (name, differential) in samples() {
        let inflation = inflation(&differential);
        let report = InflationReport {
            differential: &differential,
            inflation: &inflation,
        };
        let document = json_of(|output| report.json(output));
        assert_eq!(complaints(&schema, &document), [""; 0], "{name}");
    }
}

#[test]
fn the_counter_names_the_cause_in_words_of_the_runtime() {
    let words_for = |runtime| {
        let mut differential = differential(9, Some(HITM));
        differential.runtime = Some(runtime);
        let page = text(&differential, Screen::default().with_width(400));
        common::joined(&page)
    };
    let rust = words_for(RuntimeKind::Rayon);
    assert!(
        rust.contains("WS011 Cores take data from one another"),
        "{rust}"
    );
    assert!(rust.contains("#[repr(align(128))]"), "{rust}");
    assert!(rust.contains(&format!("times as many {HITM}")), "{rust}");
    assert!(words_for(RuntimeKind::OpenMp).contains("alignas(128)"));
}
