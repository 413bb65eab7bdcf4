//! Reports on a program in words of its runtime.

mod common;

use std::collections::BTreeMap;

use common::{joined, written};
use serde_json::Value;
use workspan_model::{
    EngineCount, Profile, Runtime, RuntimeKind, SiteKind, analyse_with_dag, example,
};
use workspan_report::{Page, Predictions, Renderer, Screen, Text};

/// The example, as a program of `kind`.
fn profile(kind: RuntimeKind) -> Profile {
    let mut profile = example::quicksort();
    profile.run.runtimes = vec![Runtime {
        kind,
        version: None,
    }];
    for site in &mut profile.sites {
        if site.kind.is_of_rayon() {
            site.kind = SiteKind::Task;
            site.detail = None;
        }
    }
    profile
}

/// The report, the data of the page and the predictions.
fn reports(profile: &Profile) -> [String; 3] {
    let dag = example::quicksort_dag();
    let analysis = analyse_with_dag(profile, Some(&dag));
    let text = Text {
        engine: true,
        ..Text::default()
    };
    let page = Page {
        profile,
        analysis: &analysis,
        dag: None,
        sources: &BTreeMap::new(),
        scaling: None,
        against: None,
        file: "program.wsp",
    };
    let predictions = Predictions {
        profile,
        dag: &dag,
        curve: analysis.predicted.as_ref().unwrap(),
    };
    [
        written(|output| text.render(profile, &analysis, output)),
        without_explanations(&written(|output| page.render(output))),
        written(|output| predictions.text(Screen::default(), output)),
    ]
}

/// A page's data without the explanations of findings, which are the same for all runtimes.
fn without_explanations(page: &str) -> String {
    let (_, data) = page.split_once(r#"id="data">"#).unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    let mut data: Value = serde_json::from_str(data).unwrap();
    data["overview"]["explanations"].take();
    format!("{data:#}")
}

/// Does the page with `data` have the tasking overhead among its headlines?
fn has_overhead(data: &str) -> bool {
    let data: Value = serde_json::from_str(data).unwrap();
    let headlines = data["overview"]["headlines"].as_array().unwrap();
    headlines
        .iter()
        .any(|headline| headline["key"] == "tasking_overhead")
}

#[test]
fn reports_on_other_runtimes_do_not_mention_rayon() {
    for (kind, variable) in [
        (RuntimeKind::OpenMp, Some("OMP_NUM_THREADS=1")),
        (RuntimeKind::Cilk, Some("CILK_NWORKERS=1")),
        (RuntimeKind::Tbb, None),
        (RuntimeKind::C, None),
    ] {
        let all = reports(&profile(kind));
        for text in &all {
            let rayon = text
                .lines()
                .find(|line| line.to_lowercase().contains("rayon"));
            assert_eq!(rayon, None, "{kind:?}");
        }
        let report = joined(&all[0]);
        assert!(report.contains("– what a task costs this runtime is not measured"));
        assert!(!has_overhead(&all[1]), "{kind:?}");
        let predictions = joined(&all[2]);
        let run = format!(
            "a plain run {} over that",
            variable.map_or("on one thread".to_owned(), |variable| format!(
                "with {variable}"
            ))
        );
        assert!(predictions.contains(&run), "{predictions}");
    }
    let rayon = reports(&profile(RuntimeKind::Rayon));
    assert!(rayon[0].contains("like rayon's"));
    assert!(!rayon[0].contains("is not measured"));
    assert!(has_overhead(&rayon[1]));
    assert!(rayon[2].contains("RAYON_NUM_THREADS=1"));
}

#[test]
fn threads_are_those_of_a_team_and_those_that_ran() {
    let line = |kind, threads, ran: Option<i64>| {
        let mut profile = profile(kind);
        profile.run.threads = threads;
        profile.engine.extend(ran.map(|value| EngineCount {
            name: "threads".to_owned(),
            value,
        }));
        let [text, page, _] = reports(&profile);
        let line = text
            .lines()
            .find(|line| line.trim_start().starts_with("Runtime"));
        let shown = line.unwrap().trim_start()["Runtime".len()..]
            .trim()
            .to_owned();
        assert!(page.contains(&shown), "{shown}");
        shown
    };
    let openmp = |threads, ran| line(RuntimeKind::OpenMp, threads, ran);
    assert_eq!(openmp(4, Some(4)), "OpenMP, 4 threads");
    assert_eq!(openmp(4, Some(7)), "OpenMP, 7 threads, teams of at most 4");
    assert_eq!(openmp(1, None), "OpenMP, 1 thread");
    // Of other runtimes, only what the engine has seen is known.
    assert_eq!(
        line(RuntimeKind::Tbb, 0, Some(3)),
        "oneTBB, 3 threads ran something"
    );
    assert_eq!(line(RuntimeKind::Tbb, 0, None), "oneTBB");
}
